import Dispatch
import FileDiscovery
import Foundation
import Queue
import UploadEngine
import UploadModel

/// Uploads files from beginning to end and reports on them.
struct Push {
  /// What to send. It is enumerated on a thread of its own while the first files are uploaded.
  let inputs: PushInputs
  @Boxed private(set) var target: Target
  var reporter: any PushReporter
  let context: Context
  /// Where events are logged.
  var journal: Journal?
  /// Whether the first failure ends everything.
  var failsFast = false
  /// Whether the summary lists every file, for a report.
  var keepsResults = false
  var history: PushHistory?
  /// The run that the files belong to, if an earlier push left it open.
  var openRun: RunPoint?

  /// Whether the push runs until it is stopped, so that stopping it is not an interruption.
  var isWatching: Bool { inputs.watch != nil }

  /// Returns when everything is sent or has failed. A first interrupt stops the uploads and still prints the summary,
  /// including all files that were not sent. A second one ends the program at once.
  func run() async -> PushSummary {
    // Reports trigger the supply of new files, so a blocked reader of the output would stop the uploads.
    context.output.beginBackground()
    let (events, feed) = AsyncStream.makeStream(of: PushLoop.Event.self)
    let destination = SendPlan(target)
    let changes = changes(to: feed, hiding: destination.secrets)
    let engine = engine(telling: changes, feed)
    Thread.detachNewThread { TemporaryFolder.clearLeftovers() }
    let signals = context.signals([SIGINT, SIGTERM, SIGHUP])
    let interrupts = signals.stream
    let listener = Task { for await _ in interrupts { feed.yield(.interrupt) } }
    let clock = reporter.tickInterval.map { Self.clock(every: $0) { feed.yield(.tick) } }
    let walk = PushInputReader(history: history, time: context.time) { feed.yield(.walk($0)) }
    walk.start(inputs, FileIntake(for: target, as: inputs.usual))
    defer {
      listener.cancel()
      clock?.cancel()
      walk.abandon()
    }
    var loop = PushLoop(
      self, to: destination, engine: engine, walk: walk, changes: changes, feed: feed)
    loop.begin()
    var iterator = events.makeAsyncIterator()
    while !loop.isOver, let event = await iterator.next() { loop.handle(event) }
    return await loop.end()
  }

  /// Collects the engine's changes, without the target's secrets.
  private func changes(
    to feed: AsyncStream<PushLoop.Event>.Continuation, hiding secrets: Secrets
  ) -> ChangeBuffer {
    let queue = DispatchQueue(label: "hoist.changes", qos: .userInitiated)
    return ChangeBuffer(
      everyMilliseconds: 4, microsecondsEach: 250, on: queue, isMerging: false
    ) { changes in
      feed.yield(.changes(secrets.hidden(in: changes)))
    }
  }

  private func engine(
    telling changes: ChangeBuffer, _ feed: AsyncStream<PushLoop.Event>.Continuation
  ) -> UploadEngine {
    var hooks = EngineHooks()
    hooks.mediaType = FileIntake.mediaType
    hooks.keeping = { id, point in if let point { feed.yield(.kept(id, point)) } }
    hooks.runReport = { _, news in feed.yield(.run(news)) }
    return UploadEngine(
      lanes: OpenFiles.lanes(atMost: UploadEngine.mostLanes), time: context.time, hooks: hooks,
      memory: history?.memory, digests: history?.memory, sent: inputs.sent, preparesAhead: true
    ) { changes.put($0) }
  }

  /// Calls `handler` on a global queue, again and again, until the timer is cancelled.
  static func clock(
    every seconds: Double, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(10))
    timer.setEventHandler(handler: handler)
    timer.activate()
    return timer
  }
}
