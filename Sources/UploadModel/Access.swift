import ScalarText

/// A command whose first line of output is a bearer token (RFC 6750).
public struct TokenCommand: Hashable, Sendable {
  /// The program and its arguments. There is no shell in between.
  public var words: [String]
  /// How long it may take, in seconds.
  public var timeout: Double

  /// A command of these words, at least one.
  public init(_ words: [String], timeout: Double = 30) {
    self.words = words
    self.timeout = timeout
  }

  /// The program's name, for messages: its arguments may be nobody's business.
  public var name: String {
    words.first.map { $0.split(scalar: "/", omittingEmptySubsequences: true).last ?? $0 } ?? ""
  }
}

/// Decides whether a target's uploads may go on with the credentials that they have, so that 500
/// files do not learn one by one that a token has expired.
///
/// ```
///             a start, and no token yet             the token has come
///   open ───────────────────────────────► renewing ──────────────────► open
///     │          refused, and the token            │
///     │          is not a new one                  │ the command failed
///     │ refused with a new token, or               ▼
///     └─ with one that nobody renews ──────────► closed ── the person retries ──► open
/// ```
///
/// 401 speaks of the credentials. 403 may speak of the file: it does where the server has taken
/// others, unless several in a row fare the same.
public struct Access: Hashable, Sendable {
  /// How many times in a row a server that took others says 403 before the credentials are doubted.
  public static let forbiddenInARow = 3

  private enum State: Hashable, Sendable {
    case open
    case renewing
    case closed(isForWantOfToken: Bool)
  }

  private var state = State.open
  private let hasCommand: Bool
  private var hasToken: Bool
  /// The number of the token in force; uploads that were sent with an older one prove nothing.
  public private(set) var token = 0
  /// Whether the server has taken anything.
  private var isProven = false
  /// Whether the token was renewed after a refusal, and nothing was taken with it yet.
  private var isFresh = false
  private var refusals = 0

  /// Open access, which needs a token first where a command gives it.
  public init(hasCommand: Bool) {
    self.hasCommand = hasCommand
    hasToken = !hasCommand
  }

  /// Whether nothing starts until the person says so.
  public var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// What a new upload may do.
  public enum Permission: Hashable, Sendable {
    /// Start.
    case go
    /// Wait.
    case wait
    /// Wait, and the command is to be run.
    case renew
  }

  /// Asks for one start.
  public mutating func mayStart() -> Permission {
    switch state {
    case .open where hasToken: return .go
    case .open:
      state = .renewing
      return .renew
    case .renewing, .closed: return .wait
    }
  }

  /// What a refusal means.
  public enum Consequence: Hashable, Sendable {
    /// It is this upload's own.
    case stands
    /// The upload goes again with a newer token.
    case again
    /// The upload goes again, and the command is to be run.
    case renew
    /// It stands, and nothing more starts.
    case close
  }

  /// The server answered 401 or 403.
  ///
  /// - Parameters:
  ///   - status: which of the two.
  ///   - token: the number of the token that the upload was sent with.
  ///   - isSecondTime: whether the same upload was sent again for this reason before.
  public mutating func noteRefused(
    status: Int, with token: Int, isSecondTime: Bool
  ) -> Consequence {
    if hasCommand, token != self.token || state == .renewing { return .again }
    refusals += 1
    if isClosed { return .stands }
    // Others get in with the very same token.
    if isSecondTime, isProven, !isFresh { return .stands }
    if hasCommand, !isFresh {
      state = .renewing
      return .renew
    }
    if status == 403, isProven, refusals < Self.forbiddenInARow { return .stands }
    state = .closed(isForWantOfToken: false)
    return .close
  }

  /// The server took an upload that was sent with this token. Returns whether those who wait may go.
  public mutating func noteTaken(with token: Int) -> Bool {
    isProven = true
    refusals = 0
    guard token == self.token else { return false }
    isFresh = false
    guard state == .closed(isForWantOfToken: false) else { return false }
    state = .open
    return true
  }

  /// The command gave a token. Those who wait may go.
  public mutating func noteRenewed() {
    // The first one of all follows no refusal.
    isFresh = hasToken
    hasToken = true
    token += 1
    state = .open
  }

  /// The command failed. Nothing starts.
  public mutating func noteNotRenewed() { state = .closed(isForWantOfToken: true) }

  /// The person wants another try. Those who wait may go; the command is run before they do.
  public mutating func reopen() {
    guard isClosed else { return }
    state = .open
    hasToken = !hasCommand
    (isProven, isFresh, refusals) = (false, false, 0)
  }
}
