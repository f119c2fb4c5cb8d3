import UploadModel

/// The part of an item's last attempt that its state depends on.
struct LastAttempt {
  let status: Int?
  let outcome: AttemptOutcome?
  /// The attempt as one that the server has accepted. The number and the reply also hold for other outcomes.
  private(set) var receipt: Receipt
  /// How many of the file's bytes had been handed over when it ended.
  private let reached: Int64
  /// Where it began to send.
  private let start: Int64

  static let columns = """
    item, number, status, outcome, reply, reply_type, reply_is_cut, url, began, ended, bytes,
    deletion_url, sent_as, sent_type, sent_size, verified, pieces, doubtful, grown, start
    """

  init(_ row: Row) {
    status = row[2]
    outcome = (row[3] as String?).map(AttemptOutcome.init)
    reached = row[10] ?? 0
    start = row[19] ?? 0
    receipt = Receipt(
      status: status ?? (outcome == .confirmed ? 0 : 200), url: row[7], deletionURL: row[11],
      reply: Reply(text: row[4] ?? "", isCut: row[6], mediaType: row[5]), attempts: row[1],
      seconds: (row[9] as Double?).map { max(0, $0 - (row[8] as Double)) } ?? 0,
      bytes: max(0, reached - start))
    receipt.arrived = row[9]
    receipt.isConfirmed = outcome == .confirmed
    receipt.wasThere = outcome == .wasThere || outcome == .skipped || outcome == .confirmed
    if outcome == .skipped {
      receipt.fate = NameFate()
      receipt.fate?.skipped = TakenName(row[12] ?? "")
    }
    (receipt.verified, receipt.doubt, receipt.growth) = (row[15], row[17], row[18])
    receipt.pieces = JSONColumn.value(row[16])
    if let name = row[12] as String?, let type = row[13] as String?, let size = row[14] as Int64? {
      receipt.sent = SentFile(name: name, mediaType: type, size: size)
    }
  }

  /// Whether a person paused the file while it was being sent.
  var isPaused: Bool { outcome == .paused && reached > start }

  /// Whether hoist ended while the file was being sent.
  var isCutOff: Bool { outcome == .interrupted || outcome == .stopped && reached > start }
}
