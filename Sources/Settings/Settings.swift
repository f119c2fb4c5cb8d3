import Foundation
import UploadModel

/// The configuration, read and checked as a whole before any of it is used.
public struct Settings {
  /// The file that it was read from; nil where there is none.
  public let file: String?
  /// The target that is used where none is named.
  public let defaultTarget: String?
  private let nodes: [String: ConfigNode]
  private let lines: KeyLines
  private let environment: [String: String]

  /// The names of all targets, sorted.
  public var targetNames: [String] { nodes.keys.sorted() }

  /// Settings without a file: no targets, only defaults.
  public static func none(environment: [String: String]) -> Settings {
    Settings(
      file: nil, defaultTarget: nil, nodes: [:], lines: KeyLines(""), environment: environment)
  }

  private init(
    file: String?, defaultTarget: String?, nodes: [String: ConfigNode], lines: KeyLines,
    environment: [String: String]
  ) {
    self.file = file
    self.defaultTarget = defaultTarget
    self.nodes = nodes
    self.lines = lines
    self.environment = environment
  }

  /// Where the configuration lies unless told otherwise: `$XDG_CONFIG_HOME/hoist/config.toml`, by
  /// default `~/.config/hoist/config.toml` (XDG Base Directory Specification).
  public static func usualPath(environment: [String: String]) -> String {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      return "\(base)/hoist/config.toml"
    }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    return "\(home)/.config/hoist/config.toml"
  }

  /// Reads the file at `path`, or at the usual place where it need not exist.
  public static func load(
    path: String?, environment: [String: String]
  ) throws(ConfigError) -> Settings {
    let file = path ?? usualPath(environment: environment)
    guard path != nil || FileManager.default.fileExists(atPath: file) else {
      return .none(environment: environment)
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: file))
    } catch {
      throw ConfigError(file: file, "cannot be read: \(reason(for: error))")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ConfigError(file: file, "is not UTF-8 text")
    }
    return try parse(text, file: file, environment: environment)
  }

  /// The system's own reason, where there is one beneath Foundation's.
  private static func reason(for error: any Error) -> String {
    let error = error as NSError
    if let beneath = error.userInfo[NSUnderlyingErrorKey] as? POSIXError {
      return String(cString: strerror(beneath.code.rawValue))
    }
    return error.localizedFailureReason ?? error.localizedDescription
  }

  /// Reads the text of a configuration. Every target is checked, so that a mistake is found before
  /// the day on which the target is needed; only `{env.…}` waits until the target is used.
  public static func parse(
    _ text: String, file: String, environment: [String: String]
  ) throws(ConfigError) -> Settings {
    let lines = KeyLines(text)
    do throws(ConfigError) {
      let top = try ConfigNode.parse(text, file: file).table(["default_target", "targets"])
      var nodes: [String: ConfigNode] = [:]
      for (name, node) in try top["targets"]?.entries() ?? [] {
        _ = try TargetReader(environment: { _ in "" }, tls: tlsReader(file, environment))
          .target(named: name, node)
        nodes[name] = node
      }
      let defaultTarget = try top["default_target"]?.string()
      if let defaultTarget, nodes[defaultTarget] == nil {
        throw ConfigError(
          keyPath: "default_target", unknownTarget(defaultTarget, among: Array(nodes.keys)))
      }
      return Settings(
        file: file, defaultTarget: defaultTarget, nodes: nodes, lines: lines,
        environment: environment)
    } catch {
      throw error.placed(in: file, lines)
    }
  }

  /// The target that `name` means: one of the configuration, a URL, or the default one for nil.
  public func target(_ name: String?) throws(ConfigError) -> Target {
    guard let name = name ?? defaultTarget else {
      throw ConfigError(
        "no target: say --to URL, or set default_target in "
          + (file ?? Self.usualPath(environment: environment)))
    }
    if let node = nodes[name] {
      do throws(ConfigError) {
        return try TargetReader(
          environment: { environment[$0] }, tls: Self.tlsReader(file ?? "", environment)
        ).target(named: name, node)
      } catch {
        throw error.placed(in: file, lines)
      }
    }
    // Whoever writes a colon or a slash means a URL, and is told what is wrong with it.
    guard name.contains(where: { ":/@".contains($0) }) else {
      throw ConfigError("--to: \(Self.unknownTarget(name, among: targetNames))")
    }
    do throws(TargetURL.Mistake) {
      let url = try TargetURL.parse(name)
      return Target(name: TargetURL.shown(url), url: url)
    } catch {
      throw ConfigError("--to: \(error.description)")
    }
  }

  /// The target called `name` without what the environment puts into it; nil where there is none.
  public func blueprint(of name: String) -> Target? {
    nodes[name].flatMap { node in
      try? TargetReader(
        environment: { _ in "" }, tls: Self.tlsReader(file ?? "", environment)
      ).target(named: name, node)
    }
  }

  private static func tlsReader(_ file: String, _ environment: [String: String]) -> TLSReader {
    TLSReader(
      folder: URL(fileURLWithPath: file).deletingLastPathComponent().path,
      home: environment["HOME"] ?? "")
  }

  private static func unknownTarget(_ name: String, among names: [String]) -> String {
    let hint =
      NearestName.of(name, among: names).map { "did you mean \"\($0)\"?" }
      ?? (names.isEmpty
        ? "the configuration has no targets; a URL starts with http:// or https://"
        : "there are: \(names.sorted().joined(separator: ", "))")
    return "no target is called \"\(name)\"; \(hint)"
  }
}

extension ConfigError {
  /// The error with the file, and the line where it can be found.
  fileprivate func placed(in file: String?, _ lines: KeyLines) -> ConfigError {
    var error = self
    error.file = file
    if error.line == nil { error.line = lines.line(of: keyPath) }
    return error
  }
}
