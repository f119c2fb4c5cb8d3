import UploadModel

/// Changes the text of a configuration and leaves every other byte unchanged.
///
/// A TOML library would rewrite the whole text, so single lines are edited here. Some lines only look like TOML, such
/// as a header inside a long string, so the result is parsed and compared with the original: apart from the change,
/// both must mean exactly the same.
package struct ConfigEdit {
  /// The file's current text; empty if there is no file yet.
  package let text: String
  /// The file's path, for messages and as the base of relative paths.
  let file: String
  private let environment: [String: String]

  package init(of text: String, file: String, environment: [String: String]) {
    (self.text, self.file, self.environment) = (text, file, environment)
  }

  /// The text with a target's table appended.
  ///
  /// - Throws: `ConfigError` if the name is taken, or if the rest of the text would change its meaning.
  package func adding(_ target: Target, named name: String) throws(ConfigError) -> String {
    var wanted = target
    wanted.name = name
    return try adding(
      TargetText.of(target, named: name, isRevealing: true), named: name, meaning: wanted)
  }

  /// The text with the table of a draft appended.
  ///
  /// - Throws: `ConfigError` if the name is taken, or if the rest of the text would change its meaning.
  package func adding(_ draft: TargetDraft) throws(ConfigError) -> String {
    try adding(draft.text, named: draft.name, meaning: nil)
  }

  /// The text with a recipe and its answers appended.
  ///
  /// - Throws: `ConfigError` if the name is taken, or if the rest of the text would change its meaning.
  package func adding(_ draft: RecipeDraft) throws(ConfigError) -> String {
    try adding(draft.text, named: draft.name, meaning: nil)
  }

  /// - Parameter wanted: the target that the table must describe; nil for any.
  private func adding(
    _ table: String, named name: String, meaning wanted: Target?
  ) throws(ConfigError) -> String {
    let before = try settings(text)
    guard !before.targetNames.contains(name) else {
      throw ConfigError(file: file, "there is already a target called \"\(name)\"")
    }
    let edited = withTable(table)
    let after = try settings(edited)
    guard after.has(wanted, named: name, besides: before) else {
      throw notEditable("add this yourself:\n\(table)")
    }
    return edited
  }

  func settings(_ text: String) throws(ConfigError) -> Settings {
    try Settings.parse(text, file: file, environment: environment)
  }

  func withTable(_ table: String) -> String {
    text + (text.isEmpty ? "" : text.utf8.last == 0x0A ? "\n" : "\n\n") + table
  }

  func notEditable(_ instead: String) -> ConfigError {
    ConfigError(file: file, "has a form that hoist cannot edit safely; \(instead)")
  }
}

extension Settings {
  /// Whether these settings equal `others`, except for the target called `name`, which must equal `wanted`. If `wanted`
  /// is nil, any target is accepted.
  func has(_ wanted: Target?, named name: String, besides others: Settings) -> Bool {
    defaultTarget == others.defaultTarget
      && Set(targetNames) == Set(others.targetNames).union([name])
      && targetNames.allSatisfy {
        $0 == name
          ? wanted == nil || blueprint(of: name) == wanted
          : blueprint(of: $0) == others.blueprint(of: $0)
      }
  }
}
