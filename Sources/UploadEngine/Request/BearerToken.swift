import Commands
import Foundation
import ScalarText
import UploadModel

/// A bearer token that a command printed. It is written into a header field and nowhere else; neither its
/// description nor a mirror shows it.
struct BearerToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// The token itself, for a header field.
  let text: String
  /// Hides the token in texts.
  let secrets: Secrets

  var secret: Template.Secret { Template.Secret(name: "TOKEN", value: text, source: .derived) }
  var description: String { "(token)" }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// Runs the command and takes the first line of its output.
  init(_ command: TokenCommand) async throws(Failure.Cause) {
    let output: Data
    do throws(Command.Failure) {
      output = try await Command(command.words, timeout: command.timeout).output()
    } catch {
      throw .denied(SafeText.line(error.description))
    }
    let line = output.prefix { $0 != 0x0A }
    let token = String(decoding: line, as: UTF8.self).trimming(\.isWhiteSpace)
    guard !token.isEmpty else { throw .denied("\(command.name) printed no token") }
    // RFC 6750 §2.1 allows even fewer characters; servers are more generous.
    guard token.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
      throw .denied(
        "the first line that \(command.name) printed is not a token: it contains characters that tokens cannot contain"
      )
    }
    text = token
    secrets = Secrets([token])
  }
}
