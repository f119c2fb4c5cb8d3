import Foundation

/// The state of a run, saved until the run is over.
package struct RunPoint: Hashable, Sendable, Codable {
  package var id = UUID.random()
  package var phase: Phase
  /// The values that the reply to the first request gave.
  package var values: [String: String] = [:]
  /// Whether a server other than the target's own gave these values.
  package var isFromAway = false
  /// Whether the server is known to have any file of the run.
  package var hasFiles = false
  /// Whether the server may have files of the run although `hasFiles` is false: it is unknown whether it has stored a
  /// file that failed, or one that it is still working on.
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

  /// The values in parentheses, for people; empty if there are no values.
  package var words: String {
    if values.isEmpty { return "" }
    let pairs = values.sorted { $0.key < $1.key }.map { "\($0): \(SafeText.line($1))" }
    return " (\(pairs.joined(separator: ", ")))"
  }
}
