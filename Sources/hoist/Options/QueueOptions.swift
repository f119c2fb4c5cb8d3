import ArgumentParser
import Foundation
import ProcessContext
import Sessions
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
    let file = path ?? UsualQueue.path(environment)
    do { return try UploadStore(path: file, durability: durability) } catch {
      throw UserError("\(error)")
    }
  }
}
