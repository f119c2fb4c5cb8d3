import Foundation
import MultipartForm
import SQLite
import UploadModel

/// Conversion between items and rows.
enum ItemRows {
  /// The columns in the order in which `item(_:_:)` reads them.
  static let columns = """
    id, uuid, target, path, device, inode, modified, size, field, name, type, type_source,
    type_is_certain, state, failure, folder, name_is_chosen, resume_point, content_type,
    processing
    """

  /// The columns of a new row, beginning with those of `values`.
  static let inserted = [
    "uuid", "target", "path", "device", "inode", "modified", "size", "field", "name", "type",
    "type_source", "type_is_certain", "state", "failure", "folder", "name_is_chosen",
    "content_type", "sum", "position", "listed", "revision", "added", "id",
  ]

  /// The statement that updates an item. It does not change finished items. It can only pause items that are being
  /// sent, unless they were removed from the queue. An item that was removed is being cancelled and may change in any
  /// way.
  static let update = """
    UPDATE item SET
      uuid = ?1, target = ?2, path = ?3, device = ?4, inode = ?5, modified = ?6, size = ?7,
      field = ?8, name = ?9, type = ?10, type_source = ?11, type_is_certain = ?12, state = ?13,
      failure = ?14, folder = ?15, name_is_chosen = ?16, content_type = ?17, listed = 1,
      revision = ?18
    WHERE id = ?19 AND (state <> 'done' OR ?13 = 'done')
      AND NOT (listed AND state IN ('sending', 'handed over')
        AND (?13 <> 'paused' OR processing IS NOT NULL))
    """

  /// The statement to run before an item is changed. It records in the item's attempts how and where they sent it.
  static let keepForAttempts = """
    UPDATE attempt SET sent_to = item.target, sent_as = COALESCE(sent_as, item.name),
      sent_type = COALESCE(sent_type, item.type)
    FROM item WHERE attempt.item = ?1 AND item.id = ?1 AND sent_to IS NULL
    """

  /// The values for the first columns of `inserted`, which are also the first parameters of `update`.
  static func values(_ item: UploadItem) -> [(any ColumnValue)?] {
    let (state, failure) = stored(item.state)
    return [
      item.uuid, item.target, item.location.bytes, item.identity?.device, item.identity?.inode,
      item.identity?.modified, item.size, item.field, item.fileName, item.mediaType,
      item.typeSource, item.typeIsCertain, state, failure, item.folder, item.nameIsChosen,
      item.contentType,
    ]
  }

  /// The name of a state, and its failure if it has one. Items under way are stored as waiting, since only the
  /// engine records that they have begun.
  private static func stored(_ state: ItemState) -> (String, String?) {
    switch state {
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying: ("waiting", nil)
    case .paused: ("paused", nil)
    case .done: ("done", nil)
    case .failed(let failure): ("failed", failure.column)
    }
  }

  /// The item in a row with `columns`. `last` is its last attempt, if any.
  static func item(_ row: Row, last: LastAttempt?) -> UploadItem {
    let size: Int64 = row[7]
    var item = UploadItem(
      id: ItemID(row[0]), uuid: row[1], target: row[2],
      location: FileLocation(bytes: row[3]), fileName: row[9], field: row[8],
      mediaType: row[10], typeSource: row[11], typeIsCertain: row[12], size: size)
    (item.folder, item.nameIsChosen, item.contentType) = (row[15], row[16], row[18])
    if let device: UInt64 = row[4], let inode: UInt64 = row[5], let modified: Int128 = row[6] {
      item.identity = FileIdentity(device: device, inode: inode, size: size, modified: modified)
    }
    item.resumePoint = JSONColumn.value(row[17])
    switch row[13] as String {
    case "paused": item.state = .paused
    case "sending": item.state = .preparing(attempt: last?.receipt.attempts ?? 1)
    case "handed over":
      item.state =
        JSONColumn.value(row[19]).map(ItemState.processing)
        ?? .awaitingReply(attempt: last?.receipt.attempts ?? 1, since: Instant(seconds: 0))
    case "done": item.state = .done(last?.receipt ?? Receipt(status: 200, bytes: size))
    case "failed": item.state = .failed(failure(row[14]))
    default: item.wasInterrupted = last?.isCutOff == true
    }
    return item
  }

  private static func failure(_ text: String?) -> Failure {
    // What cannot be read may have been in doubt.
    JSONColumn.value(text)
      ?? Failure(.outcomeUnknown("the queue's record of its failure cannot be read"))
  }
}
