import Foundation
import MultipartForm
import UploadModel

/// Conversion between items and rows.
enum ItemRows {
  /// The columns in the order in which `item(_:last:)` reads them.
  static let columns =
    "id, device, inode, modified, size, state, failure, resume_point, processing, \(RecordColumns.list)"

  /// The columns of `add`.
  private static let changing =
    RecordColumns.names + ["device", "inode", "modified", "size", "state", "failure"]

  /// The columns of a new row, beginning with those of `add`.
  static let inserted = changing + ["sum", "position", "listed", "revision", "added", "id"]

  /// The statement that updates an item. Its parameters are those of `add`, the revision, the item's number and its
  /// record as the caller has known it, of which it uses a part. It leaves items alone that have left the queue, that
  /// are being sent or have been sent, and that a person has edited since.
  static let update = {
    let (known, values) = (changing.count + 2, RecordColumns.names.enumerated())
    let edits = values.filter { editable.contains($0.element) }
    return """
      UPDATE item SET \(changing.map(assignment).joined(separator: ", ")), revision = ?
      WHERE id = ? AND listed AND state NOT IN ('sending', 'handed over', 'done')
        AND (\(edits.map(\.element).joined(separator: ", ")))
          IS (\(edits.map { "?\(known + $0.offset + 1)" }.joined(separator: ", ")))
      """
  }()

  /// The assignment of a parameter to a column. The process that calls may not know yet how the last attempt has ended.
  private static func assignment(_ column: String) -> String {
    switch column {
    case "clash": "clash = COALESCE(?, clash)"
    case "remnant": "remnant = MAX(?, remnant)"
    default: "\(column) = ?"
    }
  }

  static func addUpdated(
    _ item: UploadItem, from known: UploadItem, _ revision: Int64, to row: inout Parameters
  ) {
    add(item, to: &row)
    row.add(revision)
    row.add(item.id.rawValue)
    RecordColumns.add(known.record, to: &row)
  }

  /// What the user can change of an item that is queued.
  private static let editable: Set = [
    "target", "path", "name", "name_is_chosen", "field", "type", "type_source", "type_is_certain",
    "content_type", "if_there", "path_key",
  ]

  /// The statement that changes how an item will be sent. Its parameters are the item's record, of which it uses a
  /// part, the revision and the item's number. It leaves items alone that are being sent or have been sent.
  static let edit = {
    let values = RecordColumns.names.enumerated()
      .filter { editable.contains($0.element) }.map { "\($0.element) = ?\($0.offset + 1)" }
    let next = RecordColumns.names.count + 1
    return """
      UPDATE item SET \(values.joined(separator: ", ")), revision = ?\(next)
      WHERE id = ?\(next + 1) AND state NOT IN ('sending', 'handed over', 'done')
      """
  }()

  static func addEdited(_ item: UploadItem, _ revision: Int64, to row: inout Parameters) {
    RecordColumns.add(item.record, to: &row)
    row.add(revision)
    row.add(item.id.rawValue)
  }

  /// The statement to run before an item is changed; its parameters are those of `addKept`. It keeps
  /// the record as the item's attempts have sent it.
  static let keepForAttempts = """
    INSERT OR IGNORE INTO sent_record SELECT attempt.id, \(RecordColumns.list)
    FROM attempt JOIN item ON item.id = attempt.item
    WHERE attempt.item = ? AND (\(RecordColumns.list))
      IS NOT (\(RecordColumns.names.map { _ in "?" }.joined(separator: ", ")))
    """

  /// The statement to run before an item's size is changed; its parameters are the item's number and the new size. It
  /// keeps the size that the item's attempts have sent.
  static let keepSize = """
    UPDATE attempt SET sent_size = item.size FROM item
    WHERE item.id = ?1 AND item.size <> ?2
      AND attempt.item = ?1 AND attempt.ended IS NOT NULL AND attempt.sent_size IS NULL
    """

  /// Adds the item's number and its new record.
  static func addKept(_ item: UploadItem, to row: inout Parameters) {
    row.add(item.id.rawValue)
    RecordColumns.add(item.record, to: &row)
  }

  /// The columns of a record as an attempt has sent it, from `attempt` and `item` joined with `sent_record`.
  static let asSent = asSent(RecordColumns.names)

  /// Some of these columns.
  static func asSent(_ names: [String]) -> [String] {
    names.map { name in
      "CASE WHEN sent_record.attempt IS NULL THEN item.\(name) ELSE sent_record.\(name) END"
    }
  }

  /// Adds the values for the first columns of `inserted`, which are also the first parameters of `update`.
  static func add(_ item: UploadItem, to row: inout Parameters) {
    let (state, failure) = stored(item.state)
    RecordColumns.add(item.record, to: &row)
    row.add(item.identity?.device)
    row.add(item.identity?.inode)
    row.add(item.identity?.modified)
    row.add(item.size)
    row.add(state)
    row.add(failure)
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
    let size: Int64 = row[4]
    var item = UploadItem(id: ItemID(row[0]), RecordColumns.record(row, from: 9), size: size)
    if let device: UInt64 = row[1], let inode: UInt64 = row[2], let modified: Int128 = row[3] {
      item.identity = FileIdentity(device: device, inode: inode, size: size, modified: modified)
    }
    item.resumePoint = JSONColumn.value(row[7])
    switch row[5] as String {
    case "paused":
      item.state = .paused
      item.wasInterrupted = last?.isPaused == true
    case "sending": item.state = .preparing(attempt: last?.receipt.attempts ?? 1)
    case "handed over":
      item.state =
        JSONColumn.value(row[8]).map(ItemState.processing)
        ?? .awaitingReply(attempt: last?.receipt.attempts ?? 1, since: Instant(seconds: 0))
    case "done": item.state = .done(last?.receipt ?? Receipt(status: 200, bytes: size))
    case "failed": item.state = .failed(failure(row[6]))
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
