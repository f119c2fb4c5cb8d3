import Foundation

/// What is known of a server's challenges for digest authentication to one user, so that all requests with the same
/// credentials share one nonce.
///
/// A request without a nonce asks for one, without its body. Meanwhile the others wait: a server may accept only the
/// nonce that it has given last.
package struct DigestNonces: Sendable {
  /// The answer that a request carries.
  package struct Answer: Hashable, Sendable {
    /// The value of `Authorization`.
    package let field: String
    fileprivate let challenge: DigestChallenge
    /// Which of the server's nonces it uses, and how often that has been used with it.
    fileprivate let nonce: Int
    fileprivate let count: Int
  }

  /// What a request does that is about to begin.
  package enum Step: Hashable, Sendable {
    /// Send the request with this answer.
    case answer(Answer)
    /// Send the request without its body, to be given a challenge.
    case ask
    /// Another request is asking. Come back when that has been answered.
    case wait
  }

  private let user: String
  private let password: String
  private var challenge: DigestChallenge?
  /// The number of the challenge's nonce, and how often that has been used.
  private var nonce = 0
  private var count = 0
  private var clientNonce = ""
  /// The nonces that the server has accepted, of the last few.
  private var accepted: Set<Int> = []
  /// Whether the server has accepted a nonce more than once.
  private var hasReused = false
  /// How often the server has not accepted the second use of a nonce.
  private var refusedUses = 0
  /// Whether the nonce has come since the last answer.
  private var isFresh = false
  private var isAsking = false

  package init(user: String, password: String) { (self.user, self.password) = (user, password) }

  package mutating func step(method: String, uri: String) -> Step {
    guard let challenge, isFresh || !isForOneUse else {
      guard !isAsking || isForOneUse else { return .wait }
      isAsking = true
      return .ask
    }
    isFresh = false
    count += 1
    let field = challenge.answer(
      user: user, password: password, method: method, uri: uri, count: count,
      clientNonce: clientNonce)
    return .answer(Answer(field: field, challenge: challenge, nonce: nonce, count: count))
  }

  /// Records the reply to a request that asked; `headers` have names in lower case. Returns whether it has a challenge
  /// that can be answered.
  package mutating func recordAsked(status: Int, headers: [String: String]) -> Bool {
    isAsking = false
    guard status == 401, let challenge = Self.challenge(in: headers) else { return false }
    use(challenge)
    isFresh = true
    return true
  }

  /// Records that a request that asked got no reply.
  package mutating func recordUnanswered() { isAsking = false }

  /// Records the reply to a request that carried this answer. Returns whether the reply is no statement about the
  /// credentials, because only the nonce was no longer valid.
  package mutating func record(
    status: Int, headers: [String: String], to answer: Answer
  ) -> Bool {
    guard status == 401 else {
      // A gateway that fails has not looked at them.
      guard status < 500 else { return false }
      accepted.insert(answer.nonce)
      accepted = accepted.filter { $0 > answer.nonce - Self.remembered }
      if answer.count > 1 { hasReused = true }
      // RFC 7616 §3.5.
      if let info = headers["authentication-info"],
        let next = AuthenticationParameters.parameters(in: info)["nextnonce"], var challenge
      {
        challenge.nonce = next
        use(challenge)
      }
      return false
    }
    guard let challenge = Self.challenge(in: headers) else { return false }
    let isOther = challenge.nonce != answer.challenge.nonce
    let wasAccepted = accepted.contains(answer.nonce)
    if answer.count > 1, wasAccepted { refusedUses += 1 }
    use(challenge)
    // A server that has forgotten a nonce may not call it stale. But what it has accepted with it was sent with the
    // same credentials. In another realm, they have not been tried yet.
    return challenge.isStale || wasAccepted && isOther
      || challenge.realm != answer.challenge.realm
  }

  /// Whether the server seems to accept each nonce only once, so that each request asks for its own. A single nonce may
  /// have expired just then.
  private var isForOneUse: Bool { !hasReused && refusedUses >= 2 }

  private static let remembered = 64

  private static func challenge(in headers: [String: String]) -> DigestChallenge? {
    headers["www-authenticate"].flatMap(DigestChallenge.init(in:))
  }

  private mutating func use(_ challenge: DigestChallenge) {
    guard challenge.nonce != self.challenge?.nonce || challenge.realm != self.challenge?.realm
    else { return }
    self.challenge = challenge
    (nonce, count, isFresh) = (nonce + 1, 0, true)
    clientNonce = UUID.random().uuidString.lowercased()
  }
}
