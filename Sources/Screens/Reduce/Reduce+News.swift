import Scheduling
import UploadModel

/// News of the queue.
extension AppState {
  mutating func hear(_ news: QueueNews) -> [Effect] {
    switch news {
    case .added(let items): return load(items)
    case .removed(let ids):
      let known = ids.filter { queue.row($0) != nil }
      if !known.isEmpty { record("\(HumanReadable.count(known.count, "file")) removed elsewhere") }
      forget(known)
      return leaveIfDone()
    // If this screen did the sorting, the answer changes nothing.
    case .reordered(let order) where order == self.order: break
    case .reordered(let order): keepingCursor { $0.queue.arrange(order) }
    case .changed(let changes, let now): return record(changes, at: now) + history(after: changes)
    case .joined(let changes, let now): return record(changes, at: now, isNews: false)
    case .resumePoint(let id, let point): record(point, of: id)
    case .figures(let figures): self.figures = figures
    case .lanes(let count, let target): lanesFound[target] = count
    case .reachability(let server, let news): record(server, news)
    case .refusal(let target, let trouble): recordRefusal(by: target, trouble)
    case .run(let target, let news):
      let words = news.words(isLasting: true)
      if !words.isEmpty { say("\(SafeText.line(target)): \(words)") }
    case .urls(let urls): self.urls.merge(urls) { $1 }
    case .read(let hasHistory):
      if hasHistory { options.hasHistory = true }
      return finishReading()
    case .aside(let isAside): (self.isAside, queue.isAside) = (isAside, isAside)
    case .gone(let files, let bytes): queue.setGone(files: files, bytes: bytes)
    case .settings(let settings):
      if settings.limit != self.settings.limit { speeds.startOver(at: now) }
      self.settings = settings
    case .stopped(let isStopped): settings.isStarted = !isStopped
    case .held(let reason):
      settings.isStarted = false
      message = reason
      record(reason, .bad)
    case .message(let text): say(text)
    case .notice(let text):
      notice = text
      fitLists()
    }
    return []
  }

  /// Shows a message, and logs it.
  mutating func say(_ text: String) {
    message = text
    record(text)
  }

  mutating func record(_ server: String, _ news: Reachability) {
    switch news {
    case .away(let failure, let nextTry):
      let outage = Outage(failure: failure, nextTry: nextTry)
      let old = outages.updateValue(outage, forKey: server)
      if old == nil {
        record("\(server) cannot be reached: \(failure.headline)", .bad)
      } else if nextTry != nil, old?.nextTry == nil || old?.failure != failure {
        // Log every failed try, not only the first one.
        record(
          "\(server) is still unreachable: \(failure.headline), \(outage.words(at: now))", .warning)
      }
    case .back:
      if outages.removeValue(forKey: server) != nil { record("\(server) answers again", .good) }
    case .asksToWait(let failure, let until):
      let wait = Outage(failure: failure, nextTry: until)
      waits[server] = until > now ? wait : nil
      guard until > now else { return }
      record("\(server) asks to wait: \(failure.headline), \(wait.words(at: now))", .warning)
    case .unneeded: (outages[server], waits[server]) = (nil, nil)
    }
  }

  mutating func recordRefusal(by target: String, _ trouble: CredentialTrouble?) {
    let old = refusals[target]
    refusals[target] = trouble
    // What is no longer so is no longer said.
    if let old, old != trouble, message == words(of: old, of: target) { message = nil }
    guard let trouble, trouble != old else { return }
    let words = words(of: trouble, of: target)
    message = words
    record(words, trouble.holdsAll ? .bad : .warning)
  }

  private func words(of trouble: CredentialTrouble, of target: String) -> String {
    guard trouble.holdsAll else {
      return "\(trouble.story(of: target)): until it accepts one, they go one at a time"
    }
    let (one, all) = (keyLabel(.retry), keyLabel(.retryAll))
    return
      "\(trouble.story(of: target)): its files wait until you mend that and retry (\(one) or \(all))"
  }

  /// Notes that the whole queue has been read.
  mutating func finishReading() -> [Effect] {
    guard isReading else { return [] }
    isReading = false
    if queue.count > 0 {
      let files = HumanReadable.count(queue.count, "file")
      let old = queue.totals.failed + queue.totals.unknown
      record("\(files) in the queue" + (old > 0 ? ", \(old) of them failed or unknown" : ""))
    }
    // If the user has asked to quit meanwhile, the question may now be unnecessary.
    return mode == .quitting ? askToQuit() : leaveIfDone()
  }

  /// Adds or replaces items.
  mutating func load(_ items: [UploadItem]) -> [Effect] {
    let fresh = items.count { queue.row($0.id) == nil }
    // Failures from earlier sessions, which come while the queue is being read, are not logged.
    let failed = items.filter {
      !isReading && $0.state.failure != nil && item($0.id)?.state != $0.state
    }
    keepingCursor { $0.queue.append(items) }
    if queue.totals.busy > 0 { summary = nil }
    if fresh > 0, !isReading { record("\(HumanReadable.count(fresh, "file")) added") }
    for item in failed { record(item, became: item.state) }
    limitScroll()
    return leaveIfDone()
  }

  /// Records the engine's changes, in order. Those that are not news happened earlier and do not count towards the
  /// speeds.
  mutating func record(
    _ changes: [(ItemID, ItemState)], at instant: Instant, isNews: Bool = true
  ) -> [Effect] {
    now = max(now, instant)
    let wasBusy = queue.totals.busy > 0
    let place = list.place(in: queue)
    for (id, new) in changes {
      guard let item = queue.change(id, to: new, at: now) else { continue }
      speeds.record(item, from: isNews ? item.state : new, to: new, at: now)
      if item.state.isPhase(of: new) { continue }
      record(item, became: new)
    }
    let decided = noteTaken(changes.map(\.0))
    speeds.settle(isBusy: queue.totals.busy > 0, at: now)
    if list.followsKinds { list.settle(on: place, in: queue, height: layout.rows.count) }
    limitScroll()
    let leaving = leaveIfDone()
    if queue.totals.busy > 0 { summary = nil }
    if following.isOn { follow() }
    // What is decided is about to be sent.
    guard wasBusy, isAtTheEnd, decided.isEmpty else { return decided + leaving }
    sumUp()
    return tellOfTheEnd() + leaving
  }

  /// Whether nothing is left to be sent. Paused items count as left, since they will be resumed one day. While the
  /// queue is being read, more items may come.
  var isAtTheEnd: Bool { queue.totals.busy + queue.totals.paused == 0 && !isReading }

  private func tellOfTheEnd() -> [Effect] {
    let totals = queue.totals
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

extension ItemState {
  /// Whether `new` is the same step of the same attempt, only further on.
  fileprivate func isPhase(of new: ItemState) -> Bool {
    switch (self, new) {
    case (.preparing, .preparing), (.sending, .sending), (.awaitingReply, .awaitingReply),
      (.processing, .processing):
      true
    default: self == new
    }
  }
}
