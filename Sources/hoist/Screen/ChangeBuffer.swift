import Dispatch
import Synchronization
import UploadModel

/// Hands the engine's changes on in batches: the first at once, later ones once in an interval. Otherwise each of
/// thousands of small files a second, and each of a hundred lanes, would wake a thread.
final class ChangeBuffer: Sendable {
  typealias Changes = [(ItemID, ItemState)]

  private struct Content {
    var changes: MergedChanges
    var isScheduled = false
    var last = DispatchTime(uptimeNanoseconds: 1)
  }

  private let content: Mutex<Content>
  private let interval: DispatchTimeInterval
  private let queue: DispatchQueue
  private let deliver: @Sendable (Changes) -> Void

  /// Hands changes to `deliver`, in order, on `queue`.
  ///
  /// - Parameter isMerging: whether changes are left out that a later one of the same item outdates.
  init(
    every interval: DispatchTimeInterval, on queue: DispatchQueue, isMerging: Bool,
    _ deliver: @escaping @Sendable (Changes) -> Void
  ) {
    (self.interval, self.queue, self.deliver) = (interval, queue, deliver)
    content = Mutex(Content(changes: MergedChanges(isMerging: isMerging)))
  }

  func put(_ changes: Changes) {
    let due = content.withLock { content -> DispatchTime? in
      for (id, state) in changes { content.changes.put(id, state) }
      defer { content.isScheduled = true }
      return content.isScheduled ? nil : content.last + interval
    }
    guard let due else { return }
    if due > .now() {
      queue.asyncAfter(deadline: due, flags: .enforceQoS) { self.deliverNow() }
    } else {
      queue.async { self.deliverNow() }
    }
  }

  /// Delivers what has come so far. To be called on the queue.
  func deliverNow() {
    let changes = content.withLock { content in
      (content.isScheduled, content.last) = (false, .now())
      return content.changes.drain()
    }
    if !changes.isEmpty { deliver(changes) }
  }
}
