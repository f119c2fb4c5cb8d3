import ArgumentParser
import Foundation
import ScalarText
import Screens
import Settings
import UploadModel

/// `hoist target`.
struct TargetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "target", abstract: "Create a target, or import one from another program.",
    subcommands: [New.self, Import.self])

  /// `hoist target new`.
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Ask a few questions and write a target into the configuration.",
      discussion: """
        Everything else in the file stays as it is. config/config.toml shows what else a target can \
        say.
        """)

    @OptionGroup var config: ConfigOption

    func run() throws {
      guard Question.hasSomebody else {
        throw UserError(
          "nobody is here to be asked; write the target into \(config.path) instead")
      }
      let settings = try config.load()
      let taken = settings.targetNames
      let name = try answer("Name of the target:") { NewTarget.problem(ofName: $0, taken: taken) }
      let address = try answer("URL that files are sent to:") { text in
        do throws(TargetURL.SyntaxError) {
          _ = try TargetURL.parse(text)
          return nil
        } catch {
          return error.description
        }
      }
      let field = try answer("Form field that carries the file [file]:") { _ in nil }
      let variable = try answer(
        "Environment variable with a bearer token, if it needs one [none]:",
        NewTarget.problem(ofVariable:))
      let target = try NewTarget(
        TargetAnswers(url: address, name: name, field: field, variable: variable), taken: taken
      ).target
      try TargetCommand.write(target, named: name, to: config.path)
      Output.error("Written to \(config.path). Upload with --to \(name)")
    }

    /// Asks until the answer is valid or the input ends.
    private func answer(_ question: String, _ problem: (String) -> String?) throws -> String {
      while let answer = Question.ask(question) {
        guard let problem = problem(answer) else { return answer }
        Output.error(SafeText.line(problem))
      }
      throw UserError("nothing was written", status: .someFailed)
    }
  }

  /// `hoist target import`.
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Import a ShareX custom uploader (.sxcu) into the configuration.",
      discussion: """
        Uploaders that send a file are carried over, in the present syntax ({json:link}) and the one \
        of the years before ($json:link$). What has no counterpart is said on standard error.
        """)

    @Argument(
      help: ArgumentHelp("The uploader.", valueName: "file.sxcu"),
      completion: .file(extensions: ["sxcu"]))
    var file: String

    @Option(
      name: .long,
      help: ArgumentHelp("The name of the target. Default: the uploader's own."))
    var name: String?

    @Flag(name: .long, help: "Print the target and write nothing.")
    var print = false

    @OptionGroup var config: ConfigOption

    func run() throws {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw UserError("\(file) cannot be read: \(String(cString: strerror(errno)))")
      }
      guard data.count < 1 << 20, let text = String(validating: data, as: UTF8.self) else {
        throw UserError("\(file) is no ShareX uploader: those are short and UTF-8 text")
      }
      let uploader: ShareXUploader
      do throws(ShareXUploader.ImportError) { uploader = try ShareXUploader(text) } catch {
        throw UserError("\(file) \(error.description)")
      }
      for note in uploader.notes {
        Output.error(SafeText.line("hoist: not carried over: \(note)"))
      }
      let name = name ?? uploader.name
      if print {
        let text = TargetText.of(uploader.target, named: name, isRevealing: true)
        for line in SafeText.lines(text).dropLast() { Output.line(line) }
        return
      }
      try TargetCommand.write(uploader.target, named: name, to: config.path)
      Output.error(
        SafeText.line("Written to \(config.path). Upload with --to \(ShellWord.quoted(name))"))
    }
  }

  private static func write(_ target: Target, named name: String, to path: String) throws {
    let file = ConfigFile(path: path)
    let edit = TargetEdit(
      of: try file.text(), file: path, environment: ProcessInfo.processInfo.environment)
    let text: String
    do throws(TargetEdit.EditError) { text = try edit.adding(target, named: name) } catch {
      throw UserError(error.description)
    }
    try file.write(text)
  }
}
