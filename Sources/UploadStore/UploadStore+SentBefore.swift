import Foundation
import MultipartForm
import UploadModel

/// What the history says about files that are about to be sent.
extension UploadStore {
  /// An earlier upload of a file to its target.
  package struct EarlierUpload: Hashable, Sendable {
    package var ended: Date
    /// Whether the target has accepted the file. If not, it may have, and only the server can tell.
    package var isCertain: Bool
  }

  /// Earlier uploads of these files that their targets have accepted or may have accepted.
  ///
  /// What counts is the last upload from an item's path: it must have had the same content as an item with a digest, or
  /// the same identity, size and modification time, unless both digests are known and differ. What was sent before
  /// another file took its place may have been replaced on the server, too. If nothing was sent from that path, an
  /// upload of the same content from elsewhere counts. A file that was accepted once counts as accepted, however later
  /// attempts ended, and whichever options the target had.
  ///
  /// - Parameters:
  ///   - target: where all items go, if not each to its own target.
  ///   - isPlaced: whether a target keeps files where their names or paths say. Then only an upload under the same name
  ///     and folder counts.
  ///   - place: returns the absolute path of an item's file.
  package func sentBefore(
    _ items: [UploadItem], to target: String? = nil,
    isPlaced: (TargetName) -> Bool = { _ in false },
    at place: (UploadItem) -> FileLocation = \.location
  ) throws(StoreError) -> [ItemID: EarlierUpload] {
    try read { db in
      let uploads = try SentUploads(db)
      let doubts = try Doubts(db)
      var found: [ItemID: EarlierUpload] = [:]
      let common = target.map { TargetName($0) }
      for item in items {
        let target = common ?? TargetName(item.target)
        let isPlaced = isPlaced(target)
        let location = place(item)
        let last = try uploads.last(from: location, to: target)
        let doubt = doubts.latest(of: item, to: target.base, from: location)
        var moment: Double?
        if let last {
          let hasChanged = doubts.latestOther(than: item, to: target.base, from: location)
          if last.isUpload(of: item, isPlaced: isPlaced), hasChanged ?? 0 <= last.ended {
            moment = last.ended
          }
        } else if !isPlaced, let sum = item.sum {
          moment = try uploads.last(of: sum, to: target)
        }
        found[item.id] = (moment ?? doubt).map {
          EarlierUpload(ended: Date(timeIntervalSince1970: $0), isCertain: moment != nil)
        }
      }
      return found
    }
  }

  /// Whether a row is for the target with a name, with any options.
  static let isTarget = "(target = ? OR substr(target, 1, length(?)) = ?)"
}

/// The uploads that targets have accepted, by `push` and from the queue.
private struct SentUploads {
  /// The last upload from a path.
  struct Upload {
    /// The order in which uploads were recorded.
    var number: Int64
    var ended: Double
    var identity: FileIdentity?
    var sum: [UInt8]?
    var folder: String
    var name: String?

    /// Whether this was the item's file as it is now, sent under the same name if `isPlaced`.
    func isUpload(of item: UploadItem, isPlaced: Bool) -> Bool {
      if isPlaced {
        let name = self.name ?? item.location.name
        guard folder.utf8.elementsEqual(item.folder.utf8),
          name.utf8.elementsEqual(item.fileName.utf8)
        else { return false }
      }
      if let sum, let other = item.sum { return sum == other }
      return identity != nil && identity == item.identity
    }
  }

  private let byPath: [Statement]
  private let bySum: [Statement]

  init(_ db: Database) throws {
    // If only `push` was ever used, nothing was sent from the queue, and one statement suffices.
    let hasQueued: Bool =
      try db.value("SELECT EXISTS (SELECT 1 FROM item WHERE state = 'done')") == true
    func statements(_ columns: String, _ condition: String) throws -> [Statement] {
      let condition = "\(condition) AND \(UploadStore.isTarget)"
      // The indexes are ordered by id, so the search for a pushed file ends at the first row.
      let pushed = """
        SELECT id, ended, \(columns) FROM pushed
        WHERE outcome = \(AttemptOutcome.done.sql) AND \(condition) ORDER BY id DESC LIMIT 1
        """
      let queued = """
        SELECT attempt.id, ended, \(columns) FROM item JOIN attempt
          ON attempt.item = item.id AND attempt.outcome IN \(AttemptOutcome.there.sql)
        WHERE item.state = 'done' AND \(condition) ORDER BY attempt.id DESC LIMIT 1
        """
      return try (hasQueued ? [pushed, queued] : [pushed]).map { try db.statement($0) }
    }
    byPath = try statements(
      "device, inode, size, modified, sum, folder, name", "path_key = ? AND path = ?")
    bySum = try statements("sum", "sum = ?")
  }

  /// The last upload from a path to a target.
  func last(from location: FileLocation, to target: TargetName) throws -> Upload? {
    let key = RecordColumns.key(of: location)
    var last: Upload?
    for statement in byPath {
      try statement.eachRow { row in
        row.add(key)
        row.add(location.bytes)
        Self.add(target, to: &row)
      } _: { row in
        let upload = Upload(
          number: row[0], ended: row[1], identity: Self.identity(row), sum: row[6], folder: row[7],
          name: row[8])
        if last.map({ $0.number < upload.number }) ?? true { last = upload }
        return true
      }
    }
    return last
  }

  /// When a content was last sent to a target.
  func last(of sum: [UInt8], to target: TargetName) throws -> Double? {
    var last: Double?
    for statement in bySum {
      try statement.eachRow { row in
        row.add(sum)
        Self.add(target, to: &row)
      } _: { row in
        last = max(last ?? 0, row[1])
        return true
      }
    }
    return last
  }

  private static func add(_ target: TargetName, to row: inout Parameters) {
    let beginning = target.beginning
    row.add(target.base)
    row.add(beginning)
    row.add(beginning)
  }

  private static func identity(_ row: Row) -> FileIdentity? {
    guard let device: UInt64 = row[2], let inode: UInt64 = row[3], let modified: Int128 = row[5]
    else { return nil }
    return FileIdentity(device: device, inode: inode, size: row[4], modified: modified)
  }
}

/// Uploads that may or may not have arrived. There are few of them, so they are read only once for all files of a
/// lookup.
private struct Doubts {
  private struct Upload {
    var ended: Double
    var identity: FileIdentity
    var sum: [UInt8]?
  }

  /// A path, or a content by its digest.
  private struct Key: Hashable {
    var target: String
    var bytes: [UInt8]
  }

  /// The uploads from each path, the last one last, and when each content was last sent.
  private var files: [Key: [Upload]] = [:]
  private var contents: [Key: Double] = [:]

  /// Reads the uploads through partial indexes.
  init(_ db: Database) throws {
    let file = "device, inode, size, modified, sum, ended"
    let found = """
      SELECT COALESCE(sent_record.target, item.target), COALESCE(sent_record.path, item.path), \(file)
        FROM attempt INDEXED BY attempt_arrival CROSS JOIN item ON item.id = attempt.item
          LEFT JOIN sent_record ON sent_record.attempt = attempt.id
        WHERE arrival IS NOT NULL
      UNION ALL
      SELECT target, path, \(file) FROM pushed INDEXED BY pushed_arrival
        WHERE arrival IS NOT NULL
      ORDER BY ended
      """
    try db.eachRow(found) { row in
      let (target, sum, ended): (String, [UInt8]?, Double) =
        (TargetName(row[0]).base, row[6], row[7])
      if let sum { contents[Key(target: target, bytes: sum)] = ended }
      guard let device: UInt64 = row[2], let inode: UInt64 = row[3], let modified: Int128 = row[5]
      else { return true }
      let identity = FileIdentity(device: device, inode: inode, size: row[4], modified: modified)
      files[Key(target: target, bytes: row[1]), default: []].append(
        Upload(ended: ended, identity: identity, sum: sum))
      return true
    }
  }

  /// When the last doubtful upload of the item ended; nil without one. An upload counts if it sent the same
  /// content, or the same file unless both digests are known and differ.
  func latest(of item: UploadItem, to target: String, from location: FileLocation) -> Double? {
    if files.isEmpty, contents.isEmpty { return nil }
    if let sum = item.sum, let ended = contents[Key(target: target, bytes: sum)] { return ended }
    return files[Key(target: target, bytes: location.bytes)]?.last {
      $0.identity == item.identity && (item.sum == nil || $0.sum == nil)
    }?.ended
  }

  /// When another file or another content may last have arrived from the same path; nil if that has not happened.
  func latestOther(than item: UploadItem, to target: String, from location: FileLocation) -> Double?
  {
    if files.isEmpty { return nil }
    return files[Key(target: target, bytes: location.bytes)]?.last {
      if let sum = $0.sum, let other = item.sum { return sum != other }
      return $0.identity != item.identity
    }?.ended
  }
}
