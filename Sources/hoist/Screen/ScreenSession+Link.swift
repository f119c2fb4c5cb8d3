import Foundation
import Screens
import SenderLink
import UploadEngine
import UploadModel
import UploadStore

/// What is told to other processes that show the queue, and what they ask; or, beside a sender, the other way round.
extension ScreenSession {
  /// What the person has set for all that is sent.
  var settings: SenderSettings {
    SenderSettings(
      limit: state.rateLimit, isStarted: state.isStarted, lanes: state.wishes,
      isHandedOver: options.isHandedOver)
  }

  /// Passes an order to the engine, or to the process that sends the queue.
  func control(_ order: SenderOrder) {
    order.apply(to: &ownSettings)
    if let engine {
      give(order, to: engine)
      return link.tell([.settings(settings)])
    }
    // If there is no engine for another reason, that reason is on the screen already.
    guard state.isAside, !link.order(order) else { return }
    handle([.message("another hoist sends this queue; this counts from when it has gone")])
  }

  // MARK: As the one that sends

  /// Tells others from now on, and does what they ask.
  func serve() {
    link.onOrder = { [weak self] in self?.obey($0) }
    link.serve()
    link.tell([.settings(settings)])
  }

  private func obey(_ order: SenderOrder) {
    guard let engine, !isLeaving else { return }
    give(order, to: engine)
    var changed = settings
    order.apply(to: &changed)
    guard changed != settings else { return }
    show(changed)
    link.tell([.settings(changed)])
  }

  private func give(_ order: SenderOrder, to engine: UploadEngine) {
    switch order {
    case .retry(let ids): retry(ids)
    case .pause(let ids): pause(ids)
    case .tryServers: engine.tryServers()
    case .start(let isStarted): engine.setStarted(isStarted)
    case .limit(let limit): engine.setLimit(limit)
    case .lanes(let count, let target): engine.setConcurrency(count, of: target)
    }
  }

  func show(_ settings: SenderSettings) { handle([.of(settings)]) }

  // MARK: As one that looks on

  /// Shows from now on what the process that sends is doing.
  func lookOn() {
    link.onNews = { [weak self] in self?.hear($0) }
    link.onLost = { [weak self] in self?.forgetNews($0) }
    link.listen()
  }

  /// Says who sends the queue, as far as that is known now: one that is left may hand it on.
  func nameSender() {
    let process = link.process ?? SenderLock.holder(queue: keeper.store.path)
    let name = process.flatMap { kill($0, 0) == 0 || errno == EPERM ? " (process \($0))" : nil }
    let words = "another hoist\(name ?? "") sends this queue; what is added here goes to it"
    handle([.notice(words)])
  }

  /// An item of the queue as it is shown by a process that does not send it.
  func seenFromAside(_ item: UploadItem) -> UploadItem {
    var item = item
    if let state = link.status.state(of: item.id) {
      item.state = state
    } else if item.state.isActive {
      item.state = .waiting
      if !link.isListening { item.note = "another hoist is sending it" }
    }
    return item
  }

  private func hear(_ news: [SenderNews]) {
    // The report tells what led to leaving. News may be older than what the queue says.
    guard !isLeaving else { return }
    var (changes, before): ([(ItemID, ItemState)], [(ItemID, ItemState)]) = ([], [])
    var events: [AppEvent] = []
    for news in news {
      switch news {
      case .item(let id, let state):
        // What has just been added may be heard of before it is read; and an end may have been read before.
        guard let known = self.state.item(id), !(known.state.isFinished && state.isFinished)
        else { continue }
        if isInformed { changes.append((id, state)) } else { before.append((id, state)) }
      case .server(let address, let news): events.append(.reachability(server: address, news))
      case .refusal(let target, let isRefused):
        events.append(.refusal(target: target, isRefused: isRefused))
      case .settings(let settings):
        // What was set on a screen that was left holds on the next one that sends.
        if settings.isHandedOver, options.rateLimit == nil { ownSettings = settings }
        events.append(.of(settings))
      case .complete:
        isInformed = true
        nameSender()
      }
    }
    if !before.isEmpty { events.append(.joined(before, at: time.now())) }
    if !changes.isEmpty { events.append(.engine(changes, at: time.now())) }
    handle(events)
  }

  /// Nothing is heard any more: what is known of items is what the queue says, also of changes that had been
  /// outranked by news.
  private func forgetNews(_ ends: [SenderNews]) {
    hear(ends)
    isInformed = false
    if state.isAside, !isLeaving { nameSender() }
    guard !state.isReading, !isLeaving,
      let changes = try? keeper.store.changes(since: heardSince)
    else { return }
    apply(changes)
  }
}

extension AppEvent {
  fileprivate static func of(_ settings: SenderSettings) -> AppEvent {
    .settings(limit: settings.limit, isStarted: settings.isStarted, lanes: settings.lanes)
  }
}
