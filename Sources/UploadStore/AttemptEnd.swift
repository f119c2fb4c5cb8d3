import UploadModel

/// What the history records about an attempt that has ended.
struct AttemptEnd: Sendable {
  /// The most bytes of a reply that are recorded.
  private static let replyLimit = 8 * 1024

  var outcome: AttemptOutcome
  /// What is known about a file that failed, on the server; nil if it did not arrive.
  var arrival: Failure.Arrival?
  var bytes: Int64?
  var status: Int?
  var message: String?
  /// The server's reply as the engine reported it; nil if hoist itself ended the attempt.
  var reply: Reply?
  /// What the server said when it took the file; nil if it did not take it. With a receipt, `bytes` counts from the
  /// first byte that the attempt sent rather than from the start of the file.
  var receipt: Receipt?
  /// How far the attempt came, if the file is sent in pieces.
  var pieces: PieceCount?

  init(_ outcome: AttemptOutcome, bytes: Int64?, message: String? = nil) {
    self.outcome = outcome
    self.bytes = bytes
    self.message = message
  }

  init(_ receipt: Receipt) {
    self.init(
      receipt.skipped != nil
        ? .skipped : receipt.isConfirmed ? .confirmed : receipt.wasThere ? .wasThere : .done,
      bytes: receipt.bytes)
    (self.receipt, status, pieces) = (receipt, receipt.status, receipt.pieces)
    reply = Self.excerpt(receipt.reply)
  }

  /// `goesOn` says whether another attempt resumes the upload.
  init(_ failure: Failure, bytes: Int64?, goesOn: Bool = false) {
    self.init(.failed(failure.code), bytes: bytes)
    arrival = failure.mayHaveArrived ? failure.arrival : nil
    status = failure.status.flatMap { (100...999).contains($0) ? $0 : nil }
    message = failure.explanation(goesOn: goesOn)
    reply = Self.excerpt(failure.reply)
    pieces = failure.pieces
  }

  /// The result of a finished or failed item; nil for any other state.
  init?(_ state: ItemState) {
    switch state {
    case .done(let receipt): self.init(receipt)
    case .failed(let failure): self.init(failure, bytes: nil)
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused:
      return nil
    }
  }

  /// When the attempt began to send, given that it ends at `now`; 0 if unknown. Work before sending, such as checksums,
  /// does not count.
  func beginning(at now: Double) -> Double {
    guard let receipt, receipt.seconds > 0 else { return 0 }
    return now - receipt.seconds
  }

  /// The columns of `add`.
  static let columns = [
    "ended", "bytes", "status", "outcome", "arrival", "message", "reply", "reply_type",
    "reply_is_cut", "url",
    "deletion_url", "verified", "pieces", "doubtful", "grown",
  ]

  /// Adds the values of an attempt that ended at `instant`.
  func add(at instant: Double, to row: inout Parameters) {
    row.add(instant)
    row.add(bytes)
    row.add(status)
    row.add(outcome.rawValue)
    row.add(arrival?.rawValue)
    row.add(message)
    row.add(reply?.text)
    row.add(reply?.mediaType)
    row.add(reply?.isCut ?? false)
    row.add(receipt?.url)
    row.add(receipt?.deletionURL)
    row.add(receipt?.verified)
    row.add(JSONColumn.text(pieces))
    row.add(receipt?.doubt)
    row.add(receipt?.growth)
  }

  static func excerpt(_ reply: Reply) -> Reply {
    var reply = reply
    if reply.text.utf8.count > replyLimit {
      reply.text = String(decoding: reply.text.utf8.prefix(replyLimit), as: UTF8.self)
      reply.isCut = true
    }
    return reply
  }
}

extension AttemptOutcome {
  /// The outcomes after which the server has the file.
  static let there = [done, wasThere, confirmed]

  /// The outcome as an SQL literal.
  var sql: String { "'\(rawValue)'" }
}

extension [AttemptOutcome] {
  var sql: String { "(\(map(\.sql).joined(separator: ", ")))" }
}
