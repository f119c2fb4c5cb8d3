import Foundation
import MultipartForm
import UploadModel

/// File digests that have not been written to the database yet. They are written in batches, since each transaction
/// takes time.
struct NewDigests: Sendable {
  private var waiting: [(stamp: FileStamp, digests: ContentDigests)] = []
  /// Whether none were written before.
  private var isFirst = true

  /// Once this many digests have accumulated, they are written even if nothing else is to be written.
  private static let portion = 1024
  /// How many seconds stored digests are kept. Nothing else would remove the digests of a deleted file.
  private static let lifetime = 365.0 * 24 * 60 * 60

  /// Adds the digests of a file. Returns whether enough have accumulated to be written.
  mutating func add(_ digests: ContentDigests, of stamp: FileStamp) -> Bool {
    waiting.append((stamp, digests))
    return waiting.count == Self.portion
  }

  /// Returns what was added so far, and holds it no longer.
  mutating func take() -> NewDigests {
    guard !waiting.isEmpty else { return self }
    defer { (waiting, isFirst) = ([], false) }
    return self
  }

  /// Writes the digests, in the caller's transaction.
  func write(_ db: Database) throws {
    guard !waiting.isEmpty else { return }
    let now = Date().timeIntervalSince1970
    if isFirst {
      try db.execute("DELETE FROM file_digest WHERE learnt < ?", [now - Self.lifetime])
    }
    let insert = try db.statement(
      "INSERT OR REPLACE INTO file_digest VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (stamp, digests) in waiting {
      let file = stamp.identity
      for (algorithm, digest) in digests.digits {
        try insert.execute([
          file.device, file.inode, algorithm.name, file.size, file.modified, stamp.changed, digest,
          now,
        ])
      }
    }
  }
}
