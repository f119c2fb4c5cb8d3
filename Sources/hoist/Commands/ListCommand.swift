import ArgumentParser
import Foundation
import ScalarText
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
