import UploadModel

/// Changes the text of a configuration and leaves every other byte unchanged.
///
/// A TOML library would rewrite the whole text, so single lines are edited here. Some lines only look like TOML, such
/// as a header inside a long string, so the result is parsed and compared with the original: apart from the change,
/// both must mean exactly the same. Otherwise, an edit throws an error that says what to change by hand. It also
/// throws an error if a name is missing or taken.
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
  package func adding(_ target: Target, named name: String) throws(ConfigError) -> String {
    var wanted = target
    wanted.name = name
    return try adding(
      TargetText.of(target, named: name, isRevealing: true), named: name, meaning: wanted)
  }

  /// The text with this table appended, which must describe the target `wanted`; nil for any target.
  package func adding(
    _ table: String, named name: String, meaning wanted: Target? = nil
  ) throws(ConfigError) -> String {
    var meaning = try settings(text).meaning
    guard meaning.targets[name] == nil else {
      throw ConfigError(file: file, "there is already a target called \"\(name)\"")
    }
    let edited = withTable(table)
    let new = try settings(edited).blueprint(of: name)
    meaning.targets[name] = wanted ?? new
    return try checked(
      new == nil ? nil : edited, means: meaning, or: "add this yourself:\n\(table)")
  }

  /// The edited text, if it means exactly what is wanted.
  func checked(
    _ edited: String?, means wanted: Settings.Meaning, or instead: String
  ) throws(ConfigError) -> String {
    guard let edited, let after = try? settings(edited), after.meaning == wanted else {
      throw notEditable(instead)
    }
    return edited
  }

  /// What the text means; it must have the target called `name`.
  func meaning(with name: String) throws(ConfigError) -> Settings.Meaning {
    let meaning = try settings(text).meaning
    guard meaning.targets[name] != nil else {
      throw ConfigError(file: file, "there is no target called \"\(name)\"")
    }
    return meaning
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
  /// The default target, and all targets by name.
  typealias Meaning = (usual: String?, targets: [String: Target])

  var meaning: Meaning {
    (defaultTarget, targetNames.reduce(into: [:]) { $0[$1] = blueprint(of: $1) })
  }
}
