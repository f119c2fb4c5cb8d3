import Foundation
import ScalarText
import Screens
import Settings
import UploadModel

/// Keeps the secrets that a person enters for a target, and takes that back if the target is not written.
package struct SecretKeeper {
  private let config: ConfigSource
  private let folder: SecretFolder
  private var kept: [String] = []
  private var replaced: (file: String, old: String)?

  package init(_ config: ConfigSource) {
    (self.config, folder) = (config, SecretFolder(beside: config))
  }

  /// Whether a secret has been written into a file of its own.
  var hasKept: Bool { !kept.isEmpty }

  /// Where the secret is that a person has entered as in `SecretAnswer`; nil if nothing was entered. One that was typed
  /// is written into a file called `name`. A variable that is not set is refused, unless `isGoodEnough`.
  mutating func place(
    of text: String, as name: String, at part: TargetAnswers.Part, _ isGoodEnough: Bool
  ) throws -> SecretPlace? {
    switch SecretAnswer(text) {
    case nil: return nil
    case .variable(let variable):
      if !isGoodEnough, config.environment[variable]?.isEmpty != false {
        throw NewTarget.Refusal(
          words: "the variable \(variable) is not set here", part: part, isGoodEnough: true)
      }
      return .variable(variable)
    case .file(let path):
      let home = path.hasPrefix(scalars: "~/") ? config.environment["HOME"] : nil
      let whole = home.map { $0 + path.dropFirst() } ?? path
      guard access(whole, R_OK) == 0 else {
        throw NewTarget.Refusal(words: "there is no readable file at that path", part: part)
      }
      return .file(whole)
    case .value(let secret):
      if config.environment[secret] != nil {
        throw NewTarget.Refusal(
          words: "that is the name of a variable; put $ before it", part: part)
      }
      return try keep(secret, as: name)
    }
  }

  /// Writes a secret into a new file of its own.
  package mutating func keep(_ secret: String, as name: String) throws -> SecretPlace {
    let file = try folder.keep(secret, as: name)
    kept.append(file)
    return .file(file)
  }

  /// Replaces the secret of a target if it is typed now and was typed before. Returns whether it has been replaced.
  mutating func replace(_ text: String, of target: String, _ settings: Settings) throws -> Bool {
    guard case .value(let secret)? = SecretAnswer(text), config.environment[secret] == nil,
      let file = try folder.file(of: target, in: settings, config.edit())
    else { return false }
    replaced = (file, try folder.replace(file, with: secret))
    return true
  }

  /// Removes what was written, and restores what was replaced.
  package mutating func undo() {
    kept.forEach(folder.remove)
    if let replaced { _ = try? folder.replace(replaced.file, with: replaced.old) }
    (kept, replaced) = ([], nil)
  }
}
