import Foundation
import UploadEngine
import UploadModel

/// Says what happens to a queue that is uploaded without a screen.
protocol PushReporter {
  /// An item has joined the queue.
  mutating func queued(_ item: UploadItem)
  /// An item has a new state.
  mutating func changed(_ item: UploadItem, at now: Moment)
  /// Everything is over.
  mutating func summary(_ summary: PushSummary)
}

/// What became of a queue.
struct PushSummary {
  var sent = 0
  var failed: [(item: UploadItem, failure: Failure)] = []
  /// The bytes of the files that arrived.
  var bytes: Int64 = 0
  var seconds = 0.0
  var isInterrupted = false

  var status: ExitStatus {
    if isInterrupted { return .interrupted }
    return failed.isEmpty ? .success : .someFailed
  }
}

/// Uploads a queue from beginning to end and reports on it.
struct Push {
  let items: [UploadItem]
  let target: Target
  var reporter: any PushReporter

  private enum Event: Sendable {
    case changes([(ItemID, ItemState)])
    case interrupt
  }

  /// Returns when everything is sent or has failed. A first interrupt stops the uploads and still
  /// gives the summary; a second one ends the program at once.
  mutating func run() async -> ExitStatus {
    let time = TimeSource.system
    let start = time.now()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let engine = UploadEngine(lanes: target.concurrency, time: time) {
      continuation.yield(.changes($0))
    }
    engine.setLimit(target.rateLimit)
    let signals = Signals([SIGINT, SIGTERM])
    let interrupts = signals.stream
    let listener = Task {
      for await _ in interrupts { continuation.yield(.interrupt) }
    }
    defer { listener.cancel() }

    var queue = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    var summary = PushSummary()
    for item in items {
      reporter.queued(item)
      if item.state.isFinished { reporter.changed(item, at: time.now()) }
    }
    let sendable = items.filter { !$0.state.isFinished }
    engine.submit(sendable.map { UploadJob(item: $0, target: target) })

    var open = sendable.count
    var iterator = events.makeAsyncIterator()
    while open > 0, let event = await iterator.next() {
      switch event {
      case .interrupt where summary.isInterrupted:
        exit(ExitStatus.interrupted.rawValue)
      case .interrupt:
        summary.isInterrupted = true
        engine.cancel(sendable.map(\.id))
      case .changes(let changes):
        for (id, state) in changes {
          guard var item = queue[id] else { continue }
          item.state = state
          queue[id] = item
          reporter.changed(item, at: time.now())
          if state.isFinished { open -= 1 }
        }
      }
    }
    for item in items.compactMap({ queue[$0.id] }) {
      switch item.state {
      case .done:
        summary.sent += 1
        summary.bytes &+= item.size
      case .failed(let failure): summary.failed.append((item, failure))
      case .waiting, .preparing, .sending, .awaitingReply, .retrying, .paused: break
      }
    }
    summary.seconds = time.now() - start
    reporter.summary(summary)
    await engine.shutDown()
    return summary.status
  }
}
