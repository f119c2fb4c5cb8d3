import Dispatch
import ProcessContext
import Queue
import UploadStore

/// Starts a queue that is stopped, or that its sender has stopped for want of room on the disk. Only the sender knows
/// the latter, so that an entry in the queue is not enough.
@MainActor
package enum QueueStarter {
  /// How long the sender gets to confirm, in seconds.
  private static let patience = 5.0

  /// Returns once the sender has confirmed, cannot be reached, or has taken too long. The queue's entry counts for it,
  /// too.
  package static func start(_ store: UploadStore, in context: Context) async throws(StoreError) {
    try store.setStopped(false)
    guard
      let listener = try? SenderListener(
        at: SocketPlace(queue: store.path, environment: context.environment))
    else { return }
    let (news, continuation) = AsyncStream.makeStream(of: [SenderNews].self)
    listener.onNews = { continuation.yield($0) }
    listener.onEnd = { continuation.finish() }
    DispatchQueue.main.asyncAfter(deadline: .now() + patience) { continuation.finish() }
    listener.send(.start(true))
    waiting: for await news in news {
      for case .settings(let settings) in news where settings.isStarted { break waiting }
    }
    listener.stop()
  }
}
