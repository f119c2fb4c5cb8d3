import Dispatch
import Synchronization
import UploadModel

/// Passes on the engine's changes to the main queue, in batches: the first at once, later ones after a delay. Otherwise
/// each of thousands of small files a second, and each of a hundred lanes, would wake a thread.
package final class ChangeBuffer: Sendable {
  package typealias Changes = [(ItemID, ItemState)]

  private struct Content {
    var changes: MergedChanges
    var isScheduled = false
    var delays = true
    var due = DispatchTime(uptimeNanoseconds: 1)
  }

  private let content: Mutex<Content>
  private let interval: UInt64
  private let share: UInt64
  private let many: Int
  private let deliver: @MainActor (Changes) -> Void

  /// Passes changes to `deliver`, in order. The delay is `microsecondsEach` for each change in the
  /// previous batch, so that a few changes arrive soon, and many arrive in few batches, but at most `milliseconds`,
  /// which is also the default, and `many` changes do not wait for more. `isMerging` leaves out changes that a later
  /// change of the same item supersedes.
  package init(
    everyMilliseconds milliseconds: UInt64, microsecondsEach: UInt64? = nil,
    many: Int = .max, isMerging: Bool, _ deliver: @escaping @MainActor (Changes) -> Void
  ) {
    interval = milliseconds * 1_000_000
    share = microsecondsEach.map { $0 * 1000 } ?? interval
    self.many = many
    self.deliver = deliver
    content = Mutex(Content(changes: MergedChanges(isMerging: isMerging)))
  }

  /// Takes changes, which are passed on after a delay, or at once if somebody waits for them or there are many.
  package func put(_ changes: Changes, atOnce: Bool = false) {
    let due = content.withLock { content -> DispatchTime? in
      let count = content.changes.count
      for (id, state) in changes { content.changes.put(id, state) }
      defer { content.isScheduled = true }
      if atOnce || count < many && content.changes.count >= many { return .now() }
      return content.isScheduled ? nil : content.due
    }
    guard let due else { return }
    onMain(at: due) { self.deliverNow() }
  }

  /// Ends the delays from the next batch on. Called when few changes are left and somebody waits for the last of them.
  package func endDelays() { content.withLock { $0.delays = false } }

  /// Delivers the changes so far.
  @MainActor
  package func deliverNow() {
    let changes = content.withLock { content in
      let changes = content.changes.drain()
      let delay = content.delays ? min(interval, share * UInt64(max(changes.count, 1))) : 0
      content.isScheduled = false
      content.due = DispatchTime(uptimeNanoseconds: DispatchTime.now().uptimeNanoseconds + delay)
      return changes
    }
    if !changes.isEmpty { deliver(changes) }
  }
}
