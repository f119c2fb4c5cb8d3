import Synchronization

/// The latest text that was asked about, so that the lookup of an earlier one can stop.
final class LatestText: Sendable {
  private let text = Mutex("")

  /// Makes `text` the latest one.
  func set(_ text: String) { self.text.withLock { $0 = text } }

  /// Whether this is still the latest one.
  func isStill(_ text: String) -> Bool { self.text.withLock { $0 == text } }
}
