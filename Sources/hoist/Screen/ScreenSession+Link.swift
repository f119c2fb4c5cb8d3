import Foundation
import Screens
import SenderLink
import UploadEngine
import UploadModel
import UploadStore

/// What this process tells others that show the queue, and what they ask; or the other way round beside a sender.
extension ScreenSession {
  /// The user's settings for everything that is sent.
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

  /// Reports to others from now on, and does what they ask.
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

  /// Shows what the sending process does from now on.
  func lookOn() {
    link.onNews = { [weak self] in self?.hear($0) }
    link.onLost = { [weak self] in self?.forgetNews($0) }
    link.listen()
  }

  /// Names the process that sends the queue, as far as it is known: a screen that is left may hand over the queue.
  func nameSender() {
    guard state.isAside, !isLeaving else { return }
    let process = link.process ?? SenderLock.holder(queue: keeper.store.path)
    let name = process.flatMap { kill($0, 0) == 0 || errno == EPERM ? " (process \($0))" : nil }
    let words = "another hoist\(name ?? "") sends this queue; what is added here goes to it"
    handle([.notice(words)])
  }

  /// An item as a process that does not send the queue shows it.
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
    // The report shows the state at the time of leaving. News may be older than the queue.
    guard !isLeaving else { return }
    var (changes, before): ([(ItemID, ItemState)], [(ItemID, ItemState)]) = ([], [])
    var events: [AppEvent] = []
    for news in news {
      switch news {
      case .item(let id, let state):
        // News of a new item may come before the item is read, and news of an end after it was read.
        guard let known = self.state.item(id), !(known.state.isFinished && state.isFinished)
        else { continue }
        if isInformed { changes.append((id, state)) } else { before.append((id, state)) }
      case .server(let address, let news): events.append(.reachability(server: address, news))
      case .refusal(let target, let isRefused):
        events.append(.refusal(target: target, isRefused: isRefused))
      case .settings(let settings):
        // The settings of a screen that was left apply to the next one that sends.
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

  /// The sender is silent, so the queue alone says how items are, even where news had taken precedence over
  /// its changes.
  private func forgetNews(_ ends: [SenderNews]) {
    hear(ends)
    isInformed = false
    nameSender()
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
