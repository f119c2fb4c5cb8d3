import UploadModel

/// What is known of a queue: its items, how fast they move, and what holds them up. Everything that shows a queue, a
/// screen or lines of text, has one of these, and derives nothing by itself.
///
/// It changes through `QueueNews`, which a person's edits anticipate. It reads no clock.
package struct QueueState: Sendable {
  /// For how many seconds something that has happened is news.
  private static let news = 5.0

  package var items = ItemList()
  package var speeds = Speeds()
  /// The settings for everything that is sent.
  package var settings = SenderSettings()
  /// The URLs of targets by their names, as far as they are needed.
  package var urls: [String: String] = [:]
  /// The target that is chosen for files added from now on; nil if there is no such choice.
  package var chosenTarget: String?
  /// Whether the queue is still being read: more items may come, and it cannot be edited yet.
  package var isReading: Bool
  /// The last item that was in the queue before this process: it may have been tried then.
  package private(set) var lastFromBefore = ItemID(0)
  /// A line that stays, such as which process sends the queue.
  package var notice: String?
  /// Whether that line says why nothing moves.
  package private(set) var isNoticeWarning = false
  /// Whether another process sends the queue.
  package private(set) var isAside = false
  /// How many other processes look on while this one sends, one of which would send the queue as soon as this one left.
  package private(set) var successors = 0
  /// What was sent so far, as the sender has last told.
  package private(set) var figures = SendingFigures()
  /// How many requests at once hoist has found to be best, by target.
  package private(set) var lanesFound: [String: Int] = [:]
  /// Why that is fewer than before, by target, if it is for what the server answered.
  package private(set) var laneFalls: [String: LaneFall] = [:]
  /// Servers that cannot be reached, by their addresses.
  package private(set) var outages: [String: Outage] = [:]
  /// Servers that have asked to wait, by their addresses. The waits may be over.
  package private(set) var waits: [String: Outage] = [:]
  /// When the next files of targets can begin whose servers have refused more requests, by the targets' names. The
  /// moments may be over.
  package private(set) var paces: [String: Instant] = [:]
  /// Why targets' files wait for credentials, by the targets' names.
  package private(set) var refusals: [String: CredentialTrouble] = [:]
  /// Whether files have ended since an end was announced, other than by a person's word.
  package private(set) var hasEndToAnnounce = false

  package init(isReading: Bool = false, notice: String? = nil) {
    (self.isReading, self.notice) = (isReading, notice)
  }

  /// A server that is not sent anything at present.
  package struct Outage: Hashable, Sendable {
    package var failure: Failure
    /// When it is tried next; `nil` while it is being tried.
    package var nextTry: Instant?
    /// The target whose file the server answered with the failure, if that is known.
    package var target: String?
    /// The server's address.
    package var server = ""

    /// The time until the next try, in words.
    package func words(at now: Instant) -> String { Self.words(until: nextTry, at: now) }

    package static func words(until nextTry: Instant?, at now: Instant) -> String {
      guard let nextTry, nextTry > now else { return "trying now" }
      return "next try in \(HumanReadable.seconds((nextTry - now).rounded(.up)))"
    }
  }

  /// What an item is called where its row is not seen: by its name, and by its target if that is not the chosen one, or
  /// if there have been several. Lines are read long after the queue has changed, so what else is in it now does not
  /// matter.
  package func label(of item: UploadItem) -> String {
    let isElsewhere = chosenTarget.map { $0 != item.target } ?? false
    return (isElsewhere || items.hasHadSeveralTargets) && !item.target.isEmpty
      ? "\(item.fileName) → \(item.target)" : item.fileName
  }

  /// Whether nothing is left to be sent. Paused items count as left, since they will be resumed one day. While the
  /// queue is being read, more items may come.
  package var isAtTheEnd: Bool { items.totals.busy + items.totals.paused == 0 && !isReading }

  /// Notes that the end of what was sent has been announced, so that later removals do not announce it again.
  package mutating func noteEndAnnounced() { hasEndToAnnounce = false }

  /// How many files wait for credentials: nothing goes to their targets until a person acts. Files without the name of
  /// a target go to the `usual` one.
  package func countHeldBack(_ usual: String) -> Int {
    refusals.reduce(0) { count, refusal in
      guard refusal.value.holdsAll else { return count }
      let names = refusal.key == usual ? [usual, ""] : [refusal.key]
      return count + names.reduce(0) { $0 + items.idle(for: $1) }
    }
  }

  /// Whether files are left to send, and all of them wait for credentials.
  package func isHeldBackByCredentials(_ usual: String) -> Bool {
    let totals = items.totals
    return totals.busy > 0 && totals.active == 0 && countHeldBack(usual) == totals.busy
  }

  /// Takes note of news, and returns what it is worth saying.
  package mutating func receive(_ news: QueueNews, at now: Instant) -> [Remark] {
    switch news {
    case .added(let items): return add(items, at: now)
    case .removed(let ids):
      let known = Set(ids.filter { items.row($0) != nil })
      forget(known)
      return known.isEmpty
        ? [] : [Remark("\(HumanReadable.count(known.count, "file")) removed elsewhere")]
    case .reordered(let order): items.arrange(order)
    case .changed(let changes, let now): return record(changes, at: now)
    case .joined(let changes, let now): return record(changes, at: now, isNews: false)
    case .resumePoint(let id, let point):
      guard let item = items.setResumePoint(id, point), let point, point.isAtStart,
        let words = point.words
      else { return [] }
      return [Remark("\(label(of: item)): \(words)")]
    case .resumed(let id, let start): speeds.noteStart(of: id, at: start)
    case .speeds(let speeds): self.speeds = speeds
    case .figures(let figures): self.figures = figures
    case .lanes(let count, let target, let fall):
      lanesFound[target] = count
      let old = laneFalls[target]
      laneFalls[target] = fall
      // A window that is opened later is told of it, too, but for that window it is no news.
      guard let fall, fall.since != old?.since, now - fall.since < Self.news else { return [] }
      return [
        Remark(
          "\(target) gets fewer requests at once for now, \(count) instead of \(fall.before): "
            + fall.why, .warning)
      ]
    case .reachability(let server, let news): return record(server, news, at: now)
    case .refusal(let target, let trouble):
      let old = refusals[target]
      refusals[target] = trouble
      guard let trouble, trouble != old, holdsUp(trouble, target) else { return [] }
      return [Remark(trouble, of: target)]
    case .pace(let target, let until): return record(target, pacedUntil: until, at: now)
    case .run(let target, let news):
      let words = news.words(isLasting: true)
      return words.isEmpty ? [] : [Remark("\(SafeText.line(target)): \(words)", isMessage: true)]
    case .urls(let urls): self.urls.merge(urls) { $1 }
    case .read: return finishReading()
    case .aside(let isAside): self.isAside = isAside
    case .successors(let count): successors = count
    case .settings(let settings):
      if settings.limit != self.settings.limit { speeds.startOver(at: now) }
      self.settings = settings
    case .stopped(let isStopped): settings.isStarted = !isStopped
    case .held(let reason):
      settings.isStarted = false
      return [Remark(reason, .bad, isMessage: true)]
    case .grew(let item): return [Remark(grew: label(of: item))]
    case .spared(let items): return [Remark(spared: items)]
    case .message(let text): return [Remark(text, isMessage: true)]
    case .notice(let text, let isWarning): (notice, isNoticeWarning) = (text, isWarning)
    }
    return []
  }

  /// Whether a remark is still so, if it is about something that ends: why files of a target wait, or which files are
  /// left to finish.
  package func holds(_ remark: Remark) -> Bool {
    let name = remark.target
    if !name.isEmpty { return refusals[name].map { Remark($0, of: name) } == remark }
    return remark.spared.isEmpty
      || remark.spared.contains { items.item($0)?.state.isActive == true }
  }

  /// Forgets items that are gone, no matter how they were removed.
  package mutating func forget(_ gone: Set<ItemID>) {
    guard !gone.isEmpty else { return }
    items.remove(gone)
    speeds.forget(gone)
  }

  private mutating func add(_ added: [UploadItem], at now: Instant) -> [Remark] {
    if isReading, let last = added.map(\.id).max() {
      lastFromBefore = max(lastFromBefore, last)
    }
    let back = added.count { items.removed[$0.id] != nil }
    let fresh = added.count { items.row($0.id) == nil } - back
    // Failures from earlier sessions, which come while the queue is being read, are no news.
    let failed = added.filter {
      !isReading && $0.state.failure != nil && items.item($0.id)?.state != $0.state
    }
    let paused = added.filter { new in
      !isReading && new.state == .paused
        && items.item(new.id).map { $0.state != .paused } == true
    }
    items.append(added)
    let counts = [(fresh, "added"), (back, "back in the queue")]
      .filter { $0.0 > 0 && !isReading }
      .map { Remark("\(HumanReadable.count($0, "file")) \($1)") }
    return counts
      + failed.compactMap { Remark($0, called: label(of: $0), became: $0.state, at: now) }
      + [Remark(paused: paused.map(label))].compactMap(\.self)
  }

  /// Records the engine's changes, in order. Those that are not news happened earlier and do not count towards the
  /// speeds.
  private mutating func record(
    _ changes: [(ItemID, ItemState)], at now: Instant, isNews: Bool = true
  ) -> [Remark] {
    var remarks: [Remark] = []
    var paused: [UploadItem] = []
    for (id, new) in changes {
      guard let item = items.change(id, to: new, at: now, isNews: isNews) else { continue }
      if new.isFinished, new.receipt?.isConfirmed != true { hasEndToAnnounce = true }
      if isNews, new == .paused, item.state != .paused { paused.append(item) }
      speeds.record(item, from: isNews ? item.state : new, to: new, at: now)
      if isNews, !item.state.isPhase(of: new),
        let remark = Remark(item, called: label(of: item), became: new, at: now)
      {
        remarks.append(remark)
      }
    }
    // Until the queue has been read, the items that are being sent may not be in the list yet.
    speeds.settle(isBusy: items.totals.busy > 0 || isReading, at: now)
    return remarks + [Remark(paused: paused.map(label))].compactMap(\.self)
  }

  private mutating func record(
    _ server: String, _ news: Reachability, at now: Instant
  ) -> [Remark] {
    switch news {
    case .away(let failure, let nextTry):
      let outage = Outage(failure: failure, nextTry: nextTry)
      let old = outages.updateValue(outage, forKey: server)
      if old == nil {
        return [Remark("\(server) cannot be reached: \(failure.headline)", .bad)]
      }
      // Every failed try is worth a line, not only the first one.
      guard nextTry != nil, old?.nextTry == nil || old?.failure != failure else { return [] }
      return [
        Remark(
          "\(server) is still unreachable: \(failure.headline), \(outage.words(at: now))", .warning)
      ]
    case .back:
      return outages.removeValue(forKey: server) == nil
        ? [] : [Remark("\(server) answers again", .good)]
    case .asksToWait(let failure, let until, let id):
      let item = id.flatMap(items.item)
      let wait = Outage(failure: failure, nextTry: until, target: item?.target, server: server)
      waits[server] = until > now ? wait : nil
      guard until > now else { return [] }
      let file = item.map { " for \($0.fileName) → \($0.target)" } ?? ""
      return [
        Remark(
          "\(server) asks to wait: \(failure.headline)\(file), \(wait.words(at: now)); "
            + "until then, nothing goes to this server", .warning)
      ]
    case .unneeded: (outages[server], waits[server]) = (nil, nil)
    }
    return []
  }

  /// Only the first hold of a target is worth saying: from then on, its files go more slowly.
  private mutating func record(
    _ target: String, pacedUntil until: Instant?, at now: Instant
  ) -> [Remark] {
    // One that is over, as a window that opens later is told, was not said here.
    guard let until, now < until else {
      if paces[target] != nil { paces[target] = until ?? now }
      return []
    }
    guard paces.updateValue(until, forKey: target) == nil else { return [] }
    let words = "\(target) takes no more requests for now, so its files go more slowly"
    return [Remark("\(words): \(Outage.words(until: until, at: now))", .warning)]
  }

  /// Whether a trouble with a target's credentials is worth saying. It is not if no file is left that it holds up, unless
  /// a file has just met with it. While the queue is being read, more may come.
  private func holdsUp(_ trouble: CredentialTrouble, _ target: String) -> Bool {
    // Files without the name of a target go to the usual one.
    trouble.holdsAll && !isAside || !isReading && (items.isBusy(target) || items.isBusy(""))
  }

  /// Notes that the whole queue has been read.
  private mutating func finishReading() -> [Remark] {
    guard isReading else { return [] }
    isReading = false
    // What a window finds that looks on may be of the sender's session.
    if !isAside { items.noteDoubtfulBefore() }
    guard items.count > 0 else { return [] }
    let old = items.totals.failed + items.totals.unknown
    return [
      Remark(
        "\(HumanReadable.count(items.count, "file")) in the queue"
          + (old > 0 ? ", \(old) of them failed or unknown" : ""))
    ]
      // The others were said at once.
      + refusals.sorted { $0.key < $1.key }.filter {
        !($0.value.holdsAll && !isAside) && holdsUp($0.value, $0.key)
      }
      .map { Remark($0.value, of: $0.key) }
  }
}

extension Remark {
  /// Why the files of a target wait.
  package init(_ trouble: CredentialTrouble, of target: String) {
    if trouble.holdsAll {
      self.init(
        "\(trouble.story(of: target)): nothing goes there until you fix that", .bad,
        isMessage: true, correcting: trouble)
    } else {
      self.init(
        "\(trouble.story(of: target)): until it accepts one, they go one at a time", .warning,
        isMessage: true)
    }
    self.target = target
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
