import ArgumentParser
import ProcessContext
import ScalarText
import UploadEngine
import UploadModel

struct ListCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List what is already on a target's server.",
    usage: "hoist ls [options] [TARGET]",
    discussion: """
      The target's table server.list describes how. Each entry is one line: its identifier, a tab \
      and its name, or the columns set in that table. With --json, each line is an object with all that the server \
      says about the entry. If a list has several pages, only the first is shown; with \
      --all, every page is.
      """)

  @Argument(
    help: "The target. Without it, the configuration's default_target.",
    completion: ConfigOption.targetNames)
  var target: String?

  @Option(
    help: ArgumentHelp(
      "A query item to add to the address, such as a filter or a page.", valueName: "name=value"))
  var query: [String] = []

  @Flag(help: "List every page.")
  var all = false

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var config: ConfigOption

  func run(in context: Context) async throws {
    let target = try config.load(in: context).target(target)
    guard let list = target.server.list else {
      throw UserError("the target \(target.name) does not say how to list: it has no server.list")
    }
    let items = try query.map { pair in
      let halves = pair.split(scalar: "=", maxSplits: 1)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw UserError("--query: expected NAME=VALUE, but there is no name or no \"=\"")
      }
      return (name: halves[0], value: halves[1])
    }
    let found: ServerClient.Entries
    do throws(Failure) {
      found = try await ServerClient(target: target, time: context.time).entries(
        query: items, pages: all ? ServerClient.mostPages : 1)
    } catch {
      throw UserError(error, doing: "\(target.name) was not listed")
    }
    for entry in found.entries {
      context.output.line(
        json
          ? JSONLine.text(entry.value)
          : list.columns(of: entry).map { SafeText.line($0) }.joined(separator: "\t"))
    }
    guard found.hasMore else { return }
    let total = found.total.map { " of \($0)" } ?? ""
    guard all else {
      return context.output.error(
        "\(found.entries.count)\(total) are listed; --all lists every page")
    }
    throw UserError(
      "there are more than \(ServerClient.mostPages) pages; the later ones were not listed",
      status: .someFailed)
  }
}
