import Synchronization
import UploadModel

/// Addresses of sent files that have not been written to the database yet. They are written with the next change of the
/// queue, which is the end of an attempt at the latest.
final class NewAddresses: Sendable {
  private let waiting = Mutex<[SentAddresses.Entry]>([])

  func add(_ entry: SentAddresses.Entry) { waiting.withLock { $0.append(entry) } }

  /// Writes the addresses added so far, in the caller's transaction. They are closed to all items that are queued now.
  func write(_ db: Database) throws {
    let new = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !new.isEmpty else { return }
    let insert = try db.statement(
      "INSERT OR REPLACE INTO sent_address VALUES (?, ?, ?, ?, (SELECT MAX(id) FROM item))")
    for entry in new {
      try insert.execute([entry.address, entry.item, entry.inode, entry.path])
    }
  }

  /// Whether an address is closed to none of the items that are still to be sent.
  private static let isOpen =
    "last < (SELECT COALESCE(MIN(id), 9e18) FROM item WHERE listed AND state <> 'done')"

  /// Forgets the addresses that no longer matter.
  static func tidy(_ db: Database) throws {
    try db.execute("DELETE FROM sent_address WHERE \(isOpen)")
  }

  /// The addresses that are closed to items that are still to be sent.
  static func read(_ db: Database) throws -> SentAddresses {
    let sql = "SELECT address, item, inode, path, last FROM sent_address WHERE NOT (\(isOpen))"
    let entries = try db.rows(sql) { row in
      SentAddresses.Entry(
        address: row[0], item: row[1], inode: row[2], path: row[3], last: ItemID(row[4]))
    }
    let refused = try db.rows("SELECT clash, path, id FROM item WHERE listed AND clash IS NOT NULL")
    {
      row in
      (clash: Clash(rawValue: row[0]), path: row[1] as [UInt8], item: ItemID(row[2]))
    }
    return SentAddresses(
      entries,
      refused: refused.compactMap { row in row.clash.map { ($0, row.path, row.item) } })
  }
}
