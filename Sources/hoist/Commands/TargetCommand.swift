import ArgumentParser
import Foundation
import Settings
import UploadModel

/// `hoist target`.
struct TargetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "target", abstract: "Create a target, or import one from another program.",
    subcommands: [New.self, Import.self])

  /// `hoist target new`.
  struct New: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Ask a few questions and write a target into the configuration.",
      discussion: """
        Enter keeps what stands in brackets. Everything else in the file stays as it is. \
        config/config.toml shows what else a target can say.
        """)

    @OptionGroup var config: ConfigOption

    func run(in context: Context) throws {
      let source = config.source(in: context)
      let question = Question(context: context)
      guard question.hasSomebody else {
        throw UserError(
          "standard input is not a terminal, so nobody can answer; write the target into \(source.path) instead"
        )
      }
      let (name, draft) = try Interview(context: context, question: question).draft(in: source)
      try source.change { try $0.adding(draft) }
      context.output.error("Written to \(source.path). Upload with --to \(name)")
    }
  }

  /// Asks the questions whose answers make a target.
  private struct Interview {
    let context: Context
    let question: Question

    /// Asks all of them.
    func draft(in source: ConfigSource) throws -> (name: String, draft: TargetDraft) {
      let taken = try source.load().targetNames
      let name = try answer("Name of the target:") { NewTarget.problem(ofName: $0, taken: taken) }
      var draft = TargetDraft(named: name, file: source.path)
      if try agrees("Is it another hoist, started with hoist receive?") {
        draft.set("type", TargetText.string("hoist"))
      }
      let empty = draft
      let address = try answer("URL that files are sent to:") {
        empty.problem(with: TargetText.string($0), for: "url")
      }
      draft.set("url", TargetText.string(address))
      try ask(TargetQuestion.first, &draft)
      try askForCredentials(&draft)
      if try agrees(
        "Are there more things to set, such as retries or several files in one request?")
      {
        try ask(TargetQuestion.others, &draft)
      }
      return (name, draft)
    }

    /// Asks for keys that fit the answers so far.
    private func ask(_ questions: [TargetQuestion], _ draft: inout TargetDraft) throws {
      for question in questions {
        let (key, before) = (question.key, draft)
        guard before.problem(with: question.value(question.trial), for: key) == nil else {
          continue
        }
        let answer = try answer("\(question.words) [\(question.usual)]:") {
          $0.isEmpty ? nil : before.problem(with: question.value($0), for: key)
        }
        if !answer.isEmpty { draft.set(key, question.value(answer)) }
      }
    }

    /// Asks where the credentials are. They themselves do not belong in the configuration.
    private func askForCredentials(_ draft: inout TargetDraft) throws {
      let ways = ["none", "bearer", "basic", "digest"]
      let way = try answer("Credentials: \(ways.joined(separator: ", ")) [none]:") {
        $0.isEmpty || ways.contains($0) ? nil : "expected one of \(ways.joined(separator: ", "))"
      }
      guard !["", "none"].contains(way) else { return }
      var user: String?
      if way != "bearer" {
        user = try answer("User name:") {
          $0.utf8.contains(UInt8(ascii: ":")) || $0.isEmpty ? "a user name has no colon" : nil
        }
      }
      let what = user == nil ? "token" : "password"
      let variable = try answer("Environment variable with the \(what):") {
        $0.isEmpty ? "a variable is needed" : NewTarget.problem(ofVariable: $0)
      }
      let value = TargetText.string("{env.\(variable)}")
      let credentials =
        user.map { "{ user = \(TargetText.string(Template.braced($0))), password = \(value) }" }
        ?? value
      draft.set("auth", "{ \(way) = \(credentials) }")
    }

    private func agrees(_ question: String) throws -> Bool {
      let answer = try answer("\(question) [y/N]:") { _ in nil }
      return ["y", "yes"].contains(answer.lowercased())
    }

    /// Asks until the answer is valid or the input ends.
    private func answer(_ question: String, _ problem: (String) -> String?) throws -> String {
      while let answer = self.question.ask(question) {
        guard let problem = problem(answer) else { return answer }
        context.output.error(SafeText.line(problem))
      }
      throw UserError("nothing was written", status: .someFailed)
    }
  }

  /// `hoist target import`.
  struct Import: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Import a ShareX custom uploader (.sxcu) into the configuration.",
      discussion: """
        Uploaders that send a file are carried over, in the present syntax ({json:link}) and the one \
        of the years before ($json:link$). What has no counterpart is said on standard error.
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
        throw UserError("\(file) is not a ShareX uploader, which is a short file of UTF-8 text")
      }
      let uploader: ShareXUploader
      do throws(InvalidInput) { uploader = try ShareXUploader(text) } catch {
        throw UserError("\(file) \(error.description)")
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
