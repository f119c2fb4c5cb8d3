import Foundation
import Testing
import UploadModel

/// A failure that has advice of its own, and how a test follows that advice.
struct AdviceRow: Sendable, CustomTestStringConvertible {
  enum Remedy: Sendable {
    /// Sending again by a command or by a key, often after a person has mended something. Each story carries it out.
    case stories([AdviceStory])
    /// A test elsewhere carries it out: its name, and its file below `Tests/EndToEndTests`.
    case test(_ name: String, in: String)
    /// Only a person can do something about it.
    case person
  }

  let failure: Failure
  let remedy: Remedy

  var kind: AdviceKind { AdviceKind(failure) }
  var testDescription: String { "\(failure.code): \(lastSentence)" }

  /// The end of the advice.
  var lastSentence: String {
    failure.explanation.components(separatedBy: ". ").last ?? ""
  }

  var stories: [AdviceStory] { if case .stories(let stories) = remedy { stories } else { [] } }

  init(_ failure: Failure, _ remedy: Remedy) { (self.failure, self.remedy) = (failure, remedy) }

  /// A row with stories.
  init(_ failure: Failure, _ stories: AdviceStory...) { self.init(failure, .stories(stories)) }

  /// A row for a cause from which alone the advice follows.
  init(_ cause: Failure.Cause, status: Int? = nil, _ stories: AdviceStory...) {
    self.init(Failure(cause, status: status, attempts: 1), .stories(stories))
  }

  /// A row for a refusal with a status and the server's reply.
  static func refused(
    _ status: Int, _ reply: String, _ change: (inout Failure) -> Void, _ stories: AdviceStory...
  ) -> AdviceRow {
    var failure = Failure(.refused, status: status, reply: Reply(text: reply), attempts: 1)
    change(&failure)
    return AdviceRow(failure, .stories(stories))
  }

  /// A row for a refusal that passes by itself, or after somebody has mended the server.
  static func passing(_ status: Int, _ reply: String) -> AdviceRow {
    .refused(status, reply, AdviceStory(script: AdviceServer.failing("\(status) No", body: reply)))
  }

  static func refused(_ status: Int, _ reply: String, _ story: AdviceStory) -> AdviceRow {
    .refused(status, reply, { _ in }, story)
  }

  static func refused(_ status: Int, _ story: AdviceStory) -> AdviceRow {
    .refused(status, "", story)
  }

  static func person(_ cause: Failure.Cause, status: Int? = nil) -> AdviceRow {
    AdviceRow(Failure(cause, status: status, attempts: 1), .person)
  }
}
