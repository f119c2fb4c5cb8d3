/// How long sending took, and how much was sent. `SendingClock` makes these figures; everyone who shows them shows the
/// same.
package struct SendingFigures: Hashable, Sendable, Codable {
  /// From the start of the first file to the end of the last, without the times when sending stood still.
  package var seconds: Double
  /// The bytes of the files that arrived, without those that the server had before.
  package var bytes: Int64

  package init(seconds: Double = 0, bytes: Int64 = 0) {
    (self.seconds, self.bytes) = (seconds, bytes)
  }

  /// Bytes per second on average; nil if nothing arrived.
  package var speed: Double? { ThroughputEstimate.mean(of: bytes, in: seconds) }
}
