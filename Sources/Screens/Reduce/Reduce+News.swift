import Scheduling
import UploadModel

/// News of the queue.
extension AppState {
  mutating func receive(_ news: QueueNews) -> [Effect] {
    let hadNotice = shownNotice != nil
    defer { if (shownNotice != nil) != hadNotice { fitLists() } }
    noteResumed(by: news)
    switch news {
    case .added(let items):
      let areNew = items.contains { queue.item($0.id) == nil }
      if areNew, !isReading, queue.totals.busy == heldBack { followAgain() }
      keepingCursor { $0.take(news) }
      if !isOver { summary = nil }
      limitScroll()
      return leaveIfDone()
    case .removed(let ids):
      let gone = Set(ids)
      let (isSorted, wasAtTheEnd) = (sortedNow != nil, isAtTheEnd)
      keepingCursor(leaving: gone) { $0.take(news) }
      noteGone(gone, wasSorted: isSorted)
      return (wasAtTheEnd ? [] : endAfterRemoval()) + leaveIfDone()
    // If this screen did the sorting, the answer changes nothing.
    case .reordered(let order) where order == self.order: break
    case .reordered: keepingCursor { $0.take(news) }
    case .changed(let changes, let now):
      return record(changes, at: now, news) + history(after: changes)
    case .joined(let changes, let now): return record(changes, at: now, news)
    case .refusal:
      let wasOver = isOver
      take(news)
      if isOver, !wasOver { sumUp() }
      return leaveIfDone()
    case .read(let hasHistory):
      if hasHistory { options.hasHistory = true }
      let wasReading = isReading
      take(news)
      // If the user has asked to quit meanwhile, the question may now be unnecessary.
      if wasReading { return mode == .quitting ? askToQuit() : leaveIfDone() }
    case .resumePoint, .resumed, .speeds, .figures, .lanes, .reachability, .pace, .run, .urls,
      .aside, .successors, .settings, .stopped, .held, .grew, .spared, .message, .notice:
      take(news)
    }
    return []
  }

  /// Notes which paused files go on, or are gone: if they are paused again later, somebody else has done that.
  private mutating func noteResumed(by news: QueueNews) {
    guard !pausedTogether.isEmpty else { return }
    func note(_ id: ItemID, _ state: ItemState) {
      if state != .paused, item(id)?.state == .paused { pausedTogether.remove(id) }
    }
    switch news {
    case .added(let items): for item in items { note(item.id, item.state) }
    case .changed(let changes, _), .joined(let changes, _):
      for (id, state) in changes { note(id, state) }
    case .removed(let ids): pausedTogether.subtract(ids)
    default: break
    }
  }

  /// Takes note of news, and logs and shows what it is worth saying.
  private mutating func take(_ news: QueueNews) {
    for remark in known.receive(news, at: now) {
      if remark.isMessage { announce(remark) }
      record(
        words(of: remark), Role(remark.tone), remark.end, of: remark.file,
        withoutTarget: remark.fileName)
    }
  }

  func words(of remark: Remark) -> String {
    remark.trouble.map { "\(remark.text) \(remedy($0, of: remark.target))" } ?? remark.text
  }

  /// What corrects refused credentials, after "until you fix that".
  func remedy(_ trouble: CredentialTrouble, of target: String) -> String {
    let edits = editing(target, with: trouble)
    return edits.isEmpty
      ? "and retry (\(keyLabel(.retry)) or \(keyLabel(.retryAll)))"
      : "(\(edits)) or retry (\(keyLabel(.retryAll)))"
  }

  /// The keys that edit a target with this trouble: "5, then e". Empty if editing does not help, or if the target is only
  /// a URL.
  func editing(_ target: String, with trouble: CredentialTrouble) -> String {
    // Nothing can be typed in place of a command that gives no token.
    if trouble == .notObtained || target.contains(scalars: "://") { return "" }
    let keys = [keyLabel(.targets), keyLabel(.edit, in: .targets)]
    return options.configuration == nil || keys.contains("")
      ? "" : keys.joined(separator: ", then ")
  }

  /// Shows a message, and logs it.
  mutating func say(_ text: String) {
    message = text
    record(text)
  }

  /// Takes note of the engine's changes.
  private mutating func record(
    _ changes: [(ItemID, ItemState)], at instant: Instant, _ news: QueueNews
  ) -> [Effect] {
    now = max(now, instant)
    // A file that is retried may have been sent before anything is told.
    let wasBusy = queue.totals.busy > 0 || changes.contains { isSending(from: $0.0, to: $0.1) }
    let wasOver = isOver
    let place = list.place(in: queue)
    let active = queue.totals.active
    take(news)
    noteSending(after: active)
    let decided = noteTaken(changes.map(\.0))
    if case .changed = news {
      noteKept(changes.filter { $0.1.isDone }.map(\.0))
      noteAnswers(changes)
    }
    if list.followsKinds { list.settle(on: place, in: queue, height: layout.rows.count) }
    limitScroll()
    let leaving = leaveIfDone()
    if !isOver { summary = nil }
    if following.isOn { follow() }
    // What is decided is about to be sent.
    guard wasBusy, isOver, decided.isEmpty else { return decided + leaving }
    // That the rest waits for credentials may be told before how the file ended that was refused.
    if isAtTheEnd || !wasOver || summary != nil { sumUp() }
    return (isAtTheEnd ? announceEnd() : []) + leaving
  }

  /// Whether a file that had failed has been sent, or has failed once more. A person's word about it does not count.
  private func isSending(from id: ItemID, to new: ItemState) -> Bool {
    guard let old = item(id)?.state, old.isFailed, new.isFinished else { return false }
    return old != new && new.receipt?.isConfirmed != true
  }

  /// If the removed files were the last that were left to send, sums up what was sent before, and announces the end. An
  /// end that was announced before is not announced again.
  mutating func endAfterRemoval() -> [Effect] {
    guard isAtTheEnd else { return [] }
    if figures.seconds > 0 { sumUp() }
    return known.hasEndToAnnounce ? announceEnd() : []
  }

  /// Notes that targets have taken files, so that the failure of an earlier test no longer holds.
  private mutating func noteAnswers(_ changes: [(ItemID, ItemState)]) {
    guard !trials.isEmpty else { return }
    for (id, state) in changes {
      guard let receipt = state.receipt, !receipt.isConfirmed, !receipt.isDoubtful,
        let name = item(id).map(targetName(of:)), case .over? = trials[name]
      else { continue }
      trials[name] = nil
    }
  }

  private mutating func announceEnd() -> [Effect] {
    known.noteEndAnnounced()
    let totals = queue.sessionTotals
    let signal: [Effect] =
      switch options.endSignal {
      case .none: []
      case .bell: [.bell]
      // If the window has the focus, the user can see the result on the screen.
      case .notify: hasFocus ? [.bell] : [.notify(totals.endWords), .bell]
      case .desktop: [.notifyDesktop(totals.endWords)]
      }
    return signal + (options.hasEndCommand ? [.runEndCommand(totals)] : [])
  }

  /// Leaves once everything that can be sent has been sent.
  mutating func leaveWhenDone() -> [Effect] {
    // If another process sends the queue, files may be waiting without being under way, and that process may resume
    // a stopped queue.
    finishing = settings.isStarted || isAside ? .queue : .underWay
    return leaveIfDone()
  }

  mutating func leaveIfDone() -> [Effect] {
    filesToFinish == 0 && !isReading ? [.quit(.idle)] : []
  }
}

extension Role {
  /// How a remark is shown.
  fileprivate init(_ tone: Remark.Tone) {
    self =
      switch tone {
      case .plain: .plain
      case .step: .dim
      case .good: .good
      case .warning: .warning
      case .bad: .bad
      }
  }
}
