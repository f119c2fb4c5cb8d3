/// Reads the tables `[screen]`, `[keys]` and `[theme]`.
struct ScreenReader {
  let file: String?
  let lines: KeyLocator

  func readScreen(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    guard let table = try node?.table(["mouse", "when_done", "on_end", "background"]) else {
      return
    }
    if let node = table["mouse"] { settings.usesMouse = try node.bool() }
    if let node = table["on_end"] { settings.onEnd = entry("on_end", node, try node.strings()) }
    if let node = table["background"] { settings.goesOnInBackground = try node.bool() }
    if let node = table["when_done"] {
      settings.whenDone = entry("when_done", node, try node.fixed())
    }
  }

  func readKeys(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    for (name, node) in try node?.entries() ?? [] {
      settings.keys.append(entry(name, node, try node.strings()))
    }
  }

  func readTheme(_ node: ConfigNode?, _ settings: inout ScreenSettings) throws(ConfigError) {
    for (name, node) in try node?.entries() ?? [] {
      settings.theme.append(entry(name, node, try node.fixed()))
    }
  }

  private func entry<Value>(
    _ key: String, _ node: ConfigNode, _ value: Value
  ) -> ScreenSettings.Entry<Value> {
    ScreenSettings.Entry(key: key, value: value, place: node.fault("").placed(in: file, lines))
  }
}
