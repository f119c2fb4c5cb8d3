import ArgumentParser
import Foundation
import UploadModel
import UploadStore

/// The options that choose the durable queue.
struct QueueOptions: ParsableArguments {
  @Option(
    name: .customLong("queue"),
    help: .rare(
      "The queue file. Default: $HOIST_QUEUE, or ~/.local/state/hoist/queue.sqlite.",
      valueName: "file"))
  var path: String?

  /// Opens the queue, or creates it. For a command that adds nothing, a file that `--queue` names must exist.
  func store(
    in context: Context, mustExist: Bool = false, durability: UploadStore.Durability = .powerLoss
  ) throws -> UploadStore {
    let environment = context.environment
    if mustExist, let path, !FileManager.default.fileExists(atPath: path) {
      throw UserError("--queue \(path): there is no such queue")
    }
    let file = path ?? Self.usualPath(environment)
    do { return try UploadStore(path: file, durability: durability) } catch {
      throw UserError("\(error)")
    }
  }

  private static func usualPath(_ environment: [String: String]) -> String {
    environment["HOIST_QUEUE"].flatMap { $0.isEmpty ? nil : $0 }
      ?? UploadStore.usualPath(environment: environment)
  }

  /// The option that a command needs to act on the queue at `path`, with a space before it; empty for the usual queue.
  static func words(for path: String, _ environment: [String: String]) -> String {
    path == usualPath(environment) ? "" : " --queue \(ShellWord.quoted(SafeText.line(path)))"
  }
}
