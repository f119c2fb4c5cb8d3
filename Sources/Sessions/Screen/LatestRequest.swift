import Synchronization

/// Numbers the requests of a kind of which only the last one is to be answered: somebody types, or moves the cursor, and
/// asks anew.
final class LatestRequest: Sendable {
  private let last = Atomic(0)

  /// The number of a new request. Earlier ones are no longer wanted.
  func next() -> Int { last.add(1, ordering: .relaxed).newValue }

  func isLast(_ number: Int) -> Bool { last.load(ordering: .relaxed) == number }
}
