import ArgumentParser
import Foundation
import ProcessContext
import Settings
import UploadModel

struct TargetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "target", abstract: "Create a target, or import one from another program.",
    subcommands: [New.self, Recipes.self, Import.self])

  struct New: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Ask a few questions and write a target into the configuration.",
      discussion: """
        Enter accepts the answer in brackets. Everything else in the file stays as it is. For a service \
        that hoist knows, only what differs is asked for. share/doc/hoist/examples/config.toml, \
        where hoist is installed, shows what else a target can say.
        """)

    @Argument(
      help: "The service, such as nextcloud; see hoist target recipes.",
      completion: .custom { _, _, _ in Recipe.all.map(\.name) })
    var recipe: String?

    @OptionGroup var config: ConfigOption

    func run(in context: Context) throws {
      let source = config.source(in: context)
      let recipe = try recipe.map { name in
        guard let recipe = Recipe.called(name) else {
          throw UserError(TargetInterview.unknownRecipe(name))
        }
        return recipe
      }
      let question = Question(context: context)
      guard question.hasSomebody else {
        throw UserError(
          "standard input is not a terminal, so nobody can answer; write the target into \(source.path) instead"
        )
      }
      try TargetInterview(context: context, question: question, source: source).run(with: recipe)
    }
  }

  struct Recipes: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "recipes", abstract: "List the services that hoist target new knows.")

    func run(in context: Context) throws {
      let width = Recipe.all.map(\.name.utf8.count).max() ?? 0
      for recipe in Recipe.all {
        let name = recipe.name.padding(toLength: width, withPad: " ", startingAt: 0)
        context.output.line("\(name)  \(recipe.title)")
      }
    }
  }

  struct Import: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Import a ShareX custom uploader (.sxcu) into the configuration.",
      discussion: """
        Uploaders that send a file are imported, in the current syntax ({json:link}) and in the \
        older one ($json:link$). What has no counterpart is listed on standard error.
        """)

    @Argument(
      help: ArgumentHelp(
        "The uploader.", valueName: "file.sxcu"), completion: .file(extensions: ["sxcu"]))
    var file: String

    @Option(help: "The name of the target. Default: the uploader's own.")
    var name: String?

    @Flag(help: "Print the target and write nothing.")
    var print = false

    @OptionGroup var config: ConfigOption

    func run(in context: Context) throws {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw UserError("\(file) cannot be read: \(String(cString: strerror(errno)))")
      }
      guard data.count < 1 << 20, let text = String(validating: data, as: UTF8.self) else {
        throw UserError("\(file) is not a ShareX uploader, which is UTF-8 text of less than 1 MiB")
      }
      let uploader: ShareXUploader
      do throws(InvalidInput) { uploader = try ShareXUploader(text) } catch {
        throw UserError("\(file): \(error.description)")
      }
      for note in uploader.notes {
        context.output.error(SafeText.line("hoist: not carried over: \(note)"))
      }
      let name = name ?? uploader.name
      if print {
        let text = TargetText.of(uploader.target, named: name, isRevealing: true)
        for line in SafeText.lines(text).dropLast() { context.output.line(line) }
        return
      }
      let source = config.source(in: context)
      try source.change { try $0.adding(uploader.target, named: name) }
      context.output.error(
        SafeText.line("Written to \(source.path). Upload with --to \(ShellWord.quoted(name))"))
    }
  }
}
