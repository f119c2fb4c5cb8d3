import ScalarText
import Scheduling
import UploadModel

/// The label for the state of a row's item: a sign, a role, and words, from the fullest to the shortest. Different
/// states never share their words, and 100 % alone never means "done".
struct StateLabel {
  private let sign: Unicode.Scalar
  let role: Role
  let forms: [String]
  /// The server's message about a file, and what comes before it: even if cut, it says more than the other forms.
  private var said: (start: String, words: String)?

  /// Why an item waits instead of being sent.
  enum WaitReason {
    /// Its server cannot be reached.
    case noServer(AppState.Outage)
    /// Its server has asked to wait.
    case asked(AppState.Outage)
    /// Its target's server takes no more requests before this moment.
    case paced(until: Instant)
    /// Its target has no credentials that the server accepts.
    case credentials(CredentialTrouble)
    /// The user has stopped the queue; with the key that resumes it.
    case stopped(key: String)
    /// The target's server answered 403 to several files in a row.
    case oneAtATime
    /// The target's limit of files sent at once has been reached.
    case lanesInUse(Int)

    /// Whether the wait is for the server, so that the user can have the item tried at once.
    var isOfTheServer: Bool {
      switch self {
      case .noServer, .asked, .paced, .credentials: true
      case .stopped, .oneAtATime, .lanesInUse: false
      }
    }
  }

  private init(_ sign: Unicode.Scalar, _ role: Role, _ forms: String?...) {
    (self.sign, self.role) = (sign, role)
    self.forms = forms.compactMap(\.self)
  }

  /// The words for a row. `isPlain` leaves out its ETA and the server's message.
  init(of row: ItemList.Row, in state: AppState, isPlain: Bool = false) {
    let (item, now) = (row.item, state.now)
    let obstacle = state.obstacle(for: item)
    let copy = item.state == .waiting ? state.copyNumber(of: item) : 1
    switch (item.state, obstacle) {
    case (.waiting, _) where item.wasInterrupted:
      let next = item.canGoOn ? "resumes where it left off" : "starts again"
      self.init("·", .warning, "interrupted · \(next)", "interrupted")
    case (.waiting, _) where copy > 1 && obstacle?.isOfTheServer != true:
      let sign = Unicode.Scalar(UInt8(ascii: "0") + UInt8(min(copy, 9)))
      self.init(sign, .warning, "waiting · copy \(copy)", "copy \(copy)")
    case (.waiting, .noServer(let outage)?): self.init(outage, now: now)
    case (.waiting, .asked(let wait)?):
      let why = wait.failure.status.map(String.init) ?? wait.failure.headline
      let next = Self.next(wait.nextTry, at: now, of: row)
      // What the server answered to another target is not this one's.
      let host = AppState.host(of: wait.server) ?? "the server"
      if let asker = state.asker(of: wait, besides: state.targetName(of: item)) {
        self.init(
          "·", .warning, "waiting for \(host) · it answered \(why) to \(asker) · \(next)",
          "waiting for \(host) · \(next)", "waiting for \(asker) · \(next)",
          "waiting · \(next)", next)
      } else {
        self.init(
          "·", .warning, "waiting · the server asked for it (\(why)) · \(next)",
          "waiting · \(why) · \(next)", "\(why) · \(next)", next)
      }
    case (.waiting, .paced(let until)?):
      let why = "too many requests"
      let next = Self.next(until, at: now, of: row)
      let soon = HumanReadable.seconds(max(0, until - now).rounded(.up))
      self.init(
        "·", .warning, "waiting · \(why) for the server · \(next)",
        "waiting · \(why) · \(next)",
        "\(why) · \(next)", "\(why) · \(soon)", "too many · \(soon)", soon)
    case (.waiting, .credentials(let trouble)?):
      self.init("·", .warning, "waiting · \(trouble.words)", trouble.words, "denied")
    case (.waiting, .stopped(let key)?):
      self.init("·", .warning, "waiting · stopped, \(key) resumes", "waiting · stopped", "stopped")
    case (.waiting, .oneAtATime?):
      let words = CredentialTrouble.forbidden.words
      self.init("·", .warning, "waiting · \(words)", words, "waiting")
    case (.waiting, .lanesInUse(let count)?):
      self.init(
        "·", .dim, item.note.map { "waiting · \($0)" },
        "waiting for a lane · \(HumanReadable.grouped(count)) in use", "waiting")
    case (.waiting, nil):
      let note = item.note.map { " · \($0)" } ?? ""
      self.init("·", .dim, "waiting\(note)", "waiting")
    case (.preparing(let attempt), _):
      let sign: Unicode.Scalar = state.isASCII ? ":" : "·"
      self.init(sign, .accent, "preparing\(Self.again(attempt))", "preparing")
    case (.sending(let attempt, let sent, _), _):
      let resumed =
        !isPlain && Self.hasJustResumed(item, in: state) ? state.resumption(of: item) : nil
      guard let speed = state.speeds.speed(of: item.id, at: now).map(HumanReadable.speed) else {
        self.init("↑", .accent, resumed, "sending\(Self.again(attempt)) —", "sending —")
        return
      }
      let left = max(0, item.sentSize - sent)
      let seconds =
        isPlain
        ? nil
        : state.speeds.eta(
          of: item.id, remaining: left, of: state.queue.totals,
          isStarted: state.settings.isStarted, limit: state.settings.limit, at: now)
      let eta = seconds.map(HumanReadable.timeLeft) ?? "—"
      self.init(
        "↑", .accent, resumed.map { "\($0) · \(speed) \(eta)" },
        "sending\(Self.again(attempt)) \(speed) \(eta)",
        "sending \(speed) \(eta)", "\(speed) \(eta)", "sending \(speed)", speed)
    case (.awaitingReply(_, let since), _):
      // Whole seconds, since this is a running count, not a measurement.
      let seconds = HumanReadable.seconds(max(0, now - since).rounded(.down))
      self.init("…", .accent, "awaiting reply \(seconds)", "awaiting reply", "awaiting")
    case (.processing(let processing), _):
      guard let trouble = processing.trouble else {
        self.init("…", .accent, processing.words, "processing")
        return
      }
      let status = trouble.split(scalar: " ", maxSplits: 1).first ?? ""
      self.init(
        "…", .warning, processing.words, "processing · \(trouble)", "processing · \(status)",
        "processing")
    case (.retrying(let failure, let next, let limit, let end), _):
      // Another file may have been told to wait longer, for the same server.
      let wait = state.wait(at: state.url(ofTarget: state.targetName(of: item)))?.nextTry
      let instant = max(end, wait ?? end)
      let seconds = HumanReadable.seconds(max(0, instant - now).rounded(.up))
      let cause = failure.status.map(String.init) ?? failure.headline
      let tries = ItemState.attempt(next, of: limit, signs: "/")
      let retry = "retry \(tries) in \(seconds)"
      self.init(
        "↻", .warning, "\(cause) · \(retry)", "\(cause) · \(tries) in \(seconds)",
        "\(cause) · in \(seconds)", retry, "retry in \(seconds)")
    case (.paused, _) where item.canGoOn:
      self.init("‖", .warning, "paused · resumes where it left off", "paused")
    case (.paused, _):
      let hasBegun = row.reached > 0 || item.wasInterrupted
      self.init("‖", .warning, hasBegun ? "paused · starts again from 0" : nil, "paused")
    case (.done(let receipt), _) where receipt.doubt == nil && receipt.growth != nil:
      self.init("!", .warning, receipt.words, "done \(receipt.status), has grown", "has grown")
    case (.done(let receipt), _) where receipt.skipped != nil:
      self.init("·", .warning, receipt.words, "name taken, skipped", "skipped")
    case (.done(let receipt), _) where receipt.isConfirmed:
      self.init("✓", .good, receipt.words, "confirmed by hand", "by hand")
    case (.done(let receipt), _) where receipt.wasThere:
      self.init("✓", .good, receipt.words, receipt.proof, "there")
    case (.done(let receipt), _) where receipt.doubt.map(Receipt.isBreak) == true:
      self.init(
        "!", .warning, receipt.words, "\(receipt.status), but the reply broke off",
        "\(receipt.status), reply broke off", "doubtful")
    case (.done(let receipt), _) where receipt.doubt != nil:
      let start = "\(receipt.status), but the reply says: "
      self.init("!", .warning, receipt.words, "done \(receipt.status), doubtful", "doubtful")
      said = receipt.doubt.map { (start, $0) }
    case (.done(let receipt), _):
      self.init("✓", .good, "done \(receipt.words)", receipt.proof, "done \(receipt.status)")
    case (.failed(let failure), _) where state.recordAtFailure(of: row) != nil:
      // The reason is of what is not sent any more, so it comes last.
      let key = state.keyLabel(.retry)
      let changed = "changed" + (key.isEmpty ? "" : ", \(key) sends it")
      let brief = failure.status.map(String.init) ?? failure.headline
      let mayHaveArrived = failure.mayHaveArrived ? "may have arrived before" : nil
      self.init(
        failure.mayHaveArrived ? "?" : "✗", .warning,
        "\(changed) · \(mayHaveArrived ?? "failed before: \(failure.headline)")",
        "\(changed) · \(mayHaveArrived ?? "before: \(brief)")", changed, "changed")
    case (.failed(let failure), _): self.init(failure, said: isPlain ? nil : row.said)
    }
  }

  /// Why an item waits for its server, and for how long.
  private init(_ outage: AppState.Outage, now: Instant) {
    let (why, next) = (outage.failure.absence, outage.words(at: now))
    let (soon, soonest) =
      outage.nextTry.map { instant in
        let seconds = HumanReadable.seconds(max(0, instant - now).rounded(.up))
        return ("try in \(seconds)", seconds)
      } ?? (next, "now")
    self.init(
      "·", .warning, "no server: \(why) · \(next)", "\(why) · \(next)", "\(why) · \(soon)",
      "\(why) · \(soonest)", why, "no server")
  }

  private init(_ failure: Failure, said: String?) {
    switch failure.cause {
    case .outcomeUnknown:
      let start = "\(failure.headline) · "
      let why = failure.doubt
      self.init(
        "?", .warning, start + why, failure.status.map { "\(start)\($0)" }, failure.headline,
        failure.status.map { "\($0) · unknown" } ?? "unknown")
      self.said = (start, why)
    case _ where failure.arrival == .unclear:
      let status = failure.status.map(String.init) ?? failure.headline
      let start = "may have arrived · \(status) · "
      self.init(
        "?", .warning, said.map { start + $0 }, "may have arrived · \(failure.headline)",
        "may have arrived · \(status)", "\(status) · unknown")
      if let said { self.said = (start, said) }
    case .cancelled: self.init("✗", .warning, failure.headline)
    case .notTried(let why):
      self.init("✗", .warning, "\(failure.headline) · \(why)", failure.headline)
    default:
      // The shortest form is just the status, unless the failure has another reason.
      let status = failure.cause == .refused ? failure.status : nil
      // The sign says that it failed, so that the room is for the reason. Which folder cannot be made says more than the
      // status.
      let number = if case .noFolder = failure.cause { Int?.none } else { failure.status }
      let short = number.map { "\($0) · " }
      self.init(
        "✗", .bad, said.map { "failed: \(failure.headline) · \($0)" },
        said.flatMap { said in number.map { "failed: \($0) · \(said)" } },
        said.flatMap { said in short.map { $0 + said } },
        "failed: \(failure.headline)",
        failure.headline, status.map { "failed: \($0)" } ?? failure.headline)
      if let said, let short { self.said = (short, said) }
    }
  }

  func sign(ascii: Bool) -> Glyph { Glyph(sign: sign, ascii: ascii) }

  /// The fullest form that fits in `width` columns; the shortest if none does.
  func fitting(_ width: Int, ascii: Bool) -> [Glyph] {
    for form in forms {
      // Only forms with the server's whole message are better than the message cut short.
      if let said, width >= said.start.count + 8, !form.hasSuffix(scalars: said.words) {
        let cut = said.start + said.words
        return TextFitting.beginning(
          of: Glyphs.of(cut, ascii: ascii), to: width, ascii: ascii)
      }
      let glyphs = Glyphs.of(form, ascii: ascii)
      if Glyphs.width(glyphs) <= width { return glyphs }
    }
    return TextFitting.end(Glyphs.of(forms.last ?? "", ascii: ascii), to: width, ascii: ascii)
  }

  /// The label in two lines of `width` columns if it is a failure whose reason does not fit in one; otherwise one line.
  func wrapped(to width: Int, ascii: Bool) -> [[Glyph]] {
    let line = fitting(width, ascii: ascii)
    guard let said else { return [line] }
    let whole = Glyphs.of(said.start + said.words, ascii: ascii)
    guard Glyphs.width(whole) > width else { return [line] }
    return TextFitting.wrapped(whole, to: width, lines: 2, ascii: ascii).map { Array($0) }
  }

  /// "next try in 8 s", or with the number of that try if there were others: "retry 2 in 8 s".
  private static func next(_ instant: Instant?, at now: Instant, of row: ItemList.Row) -> String {
    let tries = tries(of: row)
    guard tries > 0, let instant, instant > now else {
      return AppState.Outage.words(until: instant, at: now)
    }
    return "retry \(tries + 1) in \(HumanReadable.seconds((instant - now).rounded(.up)))"
  }

  /// How many tries at a waiting file have failed.
  private static func tries(of row: ItemList.Row) -> Int {
    row.attempts.last.map { $0.isGood ? 0 : $0.number } ?? 0
  }

  /// Whether an upload has gone on where it was left so shortly ago that its row says so.
  private static func hasJustResumed(_ item: UploadItem, in state: AppState) -> Bool {
    guard state.resumption(of: item) != nil, let begun = state.speeds.beginning(of: item.id)
    else { return false }
    return state.now - begun < AppState.messageTime
  }

  private static func again(_ attempt: Int) -> String { attempt > 1 ? " (try \(attempt))" : "" }
}

extension AppState {
  /// "resumed at 61%": where the attempt that is under way has gone on; nil if it began at the first byte.
  func resumption(of item: UploadItem) -> String? {
    speeds.start(of: item.id).map { "resumed at \(HumanReadable.percent($0, of: item.sentSize))%" }
  }
}
