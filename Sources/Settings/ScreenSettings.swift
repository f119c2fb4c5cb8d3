/// What the configuration says about the screen: the tables `[screen]`, `[keys]` and `[theme]`.
///
/// Words are read here, and where they stand; what they mean is known to whoever has the screen.
public struct ScreenSettings: Sendable {
  /// A key of the configuration, its value, and where to complain about it.
  public struct Entry<Value: Sendable>: Sendable {
    /// The last part of the key.
    public let key: String
    /// What it is set to.
    public let value: Value
    let keyPath: String
    let file: String?
    let line: Int?

    /// An error at this place.
    public func error(_ reason: String) -> ConfigError {
      var error = ConfigError(keyPath: keyPath, reason)
      error.file = file
      error.line = line
      return error
    }
  }

  /// The file that it was read from; nil where there is none.
  public var file: String?
  /// Whether clicks and the wheel do something.
  public var usesMouse = true
  /// What happens when nothing is left to send.
  public var whenDone: Entry<String>?
  /// Keys for actions, sorted by action.
  public var keys: [Entry<[String]>] = []
  /// Looks for roles, sorted by role, and the theme that they change.
  public var theme: [Entry<String>] = []

  /// Nothing said: everything is as it usually is.
  public init() {}
}

/// Reads the tables about the screen.
struct ScreenReader {
  let file: String?
  let lines: KeyLines

  func readScreen(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    guard let table = try node?.table(["mouse", "when_done"]) else { return }
    if let node = table["mouse"] { settings.usesMouse = try node.bool() }
    if let node = table["when_done"] {
      settings.whenDone = entry("when_done", try node.string(), at: "screen.when_done")
    }
  }

  func readKeys(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    for (name, node) in try node?.entries() ?? [] {
      settings.keys.append(entry(name, try node.strings(), at: "keys.\(name)"))
    }
    settings.keys.sort { $0.key < $1.key }
  }

  func readTheme(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    for (name, node) in try node?.entries() ?? [] {
      settings.theme.append(entry(name, try node.string(), at: "theme.\(name)"))
    }
    settings.theme.sort { $0.key < $1.key }
  }

  private func entry<Value>(
    _ key: String, _ value: Value, at path: String
  ) -> ScreenSettings.Entry<Value> {
    ScreenSettings.Entry(
      key: key, value: value, keyPath: path, file: file, line: lines.line(of: path))
  }
}
