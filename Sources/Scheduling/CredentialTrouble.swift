import UploadModel

/// Why a target's files wait for credentials, or go one at a time.
package enum CredentialTrouble: String, Hashable, Sendable, Codable {
  /// The server does not accept those that the target has.
  case refused
  /// The server asks for some, and the target has none.
  case missing
  /// The target's command gave none.
  case notObtained
  /// The server answered 403 to several files in a row. Until it accepts one, they go one at a time.
  case forbidden

  /// Whether nothing goes until the user acts.
  package var holdsAll: Bool { self != .forbidden }

  /// A few words for a row.
  package var words: String {
    switch self {
    case .refused: "credentials refused"
    case .missing: "needs credentials"
    case .notObtained: "no credentials"
    case .forbidden: "one at a time after 403"
    }
  }

  /// What happened at `target`, as the beginning of a sentence.
  package func story(of target: String) -> String {
    switch self {
    case .refused: "\(target) refuses the credentials"
    case .missing: "\(target) asks for credentials, and the target has none"
    case .notObtained: "there are no credentials for \(target)"
    case .forbidden: "\(target) answered 403 to several files in a row"
    }
  }

  /// The failure that another process has met with, as far as it is known here.
  var failure: Failure {
    switch self {
    case .refused, .forbidden: Failure(.refused, status: 401)
    case .missing: Failure(.anonymous, status: 401)
    case .notObtained: Failure(.denied("the target's command gave none"))
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
