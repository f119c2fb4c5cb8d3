import ArgumentParser
import ProcessContext
import ScalarText
import Sessions
import Settings

/// `--config`, and the configuration that it names.
struct ConfigOption: ParsableArguments {
  @Option(
    help: .rare(
      "The configuration file. Default: ~/.config/hoist/config.toml.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?

  func source(in context: Context) -> ConfigSource {
    ConfigSource(named: config, environment: context.environment)
  }

  /// The configuration. Its file must exist only if `--config` names it.
  func load(in context: Context) throws(ConfigError) -> Settings { try source(in: context).load() }

  func loadAndWarn(in context: Context) throws(ConfigError) -> Settings {
    let settings = try load(in: context)
    for warning in settings.warnings { context.output.error("hoist: warning: \(warning)") }
    return settings
  }

  /// The names of the targets, for a shell that completes them.
  static let targetNames: CompletionKind = .custom { words, _, _ in
    // bash makes three words of --config=FILE, other shells one.
    let named =
      words.firstIndex { $0.hasSameScalars(as: "--config") }.flatMap {
        words[($0 + 1)...].first { $0 != "=" }
      }
      ?? words.lazy.compactMap { $0.removingPrefix(scalars: "--config=") }.first
    let settings = try? Settings.load(path: named, environment: Context.process.environment)
    return settings?.targetNames ?? []
  }
}
