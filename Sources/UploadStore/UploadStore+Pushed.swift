import Foundation
import GRDB
import MultipartForm
import UploadModel

/// The history of files that were sent without the queue: those of `push`.
extension UploadStore {
  /// Records the results of files that were never in the queue.
  ///
  /// - Parameters:
  ///   - ended: items that are done or have failed, each with the time of its first byte.
  ///   - target: where the files went; by default, each item's own target.
  ///   - place: returns the absolute path of an item's file.
  /// - Throws: `StoreError` if the queue cannot be written.
  package func log(
    _ ended: [(item: UploadItem, began: Date)], to target: String? = nil,
    at place: (UploadItem) -> FileLocation = \.location, now: Date = Date()
  ) throws(StoreError) {
    try write { db, _ in
      let ends = ended.lazy.compactMap { item, began in
        AttemptEnd(item.state).map { (item, began, $0) }
      }
      var number = try Self.takeNumbers(ended.count, db)
      try db.insert(into: "pushed", Self.pushedColumns, ends) { row, values in
        let (item, began, end) = row
        let file = place(item)
        values.add(number)
        number += 1
        values.add(target ?? item.target)
        values.add(file.bytes)
        values.add(item.identity.map { Int64(bitPattern: $0.device) })
        values.add(item.identity.map { Int64(bitPattern: $0.inode) })
        values.add(item.identity?.modified)
        values.add(item.size)
        values.add(item.sum)
        let name = end.sent?.name ?? item.fileName
        values.add(name == file.lastComponent ? nil : name)
        values.add(end.sent?.mediaType ?? item.mediaType)
        values.add(Int64(max(1, item.attemptsMade)))
        values.add(began.timeIntervalSince1970)
        end.add(to: &values, at: now.timeIntervalSince1970)
      }
    }
  }

  private static let pushedColumns =
    [
      "id", "target", "path", "device", "inode", "modified", "size", "sum", "name", "type",
      "number",
      "began",
    ] + AttemptEnd.columns

  /// Reserves `count` numbers and returns the first. A row of `pushed` stands for both an item and an attempt,
  /// so neither table may have or later assign these numbers.
  private static func takeNumbers(_ count: Int, _ db: Database) throws -> Int64 {
    let tables = "name IN ('item', 'attempt')"
    let last = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT MAX(seq) FROM sqlite_sequence WHERE \(tables)"))
    let first = (last ?? 0) + 1
    try db.cachedStatement(sql: "UPDATE sqlite_sequence SET seq = ? WHERE \(tables)")
      .execute(arguments: [first + Int64(count) - 1])
    return first
  }
}

extension UploadItem {
  fileprivate var attemptsMade: Int {
    switch state {
    case .done(let receipt): receipt.attempts
    case .failed(let failure): failure.attempts
    case .waiting, .preparing, .sending, .awaitingReply, .retrying, .paused: 0
    }
  }
}
