import UploadModel

/// What had become of the files in the queue when nothing was left to send.
public struct EndCounts: Hashable, Sendable {
  /// Taken by their servers.
  public var sent: Int
  /// Not arrived.
  public var failed: Int
  /// Sent without an answer.
  public var unknown: Int

  /// In words: "3 files sent, 1 failed".
  public var words: String {
    HumanReadable.count(sent, "file") + " sent" + (failed > 0 ? ", \(failed) failed" : "")
      + (unknown > 0 ? ", \(unknown) unknown" : "")
  }
}
