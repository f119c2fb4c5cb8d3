/// Decides whether a target's uploads may start with the credentials that they have, so that 500 files
/// do not learn one by one that a token has expired.
///
/// ```
///             a start, and no token yet             the token has come
///   open ───────────────────────────────► renewing ──────────────────► open, or half-open
///    ▲ │          refused, and the token            │
///    │ │          is not a new one                  │ the command failed
///    │ │ refused with a new token, or               ▼
///    │ └─ with one that nobody renews ──────────► closed ── the user tries again ──► half-open
///    │                                              ▲                                    │
///    │                                              └──────────── refused ───────────────┤
///    └──────────────────────────────────────────────────────────── taken ────────────────┘
/// ```
///
/// A 401 is about the credentials. A 403 may be about the file. It counts as such if the server has accepted other
/// files, unless several uploads in a row are refused.
package struct Credentials: Hashable, Sendable {
  /// The number of 403 replies in a row after which credentials that worked before are doubted.
  static let forbiddenInARow = 3

  private enum State: Hashable, Sendable {
    /// Every upload may start. Goes to `renewing` when a token is missing or refused, and to `closed` on a refusal that
    /// a new token cannot remedy.
    case open
    /// The token command runs. Goes to `open` or `halfOpen` if it gives a token, and to `closed` if it does not.
    case renewing(isProbed: Bool)
    /// The credentials were refused, or the token command failed. Goes to `halfOpen` when the user tries again, and to
    /// `open` when an upload that was under way is taken after all.
    case closed
    /// One upload at a time tests whether the credentials are valid now. Goes to `open` when the upload is taken, and
    /// to `closed` or `renewing` when it is refused.
    case halfOpen(isProbing: Bool)
  }

  private var state = State.open
  private let hasCommand: Bool
  /// Whether there is a token, or none is needed.
  private var hasToken: Bool
  /// The number of the token in force; uploads that were sent with an older token prove nothing.
  private(set) var token = 0
  /// Whether the server has accepted an upload.
  private var isProven = false
  /// Whether the token was renewed after a refusal, and no upload has been accepted with it yet.
  private var isFresh = false
  private var refusals = 0

  /// Open credentials. If a command gives the token, the command must run before the first upload.
  init(hasCommand: Bool) {
    self.hasCommand = hasCommand
    hasToken = !hasCommand
  }

  /// Whether nothing starts until the user retries.
  var isClosed: Bool { state == .closed }

  /// Whether one upload at a time tests the credentials, now or as soon as there is a token.
  var isProbed: Bool {
    switch state {
    case .halfOpen, .renewing(isProbed: true): true
    case .open, .closed, .renewing: false
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

  var permission: Permission {
    switch state {
    case .open: hasToken ? .go : .renew
    case .halfOpen(isProbing: false): hasToken ? .probe : .renew
    case .renewing, .closed, .halfOpen: .wait
    }
  }

  /// Records that an upload that was permitted to start has started.
  mutating func recordStarted() {
    if state == .halfOpen(isProbing: false) { state = .halfOpen(isProbing: true) }
  }

  mutating func recordRenewing() {
    state = .renewing(isProbed: state == .halfOpen(isProbing: false))
  }

  /// Records that the probe ended without a verdict on the credentials, so that another probe may follow.
  mutating func recordUnanswered() {
    if state == .halfOpen(isProbing: true) { state = .halfOpen(isProbing: false) }
  }

  /// Closes the credentials again, since the upload that was chosen as the probe is gone.
  mutating func recordGivenUp() {
    if case .halfOpen = state { state = .closed }
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

  /// Records that the server answered 401 or 403 to an upload that was sent with this token. `isSecondTime` says
  /// whether the same upload was already sent again for this reason.
  mutating func recordRefused(status: Int, with token: Int, isSecondTime: Bool) -> Consequence {
    if hasCommand, token != self.token || isRenewing { return .again }
    refusals += 1
    if isClosed { return .stands }
    // Other uploads were accepted with the same token, so the refusal is about this upload.
    if isSecondTime, isProven, !isFresh { return .stands }
    if hasCommand, !isFresh {
      state = .renewing(isProbed: isProbed)
      return .renew
    }
    if status == 403, isProven, refusals < Self.forbiddenInARow { return .stands }
    state = .closed
    return .close
  }

  private var isRenewing: Bool { if case .renewing = state { true } else { false } }

  /// Records that the server accepted an upload that was sent with this token.
  mutating func recordAccepted(with token: Int) {
    isProven = true
    refusals = 0
    guard token == self.token else { return }
    isFresh = false
    switch state {
    case .closed, .halfOpen: if hasToken { state = .open }
    case .open, .renewing: break
    }
  }

  /// Records that a token was obtained. Unless it is new, from a run of the command just now, other uploads have used
  /// it, and it may have expired.
  mutating func recordRenewed(isNew: Bool = true) {
    // The very first token does not follow a refusal.
    isFresh = hasToken && isNew
    hasToken = true
    token += 1
    state = state == .renewing(isProbed: true) ? .halfOpen(isProbing: false) : .open
  }

  /// Records that the command failed. Nothing starts until the user retries.
  mutating func recordRenewalFailure() {
    state = .closed
    hasToken = false
  }

  /// Lets one upload probe the credentials, since the user retries. If a command gives the token, the probe gets a new
  /// one.
  mutating func tryAgain() {
    guard isClosed else { return }
    state = .halfOpen(isProbing: false)
    hasToken = !hasCommand
    (isProven, isFresh, refusals) = (false, false, 0)
  }
}

/// Where an upload goes, and with which credentials: those of the target, which are only for its own origin.
package struct Route: Hashable, Sendable {
  /// The target's name.
  let target: String
  package let origin: Origin?

  package init(to target: Target) {
    self.target = target.name
    origin = target.origin
  }
}
