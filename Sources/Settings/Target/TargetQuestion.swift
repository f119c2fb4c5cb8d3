import Foundation
import ScalarText
import UploadModel

/// One of the questions of `hoist target new`.
package struct TargetQuestion: Sendable {
  /// How an answer becomes a TOML value.
  package enum Form: Sendable {
    case text
    case number
    case flag
    /// Words separated by blanks.
    case list
    /// A number, which becomes the value of one key in a table.
    case member(String)
  }

  /// The key of the configuration.
  package let key: String
  package let words: String
  /// The default, as shown to the user.
  package private(set) var usual: String
  private let form: Form
  /// An answer to try, which shows whether the key can be combined with the answers so far.
  package private(set) var trial: String

  /// `usual` is nil for the default that the schema writes, and `trial` is nil to try the default.
  init(key: String, _ words: String, _ form: Form, usual: String?, trial: String?) {
    (self.key, self.words, self.form) = (key, words, form)
    self.usual = usual ?? ""
    self.trial = trial ?? self.usual
  }

  /// Questions that matter for nearly every target.
  package static let first = all.filter(\.isFirst)

  /// Questions whose defaults suit most people.
  package static let others = all.filter { !$0.isFirst }

  private var isFirst: Bool { ["body", "file_field"].contains(key) }

  private static let all = Schema<Target>.target.keys.compactMap { key -> TargetQuestion? in
    guard var question = key.question, question.usual.isEmpty else { return key.question }
    let writer = TemplateWriter(isRevealing: true, showsDefaults: true)
    let usual = Target(name: "", url: URL(filePath: "/"))
    let text = key.write(usual, usual, writer).map { $0.trimming { $0 == "\"" } } ?? ""
    question.usual = ["true": "yes", "false": "no"][text] ?? text
    question.trial = question.usual
    return question
  }

  /// The answer as a TOML value. The configuration's reader finds any mistakes.
  package func value(_ answer: String) -> String {
    switch form {
    case .text: return TOMLText.string(answer)
    case .number: return number(answer)
    case .flag:
      switch answer.lowercased() {
      case "y", "yes", "true": return "true"
      case "n", "no", "false": return "false"
      default: return TOMLText.string(answer)
      }
    case .list:
      let words = answer.split(scalar: " ", omittingEmptySubsequences: true)
      return TOMLText.array(words.map { TOMLText.string($0) })
    case .member(let name): return "{ \(name) = \(number(answer)) }"
    }
  }

  /// Digits as they are, and anything else as a string, which the reader refuses.
  private func number(_ answer: String) -> String {
    Int(answer).map(String.init) ?? TOMLText.string(answer)
  }
}
