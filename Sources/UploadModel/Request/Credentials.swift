/// Decides whether a target's uploads may start with the credentials that they have, so that 500 files
/// do not learn one by one that a token has expired.
///
/// ```
///             a start, and no token yet             the token has come
///   open ───────────────────────────────► renewing ──────────────────► open, or half-open
///    ▲ │ │         refused, and the token           │
///    │ │ │         is not a new one                 │ the command failed
///    │ │ │ 401 that a new token                     ▼
///    │ │ └─ cannot remedy ────────────────────► closed ── the user tries again ──► half-open
///    │ │                                            ▲                                  │ │
///    │ └─ three files in a row 403 ─► half-open     └────────────── 401 ───────────────┘ │
///    │                                     │                                             │
///    └─────────────────────────────────────┴──────────────── taken ──────────────────────┘
/// ```
///
/// A 401 is about the credentials. It closes them if the server has accepted nothing with them yet, or if it is the
/// third in a row. A 403 is about its own file and closes nothing. After three files in a row, one upload at a time goes
/// until one is accepted, so that a server that forbids everything is asked once at a time.
package struct Credentials: Hashable, Sendable {
  /// How many replies in a row, all 401, or how many different files in a row, all refused with 403, make an acceptance
  /// before them count no more.
  static let refusedInARow = 3

  /// Why only one upload at a time goes.
  private enum Doubt: Hashable, Sendable {
    /// The credentials were refused, and the user tries them again.
    case refused
    /// The server answered 403 to several uploads in a row, or to the one that tried the credentials again.
    case forbidden
  }

  private enum State: Hashable, Sendable {
    /// Every upload may start. Goes to `renewing` when a token is missing or refused, to `closed` on a 401 that a new
    /// token cannot remedy, and to `halfOpen` after several 403 in a row.
    case open
    /// The token command runs. Goes to `open` or `halfOpen` if it gives a token, and to `closed` if it does not.
    case renewing(Doubt?)
    /// The credentials were refused, or the token command failed. Goes to `halfOpen` when the user tries again, and to
    /// `open` when an upload that was under way is taken after all.
    case closed
    /// One upload at a time may start. Goes to `open` when it is taken, and to `closed` or `renewing` on a 401.
    case halfOpen(Doubt, isProbing: Bool)
  }

  private var state = State.open
  private let hasCommand: Bool
  /// Whether there is a token, or none is needed.
  private var hasToken: Bool
  /// The number of the token in force; uploads that were sent with an older token prove nothing.
  package private(set) var token = 0
  /// Whether the server has accepted an upload.
  private var isProven = false
  /// Whether the token was renewed after a refusal, and no upload has been accepted with it yet.
  private var isFresh = false
  /// How many 401 replies have come since the last acceptance.
  private var refusals = 0
  /// The files that 403 replies have been about since then. More than are needed are not kept.
  private var forbidden: Set<ItemID> = []

  /// Open credentials. If a command gives the token, the command must run before the first upload.
  package init(hasCommand: Bool) {
    self.hasCommand = hasCommand
    hasToken = !hasCommand
  }

  /// Whether nothing starts until the user retries.
  package var isClosed: Bool { state == .closed }

  /// Whether one upload at a time goes because the server answered 403 to several.
  package var isForbidden: Bool { doubt == .forbidden }

  /// Whether one upload at a time goes, now or as soon as there is a token.
  package var isProbed: Bool { doubt != nil }

  private var doubt: Doubt? {
    switch state {
    case .halfOpen(let doubt, _): doubt
    case .renewing(let doubt): doubt
    case .open, .closed: nil
    }
  }

  package enum Permission: Hashable, Sendable {
    case go
    /// Start, as the only upload: the result decides for all.
    case probe
    case wait
    /// Wait, and run the command.
    case renew
  }

  package var permission: Permission {
    switch state {
    case .open: hasToken ? .go : .renew
    case .halfOpen(_, isProbing: false): hasToken ? .probe : .renew
    case .renewing, .closed, .halfOpen: .wait
    }
  }

  /// Records that an upload that was permitted to start has started.
  package mutating func recordStarted() {
    if case .halfOpen(let doubt, isProbing: false) = state {
      state = .halfOpen(doubt, isProbing: true)
    }
  }

  package mutating func recordRenewing() { state = .renewing(doubt) }

  /// Records that the probe ended without a verdict on the credentials, so that another probe may follow.
  package mutating func recordUnanswered() {
    if case .halfOpen(let doubt, isProbing: true) = state {
      state = .halfOpen(doubt, isProbing: false)
    }
  }

  /// Closes the credentials again if they were refused, since the upload that was chosen as the probe is gone.
  package mutating func recordGivenUp() {
    if case .halfOpen(.refused, _) = state { state = .closed }
  }

  /// What a refusal means.
  package enum Consequence: Hashable, Sendable {
    /// The refusal concerns this upload alone.
    case stands
    /// The upload is sent again with a newer token.
    case again
    /// The upload is sent again after the command has run.
    case renew
    /// The refusal stands, and nothing more starts.
    case close
  }

  /// Records that the server answered 401 or 403 to an upload that was sent with this token. `file` is its first file.
  /// `isSecondTime` says whether the same upload was already sent again for this reason.
  package mutating func recordRefused(
    _ file: ItemID, status: Int, with token: Int, isSecondTime: Bool
  ) -> Consequence {
    if hasCommand, token != self.token || isRenewing { return .again }
    if isClosed { return .stands }
    if status == 401 {
      refusals += 1
    } else if forbidden.count < Self.refusedInARow {
      forbidden.insert(file)
    }
    // Other uploads were accepted with the same token, so a new one would not help.
    let isAboutUpload = isSecondTime && isProven
    if hasCommand, !isFresh, !isAboutUpload {
      state = .renewing(doubt)
      return .renew
    }
    return status == 401 ? recordUnauthorized() : recordForbidden()
  }

  private mutating func recordUnauthorized() -> Consequence {
    if isProven, refusals < Self.refusedInARow { return .stands }
    state = .closed
    return .close
  }

  private mutating func recordForbidden() -> Consequence {
    switch state {
    case .open where forbidden.count >= Self.refusedInARow:
      state = .halfOpen(.forbidden, isProbing: false)
    case .halfOpen(.refused, let isProbing): state = .halfOpen(.forbidden, isProbing: isProbing)
    case .open, .halfOpen, .renewing, .closed: break
    }
    return .stands
  }

  private var isRenewing: Bool { if case .renewing = state { true } else { false } }

  /// Records that the server accepted an upload that was sent with this token.
  package mutating func recordAccepted(with token: Int) {
    isProven = true
    guard token == self.token else { return }
    isFresh = false
    (refusals, forbidden) = (0, [])
    switch state {
    case .closed, .halfOpen: if hasToken { state = .open }
    case .open, .renewing: break
    }
  }

  /// Records that a token was obtained. Unless it is new, printed by the command just now, other uploads have used
  /// it, and it may have expired.
  package mutating func recordRenewed(isNew: Bool = true) {
    // The very first token does not follow a refusal.
    isFresh = hasToken && isNew
    hasToken = true
    token += 1
    state = doubt.map { .halfOpen($0, isProbing: false) } ?? .open
  }

  /// Records that the command failed. Nothing starts until the user retries.
  package mutating func recordRenewalFailure() {
    state = .closed
    hasToken = false
  }

  /// Records that another process has found them to be refused. Nothing starts until the user retries.
  package mutating func recordKnownRefused() { state = .closed }

  /// Lets one upload probe the credentials, since the user retries. If a command gives the token, the probe gets a new
  /// one.
  package mutating func tryAgain() {
    guard isClosed else { return }
    state = .halfOpen(.refused, isProbing: false)
    hasToken = !hasCommand
    (isProven, isFresh, refusals, forbidden) = (false, false, 0, [])
  }
}

/// Where an upload goes, and with which credentials: those of the target, which are only for its own origin.
package struct Route: Hashable, Sendable {
  /// The target's name.
  package let target: String
  package let origin: Origin?

  package init(to target: Target) {
    self.target = target.name
    origin = target.origin
  }
}
