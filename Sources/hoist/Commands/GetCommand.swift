import ArgumentParser
import ProcessContext
import UploadEngine
import UploadModel

struct GetCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print everything a server says about one entry, as JSON.",
    discussion: """
      The target's table server.get says how; without that, the entry is looked up in the list. \
      hoist ls shows the identifiers.
      """)

  @Argument(help: "The target.", completion: ConfigOption.targetNames)
  var target: String

  @Argument(help: "The identifier of the entry.")
  var id: String

  @OptionGroup var config: ConfigOption

  func run(in context: Context) async throws {
    let target = try config.load(in: context).target(target)
    guard target.server.get != nil || target.server.list != nil else {
      throw UserError(
        "the target \(target.name) does not say how to get an entry: it has no server.get and no server.list"
      )
    }
    do throws(Failure) {
      context.output.line(
        JSONLine.text(try await ServerClient(target: target, time: context.time).entry(id)))
    } catch {
      throw UserError(error, doing: "\(SafeText.line(id)) could not be fetched from \(target.name)")
    }
  }
}
