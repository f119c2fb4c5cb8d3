import ArgumentParser
import Foundation
import Settings

/// `--config`, and what it leads to.
struct ConfigOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The configuration file. Default: ~/.config/hoist/config.toml.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?

  /// Where the configuration lies, or would.
  var path: String { config ?? Settings.usualPath(environment: ProcessInfo.environment) }

  /// The configuration, which need not be there unless it is named.
  func load() throws(ConfigError) -> Settings {
    let settings = try Settings.load(path: config, environment: ProcessInfo.environment)
    // An error in the screen's settings is an error for every command.
    if settings.screen.file != nil { _ = try ScreenPreferences(settings.screen) }
    return settings
  }

  /// The configuration, after its warnings were printed.
  func loadAndWarn() throws(ConfigError) -> Settings {
    let settings = try load()
    for warning in settings.warnings { Output.error("hoist: warning: \(warning)") }
    return settings
  }

  /// Everything that is wrong with it.
  func mistakes() -> [ConfigError] {
    Settings.mistakes(path: config, environment: ProcessInfo.environment) {
      settings throws(ConfigError) in
      _ = try ScreenPreferences(settings.screen)
    }
  }

  /// The names of the targets, for a shell that completes them.
  static let targetNames: CompletionKind = .custom { words, _, _ in
    let named: String? = words.firstIndex { $0 == "--config" }
      .flatMap { words.dropFirst($0 + 1).first }
    let settings = try? Settings.load(
      path: named, environment: ProcessInfo.environment)
    return settings?.targetNames ?? []
  }
}
