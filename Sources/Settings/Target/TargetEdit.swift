import UploadModel

/// Adds a target to the text of a configuration and leaves every other byte as it is.
public struct TargetEdit {
  /// Why the target was not written.
  public struct EditError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a sentence without its full stop.
    public let description: String
  }

  /// The file as it is; empty where there is none yet.
  public let text: String
  /// Its path, for messages and for what is relative to it.
  public let file: String
  private let environment: [String: String]

  /// An edit of this text.
  public init(of text: String, file: String, environment: [String: String]) {
    (self.text, self.file, self.environment) = (text, file, environment)
  }

  /// The text with a target's table at its end. It is read again, and must say what it said before and the
  /// target.
  ///
  /// - Throws: `EditError` if the text would not mean the same afterwards.
  public func adding(_ target: Target, named name: String) throws(EditError) -> String {
    var wanted = target
    wanted.name = name
    return try adding(
      TargetText.of(target, named: name, isRevealing: true), named: name, meaning: wanted)
  }

  /// The text with a target at its end whose table was made key by key.
  ///
  /// - Throws: `EditError` if the text would not mean the same afterwards.
  public func adding(_ draft: TargetDraft) throws(EditError) -> String {
    try adding(draft.text, named: draft.name, meaning: nil)
  }

  /// - Parameter wanted: what the table has to come to; nil for whatever it says.
  private func adding(
    _ table: String, named name: String, meaning wanted: Target?
  ) throws(EditError) -> String {
    let gap = text.isEmpty ? "" : text.utf8.last == 0x0A ? "\n" : "\n\n"
    let edited = text + gap + table
    do throws(ConfigError) {
      let before = try Settings.parse(text, file: file, environment: environment)
      guard !before.targetNames.contains(name) else {
        throw ConfigError(file: file, "there is a target called \"\(name)\" already")
      }
      let after = try Settings.parse(edited, file: file, environment: environment)
      guard after.defaultTarget == before.defaultTarget,
        after.targetNames == (before.targetNames + [name]).sorted(),
        before.targetNames.allSatisfy({ after.blueprint(of: $0) == before.blueprint(of: $0) }),
        wanted == nil || after.blueprint(of: name) == wanted
      else {
        throw ConfigError(
          file: file, "is written in a way that hoist does not edit; add this yourself:\n\(table)")
      }
    } catch {
      throw EditError(description: error.description)
    }
    return edited
  }
}
