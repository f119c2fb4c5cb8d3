import ArgumentParser
import Foundation
import JSONText
import ScalarText
import Settings
import UploadEngine
import UploadModel

/// `hoist ls`.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List what is on a target's server already.",
    discussion: """
      The target says how in its table server.list. One line for each entry: its identifier, a tab, \
      and what it is called. With --json, all that the server says of it, one object a line.
      """)

  @Argument(
    help: ArgumentHelp(
      "The target. Without it, the configuration's default_target.", valueName: "target"),
    completion: ConfigOption.targetNames)
  var target: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Added to the address, such as a filter or a page.", valueName: "name=value"))
  var query: [String] = []

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var config: ConfigOption

  func run() async throws {
    let target = try config.load().target(target)
    guard target.server.list != nil else {
      throw UserError("the target \(target.name) does not say how to list: it has no server.list")
    }
    var items: [(name: String, value: String)] = []
    for pair in query {
      let halves = pair.split(scalar: "=", maxSplits: 1)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw UserError("--query: expected NAME=VALUE, and there is no name or no \"=\"")
      }
      items.append((halves[0], halves[1]))
    }
    let entries: [ServerEntry]
    do throws(Failure) {
      entries = try await ServerClient(target: target).entries(query: items)
    } catch {
      throw UserError(error, doing: "\(target.name) was not listed")
    }
    for entry in entries {
      Output.line(
        json
          ? JSONLine.text(entry.value)
          : "\(SafeText.line(entry.id))\t\(SafeText.line(entry.title))")
    }
  }
}

/// `hoist rm`.
struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Delete entries on a target's server.",
    discussion: """
      The target says how in its table server.delete; hoist ls shows the identifiers. It asks before \
      it deletes.
      """)

  @Argument(
    help: ArgumentHelp("The target.", valueName: "target"), completion: ConfigOption.targetNames)
  var target: String

  @Argument(help: ArgumentHelp("The identifiers of what is deleted.", valueName: "id"))
  var ids: [String]

  @Flag(name: .long, help: "Do not ask.")
  var yes = false

  @Flag(
    name: .long, help: "Print one JSON object a line: id, deleted, and message where it is not.")
  var json = false

  @OptionGroup var config: ConfigOption

  func run() async throws {
    let target = try config.load().target(target)
    guard target.server.delete != nil else {
      throw UserError(
        "the target \(target.name) does not say how to delete: it has no server.delete")
    }
    let ids = ArgumentRuns.unfolded(ids)
    let what = ids.count == 1 ? SafeText.line(ids[0]) : "\(ids.count) entries"
    try Question.agree(
      "Delete \(what) on \(SafeText.line(target.name))?", isAgreed: yes,
      otherwise:
        "nothing was deleted: nobody is here to be asked; --yes deletes without a question",
      refused: "nothing was deleted")
    let client = ServerClient(target: target)
    var status = ExitStatus.success
    for id in ids {
      var row: [String: JSONValue] = ["id": .string(id), "deleted": .bool(true)]
      do throws(Failure) {
        try await client.delete(id)
        if !json { Output.error("deleted \(SafeText.line(id))") }
      } catch {
        status = .someFailed
        row["deleted"] = .bool(false)
        row["message"] = .string(error.sentence)
        if !json { Output.error(SafeText.line("hoist: \(id) was not deleted: \(error.sentence)")) }
      }
      if json { Output.line(JSONLine.text(.object(row))) }
    }
    try status.exitUnlessSuccess()
  }
}

extension Failure {
  /// What happened to a request that is no upload, in one sentence without its full stop.
  var sentence: String {
    switch cause {
    case .rejected(let why), .unsendable(let why), .insecure(let why), .network(let why),
      .connectionRefused(let why), .unreachable(let why), .connectionLost(let why):
      "\(headline): \(why)"
    default: headline
    }
  }
}

extension UserError {
  fileprivate init(_ failure: Failure, doing: String) {
    self.init("\(doing): \(SafeText.line(failure.sentence))", status: .someFailed)
  }
}
