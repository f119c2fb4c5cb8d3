import Foundation
import SQLite
import UploadModel

/// The part of an item's last attempt that its state depends on.
struct LastAttempt {
  var number: Int
  var status: Int?
  var outcome: AttemptOutcome?
  var reply: Reply
  var url: String?
  var deletionURL: String?
  var seconds: Double
  var bytes: Int64
  var sent: SentFile?
  var verified: String?

  static let columns = """
    item, number, status, outcome, reply, reply_type, reply_is_cut, url, began, ended, bytes,
    deletion_url, sent_as, sent_type, sent_size, verified
    """

  init(_ row: Row) {
    number = row[1]
    status = row[2]
    outcome = (row[3] as String?).map(AttemptOutcome.init)
    reply = Reply(text: row[4] ?? "", isCut: row[6], mediaType: row[5])
    url = row[7]
    seconds = (row[9] as Double?).map { max(0, $0 - (row[8] as Double)) } ?? 0
    bytes = row[10] ?? 0
    deletionURL = row[11]
    verified = row[15]
    if let name = row[12] as String?, let type = row[13] as String?, let size = row[14] as Int64? {
      sent = SentFile(name: name, mediaType: type, size: size)
    }
  }

  /// Whether hoist ended while the file was being sent.
  var isCutOff: Bool { outcome == .interrupted || outcome == .stopped && bytes > 0 }

  var receipt: Receipt {
    var receipt = Receipt(
      status: status ?? 200, url: url, deletionURL: deletionURL, reply: reply, attempts: number,
      seconds: seconds, bytes: bytes, sent: sent)
    receipt.wasThere = outcome == .wasThere
    receipt.verified = verified
    return receipt
  }
}
