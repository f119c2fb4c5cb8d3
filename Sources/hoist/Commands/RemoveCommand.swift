import ArgumentParser
import JSONText
import ProcessContext
import UploadEngine
import UploadModel

struct RemoveCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Delete entries on a target's server.",
    discussion: """
      The target's table server.delete says how; hoist ls shows the identifiers. hoist asks before \
      it deletes.
      """)

  @Argument(help: "The target.", completion: ConfigOption.targetNames)
  var target: String

  @Argument(help: ArgumentHelp("The identifiers of the entries to delete.", valueName: "id"))
  var ids: [String]

  @Flag(help: "Do not ask.")
  var yes = false

  @Flag(
    help: "Print one JSON object per line: id, deleted (null if unknown), and message if it failed."
  )
  var json = false

  @OptionGroup var config: ConfigOption

  func run(in context: Context) async throws {
    let target = try config.load(in: context).target(target)
    guard target.server.delete != nil else {
      throw UserError(
        "the target \(target.name) does not say how to delete: it has no server.delete")
    }
    let ids = ArgumentLists.unfolded(ids)
    let what = ids.count == 1 ? SafeText.line(ids[0]) : "\(ids.count) entries"
    try Question(context: context).agree(
      "Delete \(what) on \(SafeText.line(target.name))?", isAgreed: yes,
      refused: "nothing was deleted", hint: "--yes deletes without asking")
    let client = ServerClient(target: target, time: context.time)
    var status = ExitStatus.success
    for id in ids {
      var row: [String: JSONValue] = ["id": .string(id), "deleted": .bool(true)]
      do throws(Failure) {
        try await client.delete(id)
        if !json { context.output.error("deleted \(SafeText.line(id))") }
      } catch {
        status = .someFailed
        let isUnknown = error.mayHaveArrived
        row["deleted"] = isUnknown ? .null : .bool(false)
        row["message"] = .string(error.sentence)
        if !json {
          let words = isUnknown ? "whether \(id) was deleted is unknown" : "\(id) was not deleted"
          context.output.error(SafeText.line("hoist: \(words): \(error.sentence)"))
        }
      }
      if json { context.output.line(JSONLine.text(.object(row))) }
    }
    try status.exitUnlessSuccess()
  }
}
