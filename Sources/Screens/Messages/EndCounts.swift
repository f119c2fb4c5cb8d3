import UploadModel

/// The outcomes of the files in the queue when nothing was left to send.
package struct EndCounts: Hashable, Sendable {
  /// How many were taken by their servers.
  package var sent: Int
  /// How many did not arrive.
  package var failed: Int
  /// How many were sent but not answered, so that they may have arrived.
  package var unknown: Int

  /// In words: "3 files sent, 1 failed".
  package var words: String {
    HumanReadable.count(sent, "file") + " sent" + (failed > 0 ? ", \(failed) failed" : "")
      + (unknown > 0 ? ", \(unknown) unknown" : "")
  }
}
