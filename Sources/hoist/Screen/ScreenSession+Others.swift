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
    guard !state.isReading, !isLeaving else { return }
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
    if let isStopped = changes.isStopped { learn(isStopped: isStopped) }
    let gone = changes.removed.filter { state.item($0) != nil }
    if !gone.isEmpty {
      if engine == nil {
        // The sender clears what it has sent, perhaps before its end became known here.
        showEnds((try? keeper.store.sent(among: gone)) ?? [])
      }
      engine?.remove(gone)
      handle([.removed(gone)])
    }
    applyChanged(changes.items.filter { $0.id > floor })
    if let order = changes.order {
      handle([.reordered(order.filter { state.item($0) != nil })])
      engine?.arrange(state.waiting)
    }
  }

  /// Learns from the queue whether the user has stopped it. If that has not changed, a session held up by a full disk
  /// stays held up.
  func learn(isStopped isStoppedNow: Bool) {
    guard isStoppedNow != isStopped else { return }
    isStopped = isStoppedNow
    handle([.stopped(isStopped)])
    // A screen shows that all the time. Who only waits for the end learns it together with what is waited for.
    if let front = interface as? PlainInterface, front.isAlone, !state.isReading || front.stays {
      handle([.message(isStopped ? Self.stoppedWords : "the queue goes on")])
    }
    guard let engine else { return }
    engine.setStarted(!isStopped)
    link.tell([.settings(settings)])
  }

  /// What is said of that where there is no screen to show it.
  static let stoppedWords = "the queue is stopped; hoist queue start goes on with it"

  private func applyChanged(_ changed: [UploadItem]) {
    guard let engine else {
      if state.isAside { link.listen() }
      var coming = changed
      for index in coming.indices where isEnd(coming[index]) { coming[index].state = .waiting }
      show(coming)
      return showEnds(changed)
    }
    let news = ExternalChanges(of: changed, known: state.item)
    show(news.fresh)
    engine.pause(news.paused)
    let (sendable, shown) = jobs(news.again)
    if !shown.isEmpty || !news.edited.isEmpty { handle([.added(shown + news.edited)]) }
    engine.retry(sendable)
    engine.update(jobs(news.edited).sendable)
  }

  /// Whether an item has ended, and that is news here.
  private func isEnd(_ item: UploadItem) -> Bool {
    item.state.isFinished && state.item(item.id)?.state.isFinished != true
  }

  /// Shows what became of items about which the sender has said nothing.
  private func showEnds(_ changed: [UploadItem]) {
    let ends = changed.filter { isEnd($0) && state.item($0.id) != nil }
    guard !ends.isEmpty else { return }
    handle([.engine(ends.map { ($0.id, $0.state) }, at: time.now())])
  }
}
