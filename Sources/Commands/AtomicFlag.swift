import Synchronization

/// A flag that is set once, and may be read and set on different threads.
final class AtomicFlag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
