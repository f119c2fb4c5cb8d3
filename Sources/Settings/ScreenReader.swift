/// Reads the tables `[screen]`, `[keys]` and `[theme]`.
struct ScreenReader {
  let file: String?
  let lines: KeyLocator

  func readScreen(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    guard let table = try node?.table(["mouse", "when_done", "on_end", "background"]) else {
      return
    }
    if let node = table["mouse"] { settings.usesMouse = try node.bool() }
    if let node = table["on_end"] {
      settings.onEnd = entry("on_end", try node.strings(), at: "screen.on_end")
    }
    if let node = table["background"] { settings.goesOnInBackground = try node.bool() }
    if let node = table["when_done"] {
      settings.whenDone = entry("when_done", try node.fixed(), at: "screen.when_done")
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
      settings.theme.append(entry(name, try node.fixed(), at: "theme.\(name)"))
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
