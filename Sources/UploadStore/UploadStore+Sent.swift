import Foundation
import GRDB
import MultipartForm
import UploadModel

extension UploadStore {
  /// An earlier upload of a file to its target.
  package struct EarlierUpload: Hashable, Sendable {
    /// When the upload ended.
    package var ended: Date
    /// Whether the target has accepted the file. If not, it may have, and only the server can tell.
    package var isCertain: Bool
  }

  /// Earlier uploads of these files that their targets have accepted, or may have: those with the same content,
  /// if an item has a digest; and those with the same path, identity, size and modification time, unless their
  /// digest is known and differs. A file that was accepted once counts as accepted, whatever became of later
  /// attempts.
  ///
  /// - Parameters:
  ///   - target: where the files will go; by default, each item's own target.
  ///   - place: returns the absolute path of an item's file.
  /// - Throws: `StoreError` if the queue cannot be read.
  package func sentBefore(
    _ items: [UploadItem], to target: String? = nil,
    at place: (UploadItem) -> FileLocation = \.location
  ) throws(StoreError) -> [ItemID: EarlierUpload] {
    try read { db in
      // If only `push` was ever used, nothing was sent from the queue, and one statement suffices.
      let done = "SELECT EXISTS (SELECT 1 FROM item WHERE state = 'done')"
      let hasQueued = try Bool.fetchOne(db.cachedStatement(sql: done)) == true
      let byIdentity = try Self.lookUps(
        """
        inode = ? AND path = ? AND target = ? AND device = ? AND modified = ? AND size = ?
          AND (? OR sum IS NULL)
        """, hasQueued, db)
      let bySum = try Self.lookUps("sum = ? AND target = ?", hasQueued, db)
      let doubts = try Doubts(db)
      var found: [ItemID: EarlierUpload] = [:]
      for item in items {
        let target = target ?? item.target
        var moment: Double?
        if let sum = item.sum {
          moment = try Self.latest(bySum) { values in
            values.add(sum)
            values.add(target)
          }
        }
        if moment == nil, let identity = item.identity {
          moment = try Self.latest(byIdentity) { values in
            values.add(Int64(bitPattern: identity.inode))
            values.add(place(item).bytes)
            values.add(target)
            values.add(Int64(bitPattern: identity.device))
            values.add(identity.modified)
            values.add(identity.size)
            values.add(item.sum == nil)
          }
        }
        let isCertain = moment != nil
        if !isCertain { moment = doubts.latest(of: item, to: target, at: place) }
        found[item.id] = moment.map {
          EarlierUpload(ended: Date(timeIntervalSince1970: $0), isCertain: isCertain)
        }
      }
      return found
    }
  }

  /// Statements that find when a file was last sent, without the queue and, if `hasQueued`, with it. The
  /// indexes are in that order, so the search ends at the first row, however often a file was sent.
  private static func lookUps(
    _ condition: String, _ hasQueued: Bool, _ db: Database
  ) throws -> [Statement] {
    let done = AttemptOutcome.done.sql
    let pushed = """
      SELECT ended FROM pushed WHERE outcome = \(done) AND \(condition) ORDER BY id DESC LIMIT 1
      """
    let queued = """
      SELECT ended FROM item JOIN attempt ON attempt.item = item.id AND attempt.outcome = \(done)
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

/// Uploads that may or may not have arrived. There are few, so reading them once serves all files of a lookup.
private struct Doubts {
  private struct File: Hashable {
    var target: String
    var path: [UInt8]
    var identity: FileIdentity
  }

  private struct Content: Hashable {
    var target: String
    var sum: [UInt8]
  }

  /// When each of these uploads ended, and the digest of what was sent, if one was computed.
  private var files: [File: (ended: Double, sum: [UInt8]?)] = [:]
  private var contents: [Content: Double] = [:]

  /// Reads the uploads through partial indexes. Their condition, in `Schema`, has to have the same outcomes in the same
  /// order, or SQLite refuses the query.
  init(_ db: Database) throws {
    let file = "path, device, inode, size, modified, sum, ended"
    let doubtful = AttemptOutcome.doubtful.sql
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT COALESCE(sent_to, target), \(file) FROM attempt INDEXED BY attempt_doubt
            CROSS JOIN item ON item.id = attempt.item WHERE outcome IN \(doubtful)
          UNION ALL
          SELECT target, \(file) FROM pushed INDEXED BY pushed_doubt
            WHERE outcome IN \(doubtful)
          ORDER BY ended
          """))
    while let row = try rows.next() {
      let (target, sum, ended): (String, [UInt8]?, Double) = (row[0], Self.bytes(row[6]), row[7])
      if let sum { contents[Content(target: target, sum: sum)] = ended }
      guard let device = row[2] as Int64?, let inode = row[3] as Int64?,
        let modified = row[5] as Int64?
      else { continue }
      let identity = FileIdentity(
        device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), size: row[4],
        modified: modified)
      let file = File(target: target, path: Self.bytes(row[1]) ?? [], identity: identity)
      files[file] = (ended, sum)
    }
  }

  /// When the last of these uploads of the item ended: of the same content, or of the same file unless both
  /// digests are known and differ.
  func latest(
    of item: UploadItem, to target: String, at place: (UploadItem) -> FileLocation
  ) -> Double? {
    if files.isEmpty, contents.isEmpty { return nil }
    if let sum = item.sum, let ended = contents[Content(target: target, sum: sum)] { return ended }
    guard let identity = item.identity,
      let known = files[File(target: target, path: place(item).bytes, identity: identity)],
      item.sum == nil || known.sum == nil
    else { return nil }
    return known.ended
  }

  private static func bytes(_ data: Data?) -> [UInt8]? { data.map(Array.init) }
}
