import Dispatch
import ProcessContext
import Queue
import UploadStore

/// What the process that sends a queue says of it now.
@MainActor
enum SenderGlance {
  /// How long that process gets to answer, in seconds.
  private static let patience = 1.0

  /// Nil if no process sends the queue, or if that one does not answer.
  static func status(of store: UploadStore, in context: Context) async -> SenderStatus? {
    guard
      let listener = try? SenderListener(
        at: SocketPlace(queue: store.path, environment: context.environment))
    else { return nil }
    defer { listener.stop() }
    let (news, continuation) = AsyncStream.makeStream(of: [SenderNews].self)
    listener.onNews = { continuation.yield($0) }
    listener.onEnd = { continuation.finish() }
    DispatchQueue.main.asyncAfter(deadline: .now() + patience) { continuation.finish() }
    var status = SenderStatus()
    for await news in news {
      for news in news { status.record(news) }
      if news.contains(.complete) { return status }
    }
    return nil
  }
}
