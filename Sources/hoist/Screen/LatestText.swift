import Synchronization

/// The last of some texts that were asked about: whoever looks up an earlier one may stop.
final class LatestText: Sendable {
  private let text = Mutex("")

  /// Asks about another one.
  func set(_ text: String) { self.text.withLock { $0 = text } }

  /// Whether it is still this one.
  func isStill(_ text: String) -> Bool { self.text.withLock { $0 == text } }
}
