import Foundation
import FoundationNetworking
import HTTPTransport
import UploadModel

/// Measures how long a task has made no progress. Decides whether a request has stalled, for uploads and for the small
/// requests beside them.
struct StallWatch {
  /// When a byte last moved in either direction.
  private(set) var lastActivity: Instant
  /// When the final reply began.
  private(set) var replyStart: Instant?
  /// The progress at the last check, and the time of that check.
  private var last = (progress: UploadTask.Progress(), at: Instant(seconds: 0))

  /// Seconds between two checks.
  static let interval = 0.25
  /// If more seconds than this pass between two checks, the process was stopped (^Z) or the machine slept, which is not
  /// the server's fault.
  private static let longestGap = 2.0

  init(from start: Instant) {
    lastActivity = start
    last.at = start
  }

  /// The longest time that a whole reply may take, as a multiple of the time-out, since a reply that trickles in is
  /// never silent for long.
  private static let mostReplyTimeouts = 4.0
  /// The longest time in seconds that the reply to the last request of an upload in pieces may take, if that is more.
  /// While a server joins the pieces, it may send white space to show that it is at work (S3).
  private static let longestJoin = 600.0

  /// Whether nothing has moved for this many seconds, or a reply takes too long.
  func isOverdue(at now: Instant, _ stallTimeout: Double) -> Bool {
    now - lastActivity >= stallTimeout || isReplyOverdue(at: now, stallTimeout)
  }

  /// `endsUpload` says whether the request is the last one of an upload in pieces.
  func isReplyOverdue(
    at now: Instant, _ stallTimeout: Double, endsUpload: Bool = false
  ) -> Bool {
    let limit = max(Self.mostReplyTimeouts * stallTimeout, endsUpload ? Self.longestJoin : 0)
    return replyStart.map { now - $0 > limit } ?? false
  }

  mutating func recordActivity(at now: Instant) { lastActivity = now }

  /// Checks whether anything has moved since the last check.
  mutating func look(_ progress: UploadTask.Progress, at now: Instant) {
    let (before, gap) = (last.progress, now - last.at)
    last = (progress, now)
    if progress.hasMoved(since: before) || gap > Self.longestGap { lastActivity = now }
    if gap > Self.longestGap { replyStart = nil }
    // A reply that came before the body's end, or to an earlier copy of the body, does not start the time limit.
    if !progress.hasReplyBegun || progress.acknowledged != before.acknowledged {
      replyStart = nil
    } else if replyStart == nil {
      replyStart = now
    }
  }
}

extension UploadSession {
  /// Runs a request that nobody else watches and returns its end; nil if it stalled, or if the waiting task was
  /// cancelled, which cancels the request.
  ///
  /// - Parameter stallTimeout: the seconds without a byte in either direction after which the request is cancelled.
  func end(
    of request: ExchangeRequest, stallTimeout: Double, time: TimeSource
  ) async -> (end: ExchangeEnd?, hasStalled: Bool) {
    let (ends, continuation) = AsyncStream.makeStream(of: ExchangeEnd.self)
    let task = task(request, delegate: EndListener(continuation))
    let watching = Task {
      var watch = StallWatch(from: time.now())
      while !watch.isOverdue(at: time.now(), stallTimeout) {
        await time.sleep(min(StallWatch.interval, stallTimeout))
        if Task.isCancelled { return false }
        watch.look(task.transferProgress, at: time.now())
      }
      task.cancel()
      return true
    }
    task.resume()
    let waiting = Task { await ends.first { _ in true } }
    let end = await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      task.cancel()
    }
    watching.cancel()
    let hasStalled = await watching.value
    guard let end else { return (nil, hasStalled) }
    // The reply may have arrived at the last moment.
    if case .cancelled? = end.trouble?.kind { return (nil, hasStalled) }
    return (end, false)
  }
}

/// Waits for a task's end.
private final class EndListener: NSObject, UploadTaskDelegate {
  private let ends: AsyncStream<ExchangeEnd>.Continuation

  init(_ ends: AsyncStream<ExchangeEnd>.Continuation) { self.ends = ends }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    if let task = task as? UploadTask { ends.yield(task.end) }
    ends.finish()
  }
}
