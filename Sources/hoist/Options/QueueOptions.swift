import ArgumentParser
import Foundation
import UploadStore

/// Which durable queue is meant.
struct QueueOptions: ParsableArguments {
  @Option(
    name: .customLong("queue"),
    help: ArgumentHelp(
      "The queue file. Default: $HOIST_QUEUE, or ~/.local/state/hoist/queue.sqlite.",
      valueName: "file"))
  var path: String?

  /// The file that is meant.
  func path(environment: [String: String]) -> String {
    let named = path ?? environment["HOIST_QUEUE"].flatMap { $0.isEmpty ? nil : $0 }
    return named ?? UploadStore.usualPath(environment: environment)
  }

  /// Opens it.
  func store(durability: UploadStore.Durability = .powerLoss) throws -> UploadStore {
    let path = path(environment: ProcessInfo.processInfo.environment)
    do { return try UploadStore(path: path, durability: durability) } catch {
      throw UserError("\(error)")
    }
  }
}
