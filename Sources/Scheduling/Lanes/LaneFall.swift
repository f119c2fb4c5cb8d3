import UploadModel

/// That hoist sends a target fewer requests at once because of what its server answered. It is over once there are more
/// again.
package struct LaneFall: Hashable, Sendable, Codable {
  /// How many there were before the first such answer.
  package var before: Int
  /// When that came.
  package var since: Instant
  /// What it was: "500 Internal Server Error".
  package var why: String

  package init(before: Int, since: Instant, why: String) {
    (self.before, self.since, self.why) = (before, since, why)
  }
}

extension TransferEnd {
  /// The end of a request, in a few words.
  package var outcomeWords: String? {
    status.map(Failure.statusLine) ?? trouble.map { Failure($0).headline }
  }
}
