import Foundation
import GRDB
import MultipartForm
import UploadModel

extension UploadStore {
  /// When those of these files that their targets already have were sent: those with the same content, if an item has a
  /// digest; and those with the same path, identity, size and modification time, unless their digest was known
  /// and differs.
  ///
  /// - Parameters:
  ///   - target: where they go; by default, each item's own target.
  ///   - place: the absolute path of an item's file.
  /// - Throws: `StoreError` if the queue cannot be read.
  public func sentBefore(
    _ items: [UploadItem], to target: String? = nil,
    at place: (UploadItem) -> FileLocation = \.location
  ) throws(StoreError) -> [ItemID: Date] {
    try read { db in
      // If only `push` was used, nothing was sent from the queue.
      let done = "SELECT EXISTS (SELECT 1 FROM item WHERE state = 'done')"
      let hasQueued = try Bool.fetchOne(db.cachedStatement(sql: done)) == true
      let byIdentity = try Self.lookUps(
        """
        inode = ? AND path = ? AND target = ? AND device = ? AND modified = ? AND size = ?
          AND (? OR sum IS NULL)
        """, hasQueued, db)
      let bySum = try Self.lookUps("sum = ? AND target = ?", hasQueued, db)
      var found: [ItemID: Date] = [:]
      for item in items {
        var moment: Double?
        if let sum = item.sum {
          moment = try Self.latest(bySum) { values in
            values.add(sum)
            values.add(target ?? item.target)
          }
        }
        if moment == nil, let identity = item.identity {
          moment = try Self.latest(byIdentity) { values in
            values.add(Int64(bitPattern: identity.inode))
            values.add(place(item).bytes)
            values.add(target ?? item.target)
            values.add(Int64(bitPattern: identity.device))
            values.add(identity.modified)
            values.add(identity.size)
            values.add(item.sum == nil)
          }
        }
        found[item.id] = moment.map { Date(timeIntervalSince1970: $0) }
      }
      return found
    }
  }

  /// Statements that find when a file was sent, without the queue and with it. The latest comes first: the indexes are
  /// in that order, so the search ends at the first row, however often a file was sent.
  private static func lookUps(
    _ condition: String, _ hasQueued: Bool, _ db: Database
  ) throws -> [Statement] {
    let pushed = """
      SELECT ended FROM pushed WHERE outcome = 'done' AND \(condition) ORDER BY id DESC LIMIT 1
      """
    let queued = """
      SELECT ended FROM item JOIN attempt ON attempt.item = item.id AND attempt.outcome = 'done'
      WHERE item.state = 'done' AND \(condition) ORDER BY item.id DESC LIMIT 1
      """
    return try (hasQueued ? [pushed, queued] : [pushed]).map { try db.cachedStatement(sql: $0) }
  }

  private static func latest(
    _ statements: [Statement], _ values: (inout StatementValues) -> Void
  ) throws -> Double? {
    var latest: Double?
    for statement in statements {
      guard let moment = try statement.first(values) else { continue }
      latest = max(moment, latest ?? moment)
    }
    return latest
  }
}
