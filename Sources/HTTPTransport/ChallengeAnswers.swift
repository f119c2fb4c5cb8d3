/// Credentials that answer a server's challenge (RFC 9110 §11.6.1). All requests of a session with equal credentials to
/// the same origin share what is known of its challenges.
package protocol ChallengeCredentials: Hashable, Sendable {
  /// Called once for each origin.
  func makeAnswers() -> any ChallengeAnswers
}

/// What is known of an origin's challenges, with credentials for them. Used only on the transport's thread.
package protocol ChallengeAnswers: AnyObject {
  /// What a request does that is about to begin; `uri` is its target as it is sent.
  func step(method: String, uri: String) -> ChallengeStep
}

/// What a request does that may be challenged.
package enum ChallengeStep {
  /// It is sent with this value of `Authorization`. `record` takes the head of the reply, and returns whether the reply
  /// is no statement about the credentials, because only the challenge had expired.
  case answer(String, record: (ReplyHead) -> Bool)
  /// It is sent without its body, to be challenged. `record` takes the head of the reply, nil if none came, and returns
  /// whether the request can now be sent with an answer.
  case ask(record: (ReplyHead?) -> Bool)
  /// It waits until another request's question is answered.
  case wait
}

extension ChallengeStep {
  var isQuestion: Bool { if case .ask = self { true } else { false } }
}

/// Who shares the answers to challenges.
struct ChallengeKey: Hashable {
  private let credentials: AnyHashable
  private let origin: [String]

  init(_ credentials: some ChallengeCredentials, for request: ExchangeRequest) {
    self.credentials = AnyHashable(credentials)
    let url = request.url
    origin = [url.scheme, url.host].map { $0?.lowercased() ?? "" } + ["\(url.port ?? 0)"]
  }
}
