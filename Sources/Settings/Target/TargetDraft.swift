/// A target as text, made key by key. Each value is checked by the reader that reads the finished configuration.
public struct TargetDraft {
  /// What it is called.
  public let name: String
  /// The path of the configuration, to which the paths in values are relative.
  private let file: String
  private var lines: [(key: String, value: String)] = []

  /// A target of this name for the configuration at `file`, which says nothing yet.
  public init(named name: String, file: String) { (self.name, self.file) = (name, file) }

  /// The table of the configuration.
  public var text: String {
    "[targets.\(TOMLText.key(name))]\n" + lines.map { "\($0.key) = \($0.value)\n" }.joined()
  }

  /// What is wrong with a value of TOML for this key, beside those that are there; nil where nothing is.
  public func problem(with value: String, for key: String) -> String? {
    var draft = self
    draft.set(key, value)
    do throws(ConfigError) {
      _ = try Settings.parse(draft.text, file: file, environment: [:])
      return nil
    } catch {
      return error.problem
    }
  }

  /// Gives a key a value of TOML.
  public mutating func set(_ key: String, _ value: String) { lines.append((key, value)) }
}
