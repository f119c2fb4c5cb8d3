import Foundation
import MultipartForm
import Synchronization
import UploadModel

/// File digests that have not been written to the database yet. They are written in batches, since each transaction
/// takes time.
final class NewDigests: Sendable {
  private let waiting = Mutex<[(stamp: FileStamp, digests: ContentDigests)]>([])
  private let hasForgotten = Atomic(false)

  /// Once this many digests have accumulated, they are written even if nothing else is to be written.
  private static let portion = 1024
  /// How many seconds stored digests are kept. Nothing else would remove the digests of a deleted file.
  private static let lifetime = 365.0 * 24 * 60 * 60

  /// Adds the digests of a file. Returns whether enough have accumulated to be written.
  func add(_ digests: ContentDigests, of stamp: FileStamp) -> Bool {
    waiting.withLock { waiting in
      waiting.append((stamp, digests))
      return waiting.count == Self.portion
    }
  }

  /// Writes the digests added so far, in the caller's transaction.
  func write(_ db: Database) throws {
    let new = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !new.isEmpty else { return }
    let now = Date().timeIntervalSince1970
    if !hasForgotten.exchange(true, ordering: .relaxed) {
      try db.execute("DELETE FROM file_digest WHERE learnt < ?", [now - Self.lifetime])
    }
    let insert = try db.statement(
      "INSERT OR REPLACE INTO file_digest VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (stamp, digests) in new {
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
