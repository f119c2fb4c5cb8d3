import UploadModel

/// The outcomes of the files in the queue when nothing was left to send.
package struct EndCounts: Hashable, Sendable {
  /// Taken by their servers.
  package var sent: Int
  /// Not arrived.
  package var failed: Int
  /// Sent without an answer.
  package var unknown: Int

  /// In words: "3 files sent, 1 failed".
  package var words: String {
    HumanReadable.count(sent, "file") + " sent" + (failed > 0 ? ", \(failed) failed" : "")
      + (unknown > 0 ? ", \(unknown) unknown" : "")
  }
}
