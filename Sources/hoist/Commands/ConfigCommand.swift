import ArgumentParser
import ProcessContext
import Settings
import UploadModel

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check the configuration, print its path, or show it.",
    subcommands: [Check.self, Path.self, Show.self])

  struct Check: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Read the configuration, and say what is wrong with it.",
      discussion: """
        Secrets are not read and nothing is sent. Prints the mistakes in the order of the file, and exits with \
        2 if there are any. Some are found only once others are corrected. Warns of secrets that other users can \
        read, and of rules for replies that say only what a bad one looks like.
        """)

    @OptionGroup var config: ConfigOption

    func run(in context: Context) throws {
      let mistakes = config.source(in: context).mistakes()
      for mistake in mistakes { context.output.error("hoist: \(mistake)") }
      guard mistakes.isEmpty else { throw ExitCode(ExitStatus.usage.rawValue) }
      let settings = try config.loadAndWarn(in: context)
      for advice in settings.advice { context.output.error("hoist: advice: \(advice)") }
      guard let file = settings.file else {
        context.output.line(
          "\(SafeText.line(config.source(in: context).path)): there is no configuration, and none is needed"
        )
        return
      }
      let count = HumanReadable.count(settings.targetNames.count, "target")
      context.output.line("\(SafeText.line(file)): \(count), no mistakes")
    }
  }

  struct Path: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "path", abstract: "Print where the configuration is, or would be.")

    @OptionGroup var config: ConfigOption

    func run(in context: Context) { context.output.line(config.source(in: context).path) }
  }

  struct Show: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a target, or all of them, with every value that is in force.",
      discussion: """
        The output is TOML. Secrets are shown by their names, or as "…" if they are written in the \
        configuration itself. Paths are absolute.
        """)

    @Argument(help: "The target. Default: all of them.", completion: ConfigOption.targetNames)
    var target: String?

    @OptionGroup var config: ConfigOption

    func run(in context: Context) throws {
      let settings = try config.load(in: context)
      if let target, settings.blueprint(of: target) == nil {
        // Throws an error that names the targets that exist.
        _ = try settings.target(target)
      }
      var texts: [String] = []
      if target == nil, let name = settings.defaultTarget {
        texts.append("default_target = \(TargetText.string(name))\n")
      }
      for name in target.map({ [$0] }) ?? settings.targetNames {
        guard let target = settings.blueprint(of: name) else { continue }
        texts.append(TargetText.of(target, named: name, showsDefaults: true))
      }
      for line in SafeText.lines(texts.joined(separator: "\n")).dropLast() {
        context.output.line(line)
      }
    }
  }
}
