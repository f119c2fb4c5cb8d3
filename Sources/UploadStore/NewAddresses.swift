import UploadModel

/// Addresses of sent files that have not been written to the database yet. They are written with the next change of the
/// queue, which is the end of an attempt at the latest.
struct NewAddresses: Sendable {
  private var waiting: [SentAddresses.Entry] = []

  mutating func add(_ entry: SentAddresses.Entry) { waiting.append(entry) }

  /// Returns what was added so far, and holds it no longer.
  mutating func take() -> NewAddresses {
    defer { waiting = [] }
    return self
  }

  /// Writes the addresses, in the caller's transaction. They are closed to all items that are queued now.
  func write(_ db: Database) throws {
    guard !waiting.isEmpty else { return }
    let insert = try db.statement(
      "INSERT OR REPLACE INTO sent_address VALUES (?, ?, ?, ?, (SELECT MAX(id) FROM item))")
    for entry in waiting {
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
