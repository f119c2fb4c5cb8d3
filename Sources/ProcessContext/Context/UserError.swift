import ScalarText
import UploadModel

/// An error for the user at the command line: what failed, why, and what to do about it.
package struct UserError: Error, CustomStringConvertible {
  package var status = ExitStatus.usage
  package let description: String

  package init(_ description: String, status: ExitStatus = .usage) {
    self.description = description
    self.status = status
  }

  package init(_ failure: Failure, doing: String) {
    self.init("\(doing): \(SafeText.line(failure.sentence))", status: .someFailed)
  }

  /// Calls `body`, and begins the words of its error with what it is about.
  package static func about<Value>(_ what: String, _ body: () throws -> Value) throws(UserError)
    -> Value
  {
    do { return try body() } catch { throw UserError("\(what): \(error)") }
  }
}

extension Failure {
  /// What happened to a request that is not an upload, in one sentence without the full stop.
  package var sentence: String {
    switch cause {
    case .rejected(let why), .unusable(let why), .unsendable(let why), .insecure(let why),
      .network(let why), .connectionRefused(let why), .unreachable(let why, _),
      .proxyUnreachable(let why), .connectionLost(let why), .outcomeUnknown(let why):
      "\(headline): \(why)"
    default: reply.message.map { "\(headline): \($0)" } ?? headline
    }
  }
}
