import Foundation

/// What is kept of a run until it is over.
package struct RunPoint: Hashable, Sendable, Codable {
  /// Identifies it.
  package var id = UUID.random()
  /// How far it has come.
  package var phase: Phase
  /// What the reply to the first request gave.
  package var values: [String: String] = [:]
  /// Whether a server other than the target's own gave it.
  package var isFromAway = false
  /// Whether it has any files.
  package var hasFiles = false
  /// Whether it may have files all the same: of one that failed, or that the server is working on, nobody knows.
  package var mayHaveFiles: Bool?

  /// How far a run has come.
  package enum Phase: String, Hashable, Sendable, Codable {
    /// Its first request may have left.
    case opening
    /// Files are sent.
    case open
    /// Its last request may have left.
    case closing
    /// The request that discards it may have left.
    case aborting
  }

  package init(_ phase: Phase) { self.phase = phase }

  /// The values, for people.
  var words: String {
    values.isEmpty
      ? ""
      : " (\(values.sorted { $0.key < $1.key }.map { "\($0): \(SafeText.line($1))" }.joined(separator: ", ")))"
  }
}
