import ScalarText
import Settings

/// One of the questions of `hoist target new`. There is one for each key in the first table of the sample
/// configuration.
struct TargetQuestion: Sendable {
  /// How an answer becomes a TOML value.
  enum Form: Sendable {
    case text
    case number
    case flag
    /// Words separated by blanks.
    case list
    /// A number that is one key of a table.
    case member(String)
  }

  /// The key of the configuration.
  let key: String
  /// What is asked.
  let words: String
  /// The default, as shown to the user.
  let usual: String
  let form: Form
  /// An answer that shows whether the key fits those before it at all.
  let trial: String

  private init(
    _ key: String, _ words: String, usual: String, _ form: Form = .text, trial: String? = nil
  ) {
    (self.key, self.words, self.usual, self.form) = (key, words, usual, form)
    self.trial = trial ?? usual
  }

  /// Questions that matter for nearly every target.
  static let first = [
    TargetQuestion(
      "body", "How the file is sent, \"multipart\" (a form) or \"binary\" (the file by itself)",
      usual: "multipart"),
    TargetQuestion("file_field", "Form field that carries the file", usual: "file"),
  ]

  /// Questions whose defaults suit most people.
  static let others = [
    TargetQuestion(
      "resume", "\"tus\" if it is a tus server, where broken uploads go on", usual: "off"),
    TargetQuestion("method", "Method, POST, PUT or PATCH", usual: "POST"),
    TargetQuestion("file_name", "Name that the server is told", usual: "{file.name}"),
    TargetQuestion(
      "same_names", "Does it keep two files of one name apart, yes or no", usual: "no", .flag),
    TargetQuestion("concurrency", "Files sent at once", usual: "4", .number),
    TargetQuestion(
      "batch", "Files in one request at most", usual: "1", .member("max_files"), trial: "2"),
    TargetQuestion("timeout", "Time without progress before an attempt ends", usual: "60s"),
    TargetQuestion("retry", "Attempts in all", usual: "5", .member("attempts")),
    TargetQuestion(
      "idempotent", "Is a second copy of a file harmless, yes or no", usual: "it depends",
      .flag, trial: "no"),
    TargetQuestion("http", "Version of HTTP, auto, 1.1 or 2", usual: "auto"),
    TargetQuestion(
      "connection", "\"close\" for a connection of its own for each request", usual: "keep-alive"),
    TargetQuestion(
      "redirect_to", "Other servers to which it may send uploads on, as URLs", usual: "none",
      .list, trial: ""),
  ]

  /// The answer as a TOML value. The configuration's reader finds any mistakes.
  func value(_ answer: String) -> String {
    switch form {
    case .text: return TargetText.string(answer)
    case .number: return number(answer)
    case .flag:
      switch answer.lowercased() {
      case "y", "yes", "true": return "true"
      case "n", "no", "false": return "false"
      default: return TargetText.string(answer)
      }
    case .list:
      let words = answer.split(scalar: " ", omittingEmptySubsequences: true)
      return "[\(words.map { TargetText.string($0) }.joined(separator: ", "))]"
    case .member(let name): return "{ \(name) = \(number(answer)) }"
    }
  }

  /// Digits as they are, and anything else as a string, which the reader refuses.
  private func number(_ answer: String) -> String {
    Int(answer).map(String.init) ?? TargetText.string(answer)
  }
}
