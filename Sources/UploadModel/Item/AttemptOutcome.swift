/// How an attempt to send a file ended: one word, which the history stores and scripts read.
package struct AttemptOutcome: RawRepresentable, Hashable, Sendable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// The server took the file.
  package static let done = Self(rawValue: "done")
  /// The server had the file already.
  package static let wasThere = Self(rawValue: "there-already")
  /// The server had another file of the name, so the file was not sent.
  package static let skipped = Self(rawValue: "skipped")
  /// The outcome was unclear, and a person says that the file has arrived.
  package static let confirmed = Self(rawValue: "confirmed")
  /// The user paused the attempt.
  package static let paused = Self(rawValue: "paused")
  /// hoist was quit, or told to end, while the attempt was under way.
  package static let stopped = Self(rawValue: "stopped")
  /// The file was put back in line, for a reason that has nothing to do with the file itself.
  package static let withdrawn = Self(rawValue: "withdrawn")
  /// hoist ended in the middle of the attempt, without a chance to record that.
  package static let interrupted = Self(rawValue: "interrupted")

  /// The attempt failed, with this `Failure.code`.
  package static func failed(_ code: String) -> Self { Self(rawValue: code) }

  /// Outcomes that do not count as failures.
  package static let harmless: [Self] = [
    .done, .wasThere, .skipped, .confirmed, .paused, .stopped, .withdrawn,
  ]
}
