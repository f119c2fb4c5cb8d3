import HTTPTransport
import UploadModel

/// A user name and password for digest authentication. The password itself is never sent (RFC 7616).
struct DigestCredentials: ChallengeCredentials {
  let user: String
  let password: String

  func makeAnswers() -> any ChallengeAnswers {
    Answers(DigestNonces(user: user, password: password))
  }

  private final class Answers: ChallengeAnswers {
    private var nonces: DigestNonces

    init(_ nonces: DigestNonces) { self.nonces = nonces }

    func step(method: String, uri: String) -> ChallengeStep {
      switch nonces.step(method: method, uri: uri) {
      case .wait: .wait
      case .ask:
        .ask { [self] head in
          guard let head else {
            nonces.recordUnanswered()
            return false
          }
          return nonces.recordAsked(status: head.status, headers: head.headers)
        }
      case .answer(let answer):
        .answer(answer.field) { [self] head in
          nonces.record(status: head.status, headers: head.headers, to: answer)
        }
      }
    }
  }
}
