import Dispatch
import Synchronization
import UploadModel

/// Delivers the engine's changes to the main queue, merged and at most ten times a second, so that a hundred
/// lanes cost the screen no more than one.
final class ChangeThrottle: Sendable {
  private struct Content {
    var changes = MergedChanges()
    var isScheduled = false
    var lastDelivery = DispatchTime(uptimeNanoseconds: 1)
  }

  private static let interval = DispatchTimeInterval.milliseconds(100)
  private let content = Mutex(Content())
  private let deliver: @MainActor @Sendable ([(ItemID, ItemState)]) -> Void

  /// News is handed to `deliver`, merged.
  init(_ deliver: @escaping @MainActor @Sendable ([(ItemID, ItemState)]) -> Void) {
    self.deliver = deliver
  }

  func put(_ changes: [(ItemID, ItemState)]) {
    let time = content.withLock { content -> DispatchTime? in
      for (id, state) in changes { content.changes.put(id, state) }
      if content.isScheduled { return nil }
      content.isScheduled = true
      return max(.now(), content.lastDelivery + Self.interval)
    }
    guard let time else { return }
    DispatchQueue.main.asyncAfter(deadline: time) { [self] in
      MainActor.assumeIsolated { deliverNow() }
    }
  }

  /// Delivers what has come so far.
  @MainActor
  func deliverNow() {
    let changes = drain()
    if !changes.isEmpty { deliver(changes) }
  }

  private func drain() -> [(ItemID, ItemState)] {
    content.withLock { content in
      content.isScheduled = false
      content.lastDelivery = .now()
      return content.changes.drain()
    }
  }
}
