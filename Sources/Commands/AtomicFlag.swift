import Synchronization

/// Whether something has happened, asked and told on different threads.
final class AtomicFlag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
