/// A target as text, built key by key. Each value is checked by the same reader that reads the finished configuration.
package struct TargetDraft {
  package let name: String
  /// The path of the configuration file. Paths in values are relative to its folder.
  private let file: String
  private var lines: [(key: String, value: String)] = []

  package init(named name: String, file: String) { (self.name, self.file) = (name, file) }

  /// The draft as a table of the configuration.
  package var text: String {
    "[targets.\(TOMLText.key(name))]\n" + lines.map { "\($0.key) = \($0.value)\n" }.joined()
  }

  /// The error that a TOML value for this key would cause, given the other keys; nil if there is none.
  package func problem(with value: String, for key: String) -> String? {
    var draft = self
    draft.set(key, value)
    do throws(ConfigError) {
      _ = try Settings.parse(draft.text, file: file, environment: [:])
      return nil
    } catch {
      return error.problem
    }
  }

  package mutating func set(_ key: String, _ value: String) { lines.append((key, value)) }
}
