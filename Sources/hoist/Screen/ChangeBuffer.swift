import Dispatch
import Synchronization
import UploadModel

/// Gathers the engine's news for a push: the first at once, and from then on what comes within some
/// milliseconds together. Thousands of small files a second would each wake up a thread otherwise.
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
