import HTTPTransport
import UploadModel

/// For how long nothing has moved in an exchange. Whether a request has stalled is decided by this, for uploads and
/// for the small requests beside them.
struct StallWatch {
  /// When a byte last moved in either direction.
  private(set) var lastActivity: Instant
  /// When the final reply began.
  private(set) var replyStart: Instant?
  /// How far it was when it was last looked at, and when that was.
  private var last = (progress: Exchange.Progress(), at: Instant(seconds: 0))

  /// Seconds between two looks.
  static let interval = 0.25
  /// After a longer time without a look the process was stopped (^Z), or the machine slept, for which nobody can be
  /// blamed.
  private static let longestGap = 2.0

  init(from start: Instant) {
    lastActivity = start
    last.at = start
  }

  /// How long a reply may take as a whole, in time-outs: one that trickles is never silent.
  static let mostReplyTimeouts = 4.0

  /// Whether nothing has moved for this many seconds, or a reply does not end.
  func isOverdue(at now: Instant, _ stallTimeout: Double) -> Bool {
    now - lastActivity >= stallTimeout || isReplyOverdue(at: now, stallTimeout)
  }

  /// Whether a reply goes on for too long.
  func isReplyOverdue(at now: Instant, _ stallTimeout: Double) -> Bool {
    replyStart.map { now - $0 > Self.mostReplyTimeouts * stallTimeout } ?? false
  }

  /// Notes that something has moved.
  mutating func recordActivity(at now: Instant) { lastActivity = now }

  /// Looks whether something has moved since the last time.
  mutating func look(_ progress: Exchange.Progress, at now: Instant) {
    let (before, gap) = (last.progress, now - last.at)
    last = (progress, now)
    if progress.hasMoved(since: before) || gap > Self.longestGap { lastActivity = now }
    if gap > Self.longestGap { replyStart = nil }
    // A reply that came before the body's end, or to an earlier copy, is no reason to hurry.
    if !progress.hasReplyBegun || progress.acknowledged != before.acknowledged {
      replyStart = nil
    } else if replyStart == nil {
      replyStart = now
    }
  }
}

extension Transport {
  /// How a request ends that nobody else watches; no end where it has stalled, or the task that waits was
  /// cancelled, which ends the request.
  ///
  /// - Parameter stallTimeout: after how many seconds without a byte in either direction it is ended.
  func end(
    of request: ExchangeRequest, stallTimeout: Double, time: TimeSource
  ) async -> (end: ExchangeEnd?, hasStalled: Bool) {
    let (ends, continuation) = AsyncStream.makeStream(of: ExchangeEnd.self)
    let exchange = exchange(request) { event in
      guard case .ended(let end) = event else { return }
      continuation.yield(end)
      continuation.finish()
    }
    let watching = Task {
      var watch = StallWatch(from: time.now())
      while !watch.isOverdue(at: time.now(), stallTimeout) {
        await time.sleep(min(StallWatch.interval, stallTimeout))
        if Task.isCancelled { return false }
        watch.look(exchange.transferProgress, at: time.now())
      }
      exchange.cancel()
      return true
    }
    exchange.resume()
    let waiting = Task { await ends.first { _ in true } }
    let end = await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      exchange.cancel()
    }
    watching.cancel()
    let hasStalled = await watching.value
    guard let end else { return (nil, hasStalled) }
    // The reply may have come in the last moment.
    if case .cancelled? = end.trouble?.kind { return (nil, hasStalled) }
    return (end, false)
  }
}
