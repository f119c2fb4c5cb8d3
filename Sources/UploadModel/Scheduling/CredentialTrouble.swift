/// Why a target's files wait for credentials.
package enum CredentialTrouble: String, Hashable, Sendable, Codable {
  /// The server does not accept those that the target has.
  case refused
  /// The server asks for some, and the target has none.
  case missing
  /// The target's command gave none.
  case notObtained

  /// A few words for a row.
  package var words: String {
    switch self {
    case .refused: "credentials refused"
    case .missing: "needs credentials"
    case .notObtained: "no credentials"
    }
  }

  /// What happened at `target`, as the beginning of a sentence.
  package func story(of target: String) -> String {
    switch self {
    case .refused: "\(target) refuses the credentials"
    case .missing: "\(target) asks for credentials, and the target has none"
    case .notObtained: "there are no credentials for \(target)"
    }
  }

  init(_ failure: Failure) {
    self =
      switch failure.cause {
      case .anonymous: .missing
      case .denied where failure.status == nil: .notObtained
      default: .refused
      }
  }
}
