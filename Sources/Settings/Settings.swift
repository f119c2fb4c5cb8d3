import Foundation
import ScalarText
import UploadModel

/// The configuration. All of it is read and checked before any of it is used.
package struct Settings: Sendable {
  /// The path of the configuration file; nil if there is none.
  package let file: String?
  /// The name of the target to use if the user names no other.
  package let defaultTarget: String?
  let nodes: [String: ConfigNode]
  let lines: KeyLocator
  private let environment: [String: String]
  private let secrets: Secrets
  package private(set) var screen = ScreenSettings()

  package var targetNames: [String] { nodes.keys.sorted() }

  package var secretNames: [String] { Array(secrets.sources.keys) }

  /// The absolute path of the file with this secret; nil if it is kept elsewhere.
  package func secretFile(of name: String) -> String? {
    if case .file(let path)? = secrets.sources[name] { path } else { nil }
  }

  /// Settings without a file: no targets, only defaults.
  package static func none(environment: [String: String]) -> Settings {
    Settings(
      file: nil, defaultTarget: nil, nodes: [:], lines: KeyLocator(""), environment: environment,
      secrets: .none)
  }

  /// The default path of the configuration: `$XDG_CONFIG_HOME/hoist/config.toml` if the variable is set to an absolute
  /// path, otherwise `~/.config/hoist/config.toml` (XDG Base Directory Specification).
  package static func usualPath(environment: [String: String]) -> String {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix(scalars: "/") {
      return "\(base)/hoist/config.toml"
    }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    return "\(home)/.config/hoist/config.toml"
  }

  /// Reads the file at `path`. Without a path, reads the default file, which need not exist.
  package static func load(
    path: String?, environment: [String: String]
  ) throws(ConfigError) -> Settings {
    let file = path ?? usualPath(environment: environment)
    guard let text = try text(of: file, mayBeMissing: path == nil) else {
      return .none(environment: environment)
    }
    return try parse(text, file: file, environment: environment)
  }

  /// The errors in the file at `path`, in line order. Once a table has a wrong value, only those of its other errors are
  /// told that do not depend on it, as far as that is known. Without a path, checks the default file, which need not
  /// exist. The errors that `further` finds are added, except those about a table that has others.
  package static func mistakes(
    path: String?, environment: [String: String],
    further: (Settings) -> [ConfigError] = { _ in [] }
  ) -> [ConfigError] {
    let file = path ?? usualPath(environment: environment)
    do throws(ConfigError) {
      guard let text = try text(of: file, mayBeMissing: path == nil) else { return [] }
      let (settings, mistakes) = read(text, file: file, environment: environment)
      let others = further(settings).filter { error in
        !mistakes.contains { error.isAbout($0.keyPath) }
      }
      return (mistakes + others).sorted(by: isBefore)
    } catch {
      return [error]
    }
  }

  private static func isBefore(_ one: ConfigError, _ other: ConfigError) -> Bool {
    (one.line ?? 0, one.keyPath) < (other.line ?? 0, other.keyPath)
  }

  /// The text of a configuration; nil if the file does not exist and may be missing.
  package static func text(of file: String, mayBeMissing: Bool) throws(ConfigError) -> String? {
    guard !mayBeMissing || FileManager.default.fileExists(atPath: file) else { return nil }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
      throw ConfigError(file: file, "cannot be read: \(reason(for: error))")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ConfigError(file: file, "is not valid UTF-8")
    }
    return text
  }

  /// The system's description of a Foundation error if there is one, otherwise Foundation's own.
  package static func reason(for error: any Error) -> String {
    let error = error as NSError
    if let beneath = error.userInfo[NSUnderlyingErrorKey] as? POSIXError {
      return String(cString: strerror(beneath.code.rawValue))
    }
    return error.localizedFailureReason ?? error.localizedDescription
  }

  /// Reads the text of a configuration. Every target is checked, so that its errors are found before it is needed.
  /// `{env.…}` and `{secret.…}` are resolved only when the target is used.
  package static func parse(
    _ text: String, file: String, environment: [String: String]
  ) throws(ConfigError) -> Settings {
    let (settings, mistakes) = read(text, file: file, environment: environment)
    if let first = mistakes.min(by: isBefore) { throw first }
    return settings
  }

  private static func read(
    _ text: String, file: String, environment: [String: String]
  ) -> (settings: Settings, mistakes: [ConfigError]) {
    let lines = KeyLocator(text)
    var mistakes: [ConfigError] = []
    // An error in one part does not prevent the others from being read.
    @discardableResult
    func part<Value>(_ read: () throws(ConfigError) -> Value?) -> Value? {
      do throws(ConfigError) {
        return try read()
      } catch {
        mistakes.append(error.placed(in: file, lines))
        return nil
      }
    }
    // Nor does an error in one key prevent the others from being read: the part is read again without that key. If its
    // value was wrong, what other keys demand of it is unknown, and only what is wrong in any case is an error. A target
    // that has lost its URL, or has none, gets another, since nothing is read of one without a URL.
    @discardableResult
    func part<Value>(
      _ node: ConfigNode?, _ read: (ConfigNode?) throws(ConfigError) -> Value?
    ) -> Value? {
      var (rest, gone, lacksValues, hasOtherURL) = (node, [String](), false, false)
      while true {
        do throws(ConfigError) {
          let value = try read(rest)
          return gone.isEmpty ? value : nil
        } catch {
          let isOfGone = lacksValues || gone.contains(where: error.isAbout)
          if error.scope != .others || !isOfGone { mistakes.append(error.placed(in: file, lines)) }
          if error.scope != .key { lacksValues = true }
          gone.append(error.keyPath)
          if let next = rest?.without(error.keyPath) {
            rest = next
          } else if !hasOtherURL, error.keyPath == node?.path, let next = rest?.withSomeURL() {
            (rest, hasOtherURL) = (next, true)
          } else {
            return nil
          }
        }
      }
    }
    func entries(_ node: ConfigNode?) -> [String: ConfigNode] {
      let entries = part { () throws(ConfigError) in try node?.entries() } ?? []
      return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.node) })
    }
    let whole = part { () throws(ConfigError) -> ConfigNode? in
      // To the parser, a NUL ends the text or the value.
      if let place = lines.firstNUL {
        throw ConfigError(
          line: place.line, keyPath: place.key,
          "holds a NUL character, which TOML does not allow and no request could carry; remove it")
      }
      return try ConfigNode.parse(text, file: file, lines)
    }
    let top = entries(whole)
    part(whole) { whole throws(ConfigError) in
      try whole?.table(["default_target", "secrets", "targets", "screen", "keys", "theme"])
    }
    let nodes = entries(top["targets"])
    let knowsTargets = mistakes.isEmpty
    let paths = filePath(file, environment)
    let secrets = part(top["secrets"]) { node throws(ConfigError) -> Secrets? in
      guard let node else { return Secrets.none }
      return try Secrets.read(node, paths)
    }
    // If the table of secrets is invalid, assume that every secret exists.
    let lookup =
      secrets.map(blind)
      ?? Template.Lookup(environment: { _ in Template.unknown }, secret: { _ in Template.unknown })
    for (name, node) in nodes {
      part(node) { node throws(ConfigError) in
        try node.map { node throws(ConfigError) in
          try Target(named: name, node, TemplateReader(lookup: lookup, paths: paths))
        }
      }
    }
    let defaultTarget = part { () throws(ConfigError) -> String? in
      let name = try top["default_target"]?.string()
      if knowsTargets, let name, nodes[name] == nil {
        throw ConfigError(keyPath: "default_target", unknownTarget(name, among: Array(nodes.keys)))
      }
      return name
    }
    var settings = Settings(
      file: file, defaultTarget: defaultTarget, nodes: nodes, lines: lines,
      environment: environment, secrets: secrets ?? .none)
    let screen = ScreenReader(file: file, lines: lines)
    part(top["screen"]) { node throws(ConfigError) in
      try screen.readScreen(node, &settings.screen)
    }
    part(top["keys"]) { node throws(ConfigError) in try screen.readKeys(node, &settings.screen) }
    part(top["theme"]) { node throws(ConfigError) in try screen.readTheme(node, &settings.screen) }
    return (settings, mistakes)
  }

  /// The target that `name` stands for: one in the configuration, a URL, or the default target if `name` is nil.
  package func target(_ name: String?) throws(ConfigError) -> Target {
    guard let name = name ?? defaultTarget else {
      throw ConfigError(
        "no target: use --to URL, or set default_target in "
          + (file ?? Self.usualPath(environment: environment)))
    }
    if let node = nodes[name] {
      do throws(ConfigError) {
        let target = try Target(named: name, node, reader(lookup))
        return try ProxyVariables(environment: environment).checked(for: target)
      } catch {
        throw error.placed(in: file, lines)
      }
    }
    // A name with a colon, slash or at sign is probably a URL, so the error is about the URL.
    guard name.utf8.contains(where: { ":/@".utf8.contains($0) }) else {
      throw ConfigError(Self.unknownTarget(name, among: targetNames))
    }
    let url: URL
    do throws(InvalidInput) { url = try TargetURL.parse(name) } catch {
      throw ConfigError(error.description)
    }
    let target = Target(name: TargetURL.shown(url), url: url)
    return try ProxyVariables(environment: environment).checked(for: target)
  }

  /// The target called `name`, without the values of variables and secrets; nil if there is no such target or it is
  /// invalid.
  package func blueprint(of name: String) -> Target? {
    nodes[name].flatMap { node in
      try? Target(named: name, node, reader(Self.blind(secrets)))
    }
  }

  /// A variable that the target called `name` needs, directly or for a secret, and that is not set; nil if there is
  /// none. No file is read for this, and no command is run.
  package func unsetVariable(of name: String) -> String? {
    guard let node = nodes[name] else { return nil }
    var unset: String?
    func value(of variable: String) -> String {
      if environment[variable] == nil { unset = unset ?? variable }
      return Template.unknown
    }
    let lookup = Template.Lookup(environment: { value(of: $0) }) {
      [secrets] name throws(InvalidInput) in
      if case .environment(let variable) = try secrets.source(of: name) {
        return value(of: variable)
      }
      return Template.unknown
    }
    _ = try? Target(named: name, node, reader(lookup))
    return unset
  }

  private static func filePath(_ file: String, _ environment: [String: String]) -> FilePath {
    FilePath(
      folder: URL(fileURLWithPath: file).deletingLastPathComponent().path,
      home: environment["HOME"] ?? "")
  }

  private func reader(_ lookup: Template.Lookup) -> TemplateReader {
    TemplateReader(lookup: lookup, paths: Self.filePath(file ?? "", environment))
  }

  /// A lookup that knows which secrets exist, but not their values.
  private static func blind(_ secrets: Secrets) -> Template.Lookup {
    Template.Lookup(environment: { _ in Template.unknown }) { name throws(InvalidInput) in
      _ = try secrets.source(of: name)
      return Template.unknown
    }
  }

  /// A lookup of variables and secrets that reads each secret only once.
  private var lookup: Template.Lookup {
    let (environment, secrets) = (environment, secrets)
    var known: [String: String] = [:]
    return Template.Lookup(environment: { environment[$0] }) { name throws(InvalidInput) in
      if let value = known[name] { return value }
      let value = try secrets.value(of: name, environment: environment)
      known[name] = value
      return value
    }
  }

  private static func unknownTarget(_ name: String, among names: [String]) -> String {
    let hint =
      NearestName.of(name, among: names).map { "did you mean \"\($0)\"?" }
      ?? (names.isEmpty
        ? "the configuration has no targets; a URL starts with http:// or https://"
        : "the targets are: \(names.sorted().joined(separator: ", "))")
    return "no target is called \"\(name)\"; \(hint)"
  }
}

extension ConfigError {
  /// The error with its file, and with its line if the line can be found.
  func placed(in file: String?, _ lines: KeyLocator) -> ConfigError {
    var error = self
    error.file = file
    if error.line == nil { error.line = lines.line(of: keyPath) }
    return error
  }
}
