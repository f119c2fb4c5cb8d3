import Dispatch
import Synchronization
import UploadModel

/// Batches the engine's changes for a push: the first is delivered at once, later ones every few
/// milliseconds. Otherwise each of thousands of small files a second would wake a thread.
final class ChangeBuffer: Sendable {
  typealias Changes = [(ItemID, ItemState)]

  private struct Content {
    var changes: Changes = []
    var last = DispatchTime(uptimeNanoseconds: 1)
  }

  private static let interval = DispatchTimeInterval.milliseconds(4)
  private let content = Mutex(Content())
  private let queue = DispatchQueue(label: "hoist.changes", qos: .userInitiated)
  private let deliver: @Sendable (Changes) -> Void

  /// News is handed to `deliver`, in order.
  init(_ deliver: @escaping @Sendable (Changes) -> Void) { self.deliver = deliver }

  func put(_ changes: Changes) {
    let due = content.withLock { content -> DispatchTime? in
      defer { content.changes += changes }
      return content.changes.isEmpty ? content.last + Self.interval : nil
    }
    guard let due else { return }
    if due > .now() {
      queue.asyncAfter(deadline: due, flags: .enforceQoS) { self.deliverAll() }
    } else {
      queue.async { self.deliverAll() }
    }
  }

  private func deliverAll() {
    let changes = content.withLock { content in
      content.last = .now()
      defer { content.changes = [] }
      return content.changes
    }
    deliver(changes)
  }
}
