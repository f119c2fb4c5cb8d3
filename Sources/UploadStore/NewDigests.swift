import Foundation
import MultipartForm
import SQLite
import Synchronization
import UploadModel

/// File digests that have not been written to the database yet. They are written in batches, since each transaction
/// takes time.
final class NewDigests: Sendable {
  private let content = Mutex(Content())

  private struct Content {
    var waiting: [(stamp: FileStamp, digests: ContentDigests)] = []
    var hasForgotten = false
  }

  /// Once this many digests have accumulated, they are written even if nothing else is to be written.
  private static let portion = 1024
  /// How many seconds stored digests are kept. Nothing else would remove the digests of a deleted file.
  private static let lifetime = 365.0 * 24 * 60 * 60

  /// Adds the digests of a file. Returns whether enough have accumulated to be written.
  func add(_ digests: ContentDigests, of stamp: FileStamp) -> Bool {
    content.withLock { content in
      content.waiting.append((stamp, digests))
      return content.waiting.count == Self.portion
    }
  }

  /// Writes the digests added so far, in the caller's transaction.
  func write(_ db: Database) throws {
    let (new, isFirst) = content.withLock { content in
      defer { content.waiting = [] }
      let isFirst = !content.hasForgotten && !content.waiting.isEmpty
      if isFirst { content.hasForgotten = true }
      return (content.waiting, isFirst)
    }
    guard !new.isEmpty else { return }
    let now = Date().timeIntervalSince1970
    if isFirst {
      try db.execute(
        "DELETE FROM file_digest WHERE learnt < ?", [now - Self.lifetime])
    }
    let insert = try db.statement(
      "INSERT OR REPLACE INTO file_digest VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (stamp, digests) in new {
      let file = stamp.identity
      for (algorithm, digest) in digests.digits {
        try insert.execute([
          Int64(bitPattern: file.device), Int64(bitPattern: file.inode), algorithm.name, file.size,
          file.modified, stamp.changed, digest, now,
        ])
      }
    }
  }
}
