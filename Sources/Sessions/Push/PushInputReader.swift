import Dispatch
import FileDiscovery
import Foundation
import Synchronization
import UploadEngine
import UploadModel

/// Enumerates the inputs of a push on a thread of its own and delivers items in batches, the first of them early.
final class PushInputReader: Sendable {
  /// What the reader reports, in order.
  enum News: Sendable {
    /// Items to send. `repeated` of them were sent before, and `perhapsRepeated` may have arrived before.
    case found([UploadItem], repeated: Int, perhapsRepeated: Int)
    /// Items that are not sent.
    case omitted([UploadItem], Omission)
    /// The end of the inputs, or the point at which they were given up: then `isWhole` is false.
    case over(isWhole: Bool)
  }

  private let history: PushHistory?
  private let time: TimeSource
  private let report: @Sendable (News) -> Void
  private let cancellation = CancellationToken()
  private let isOver = Atomic(false)

  /// How long the reader continues after a stop, in seconds.
  private static let patience = 5.0

  init(history: PushHistory?, time: TimeSource, _ report: @escaping @Sendable (News) -> Void) {
    self.history = history
    self.time = time
    self.report = report
  }

  var isStopped: Bool { cancellation.isCancelled }

  /// Starts the thread. It may wait for a pipe or a folder for as long as the program runs.
  func start(_ inputs: PushInputs, _ intake: FileIntake) {
    Thread.detachNewThread { [self] in
      let portion = Portion { self.deliver($0, intake) }
      // The next item may take long to come, so do not hold back the others for it, or keep what only it needs.
      let timer = Self.clock(every: 0.05) { if !portion.handOver() { intake.rest() } }
      let isWhole = inputs.walk(intake, until: cancellation) { item in
        portion.add(item)
        return !isOver.load(ordering: .relaxed)
      }
      timer.cancel()
      portion.handOver()
      intake.rest()
      end(isWhole: isWhole)
    }
  }

  /// Stops sending. The remaining inputs are still enumerated so that a report can name them, but without waiting for a
  /// pipe or a watched folder, and for at most `patience` seconds.
  func stop() {
    guard !isStopped else { return }
    cancellation.cancel()
    _ = time.after(Self.patience, .global()) { [weak self] in self?.end(isWhole: false) }
  }

  /// Ends the reading at once.
  func abandon() {
    _ = isOver.exchange(true, ordering: .relaxed)
    cancellation.cancel()
  }

  private func deliver(_ found: [UploadItem], _ intake: FileIntake) {
    let accompanying = found.compactMap(intake.accompanying)
    if !accompanying.isEmpty { report(.omitted(accompanying, .accompanies)) }
    let left = Set(accompanying.map(\.id))
    let items = left.isEmpty ? found : found.filter { !left.contains($0.id) }
    if items.isEmpty { return }
    let known = history?.look(at: items, until: cancellation) ?? QueueIntake.Added(items: items)
    if !known.skipped.isEmpty { report(.omitted(known.skipped, .skipped)) }
    guard !known.items.isEmpty else { return }
    report(
      .found(
        known.items, repeated: known.repeated, perhapsRepeated: known.perhapsRepeated))
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

  private func end(isWhole: Bool) {
    if !isOver.exchange(true, ordering: .relaxed) { report(.over(isWhole: isWhole)) }
  }
}

/// Items that were found but not delivered yet.
private final class Portion: Sendable {
  private struct Content {
    var items: [UploadItem] = []
    /// What the items have in common: a push may find hundreds of thousands of files before it has sent them.
    var pool = ItemRecord.Pool()
    /// How many items are delivered together. Few at first, so that sending begins soon.
    var size = 32
  }

  private static let mostItems = 256
  private let content = Mutex(Content())
  private let deliver: @Sendable ([UploadItem]) -> Void

  init(_ deliver: @escaping @Sendable ([UploadItem]) -> Void) { self.deliver = deliver }

  func add(_ item: UploadItem) {
    let isFull = content.withLock { content in
      var item = item
      content.pool.share(&item.record)
      content.items.append(item)
      return content.items.count >= content.size
    }
    if isFull { handOver() }
  }

  /// Delivers the items while holding the lock, since otherwise two threads could reverse their order. Returns whether
  /// there were any.
  @discardableResult func handOver() -> Bool {
    content.withLock { content in
      guard !content.items.isEmpty else { return false }
      deliver(content.items)
      (content.items, content.pool) = ([], ItemRecord.Pool())
      content.size = min(2 * content.size, Self.mostItems)
      return true
    }
  }
}
