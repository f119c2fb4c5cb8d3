/// A target as text, made key by key. Each value is checked by the reader that reads the finished configuration.
package struct TargetDraft {
  /// What it is called.
  package let name: String
  /// The path of the configuration, to which the paths in values are relative.
  private let file: String
  private var lines: [(key: String, value: String)] = []

  /// An empty draft of a target with this name, for the configuration at `file`.
  package init(named name: String, file: String) { (self.name, self.file) = (name, file) }

  /// The table of the configuration.
  package var text: String {
    "[targets.\(TOMLText.key(name))]\n" + lines.map { "\($0.key) = \($0.value)\n" }.joined()
  }

  /// What is wrong with a TOML value for this key, given the other keys; nil if nothing is.
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

  /// Sets a key to a TOML value.
  package mutating func set(_ key: String, _ value: String) { lines.append((key, value)) }
}
