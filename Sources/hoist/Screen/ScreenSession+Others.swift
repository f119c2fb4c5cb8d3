import Dispatch
import Screens
import UploadEngine
import UploadModel
import UploadStore

/// What other processes do to the queue.
extension ScreenSession {
  /// Shows what other processes have written since the last call, and lets the engine act on it.
  func readExternalChanges() {
    // Until the queue has been read, everything would be a change.
    guard !state.isReading else { return }
    do {
      guard let changes = try keeper.store.changesByOthers(since: revision) else {
        return watch?.lookAgain() ?? ()
      }
      apply(changes)
    } catch {
      handle([.message(Self.brief(error))])
    }
  }

  func apply(_ changes: QueueChanges) {
    revision = changes.revision
    let gone = changes.removed.filter { items[$0] != nil }
    if !gone.isEmpty {
      engine?.remove(gone)
      forget(gone)
      handle([.removed(gone)])
    }
    applyChanged(changes.items.filter { $0.id > floor })
    if let order = changes.order {
      handle([.reordered(order.filter { items[$0] != nil })])
      engine?.arrange(state.waiting)
    }
  }

  private func applyChanged(_ changed: [UploadItem]) {
    guard let engine else {
      if state.isAside { lookOn() }
      return show(changed)
    }
    let news = ExternalChanges(of: changed, known: items)
    show(news.fresh)
    engine.pause(news.paused)
    let (sendable, shown) = jobs(news.again)
    for item in shown + news.edited { items[item.id] = item }
    if !shown.isEmpty || !news.edited.isEmpty { handle([.added(shown + news.edited)]) }
    engine.retry(sendable)
    engine.update(jobs(news.edited).sendable)
  }

  /// Shows how far the process is that sends, once a second, until it has had nothing under way for a
  /// while. When it begins again, it writes to the queue, and that is seen.
  func lookOn() {
    guard onlooking == nil else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.showOthersProgress() }
    }
    timer.activate()
    (onlooking, looksInVain) = (timer, 0)
  }

  func stopLookingOn() {
    onlooking?.cancel()
    onlooking = nil
  }

  private func showOthersProgress() {
    let known = shared.read().compactMap { id, entry -> (ItemID, ItemState)? in
      guard let item = items[id], !item.state.isFinished else { return nil }
      return (id, .sending(attempt: entry.attempt, sent: entry.sent, total: item.size))
    }
    looksInVain = known.isEmpty ? looksInVain + 1 : 0
    if looksInVain > 10 { return stopLookingOn() }
    if !known.isEmpty { handle([.engine(known, at: time.now())]) }
  }
}
