import UploadModel

/// Writes states and the ends of attempts, all within one transaction.
struct StateWriter {
  let db: Database
  let revision: Int64
  let now: Double

  /// Claims items that are about to be sent, and opens their attempts. Returns those that it could claim. Items that have
  /// changed after the revision `last` are not claimed.
  func begin(_ ids: [ItemID], changedUpTo last: Int64) throws -> Set<ItemID> {
    let claim = try db.statement(
      """
      UPDATE item SET state = 'sending', failure = NULL, revision = ?,
        run = (SELECT id FROM run WHERE run.target = item.target)
      WHERE id = ? AND listed AND state = 'waiting' AND revision <= ?
      """)
    let attempt = try db.statement(
      """
      INSERT INTO attempt (item, number, began)
      SELECT ?1, COALESCE(MAX(number), 0) + 1, ?2 FROM attempt WHERE item = ?1
      """)
    var begun: Set<ItemID> = []
    for id in ids {
      try claim.execute { row in
        row.add(revision)
        row.add(id.rawValue)
        row.add(last)
      }
      guard db.changes == 1 else { continue }
      let open = { (row: inout Parameters) in
        row.add(id.rawValue)
        row.add(now)
      }
      do throws(DatabaseError) { try attempt.execute(open) } catch {
        guard error.code == DatabaseError.constraint else { throw error }
        try closeLeftOpen(of: id)
        try attempt.execute(open)
      }
      begun.insert(id)
    }
    return begun
  }

  /// Undoes the claims of items that have not begun: they wait as before, and there was no attempt.
  func release(_ ids: [ItemID]) throws {
    guard !ids.isEmpty else { return }
    let forget = try db.statement("DELETE FROM attempt WHERE item = ? AND ended IS NULL")
    let wait = try db.statement(
      "UPDATE item SET state = 'waiting', revision = ? WHERE id = ? AND state = 'sending'")
    for id in ids {
      try forget.execute([id.rawValue])
      try wait.execute([revision, id.rawValue])
    }
  }

  /// Records where an item can resume, and the offset at which the current attempt began.
  func keep(_ point: ResumePoint?, of id: ItemID) throws {
    try db.statement("UPDATE item SET resume_point = ?, revision = ? WHERE id = ?")
      .execute([JSONColumn.text(point), revision, id.rawValue])
    try db.statement("UPDATE attempt SET start = ? WHERE item = ? AND ended IS NULL")
      .execute([point?.start, id.rawValue])
  }

  /// Closes the attempt of an item that was removed while it was being sent, and restored before the end of the attempt
  /// was reported.
  private func closeLeftOpen(of id: ItemID) throws {
    try db.execute(
      """
      UPDATE attempt SET ended = ?, outcome = \(AttemptOutcome.withdrawn.sql)
      WHERE item = ? AND ended IS NULL
      """, [now, id.rawValue])
  }

  /// All bytes of a file, however many those are.
  static let wholeFile = Int64.max

  /// `why` says why an attempt does not count, if it does not.
  func write(
    _ state: ItemState, of id: ItemID, bytes: Int64?, leaving: Bool, because why: String? = nil
  ) throws {
    // A success counts by its receipt, and an attempt that does not count has left nothing that matters.
    let sent = { () throws -> Int64? in
      guard bytes == Self.wholeFile else { return bytes }
      return try db.value("SELECT size FROM item WHERE id = ?", [id.rawValue])
    }
    switch state {
    case .waiting:
      // The item is not at fault: its server cannot be reached or wants other credentials, or another file ended the
      // request.
      let left = bytes == Self.wholeFile ? 0 : bytes
      if try end(id, cutOff(.withdrawn, id, left, message: why)) { try forgetEarlierProbes(of: id) }
      try set("waiting", of: id)
    case .paused:
      try end(id, cutOff(.paused, id, sent()))
      try set("paused", of: id)
    case .awaitingReply: try set("handed over", of: id)
    case .processing(var processing):
      processing.receipt.reply = AttemptEnd.excerpt(processing.receipt.reply)
      try set("handed over", of: id, processing: JSONColumn.text(processing))
    case .retrying(let failure, _, _, _):
      try end(id, AttemptEnd(failure, bytes: sent(), goesOn: try canGoOn(id)))
      try set("waiting", of: id)
    case .done(let receipt):
      try end(id, AttemptEnd(receipt))
      try set("done", of: id)
      if let disposal = JSONColumn.text(receipt.disposal) {
        try db.execute("UPDATE item SET disposal = ? WHERE id = ?", [disposal, id.rawValue])
      }
    case .failed(let failure) where leaving && failure.cause == .cancelled:
      // Items that were under way are sent when hoist next runs. The other items keep their state: waiting or paused.
      if try end(id, cutOff(.stopped, id, sent())) { try set("waiting", of: id) }
    case .failed(let failure):
      try end(id, AttemptEnd(failure, bytes: sent(), goesOn: try canGoOn(id)))
      // A cancelled item was removed; if it has been restored since, it keeps waiting.
      try set(
        "failed", of: id, failure: failure.column,
        unless: failure.cause == .cancelled ? "listed AND state = 'waiting'" : "0")
      if case .clash(let clash) = failure.cause {
        try db.execute("UPDATE item SET clash = ? WHERE id = ?", [clash.rawValue, id.rawValue])
      }
      if failure.mayMeetRemnant == true {
        try db.execute("UPDATE item SET remnant = 1 WHERE id = ?", [id.rawValue])
      }
    case .preparing, .sending: break
    }
  }

  /// The end of an attempt that was cut off, with the pieces that had arrived by then.
  func cutOff(
    _ outcome: AttemptOutcome, _ id: ItemID, _ bytes: Int64?, message: String? = nil
  ) throws -> AttemptEnd {
    var end = AttemptEnd(outcome, bytes: bytes, message: message)
    // If the open attempt has no start offset, the resume point is that of an earlier attempt.
    let text: String? = try db.value(
      """
      SELECT resume_point FROM item JOIN attempt ON attempt.item = item.id
      WHERE item.id = ? AND ended IS NULL AND start IS NOT NULL
      """, [id.rawValue])
    let point: ResumePoint? = JSONColumn.value(text)
    end.pieces = point?.pieceCount
    return end
  }

  private func canGoOn(_ id: ItemID) throws -> Bool {
    try db.rows("SELECT resume_point, target FROM item WHERE id = ?", [id.rawValue]) { row in
      let point: ResumePoint? = JSONColumn.value(row[0])
      return point?.holds(for: row[1]) == true
    }.first == true
  }

  func set(
    _ state: String, of id: ItemID, failure: String? = nil, processing: String? = nil,
    unless exception: String = "0"
  ) throws {
    try db.statement(exception == "0" ? Self.setting : "\(Self.setting) AND NOT (\(exception))")
      .execute { row in
        row.add(state)
        row.add(failure)
        row.add(processing)
        row.add(revision)
        row.add(id.rawValue)
      }
  }

  /// If an item was put back in the queue repeatedly before anything was sent, keeps only the last attempt. Otherwise a
  /// server that is down all night would leave a thousand attempts.
  private func forgetEarlierProbes(of id: ItemID) throws {
    try db.execute(
      """
      DELETE FROM attempt WHERE item = ?1 AND outcome = \(AttemptOutcome.withdrawn.sql) AND COALESCE(bytes, 0) <= COALESCE(start, 0)
        AND id < (SELECT MAX(id) FROM attempt WHERE item = ?1)
      """, [id.rawValue])
    guard db.changes > 0 else { return }
    // The last one takes the place of those that are gone.
    try db.execute(
      """
      UPDATE attempt SET number = 1 + (
        SELECT COALESCE(MAX(number), 0) FROM attempt AS other
        WHERE other.item = ?1 AND other.id < attempt.id)
      WHERE id = (SELECT MAX(id) FROM attempt WHERE item = ?1)
      """, [id.rawValue])
  }

  // The text of a statement that is used for every file is put together only once.
  private static let setting =
    "UPDATE item SET state = ?, failure = ?, processing = ?, revision = ? WHERE id = ?"
  private static let ending = ending(withBytes: "MAX(?, COALESCE(start, 0))")
  private static let arriving = ending(withBytes: "? + COALESCE(start, 0)")

  private static func ending(withBytes bytes: String) -> String {
    """
    UPDATE attempt SET ended = ?, bytes = \(bytes),
      status = ?, outcome = ?, arrival = ?, message = ?, reply = ?, reply_type = ?, reply_is_cut = ?, url = ?,
      deletion_url = ?, verified = ?, pieces = ?, doubtful = ?, grown = ?,
      sent_as = COALESCE(?, sent_as), sent_type = COALESCE(?, sent_type), sent_size = ?,
      began = MAX(began, ?)
    WHERE item = ? AND ended IS NULL
    """
  }

  /// Ends the item's open attempt. Returns false if the item had none.
  @discardableResult
  func end(_ id: ItemID, _ ending: AttemptEnd) throws -> Bool {
    let sent = ending.receipt?.sent
    let update = try db.statement(ending.receipt == nil ? Self.ending : Self.arriving)
    try update.execute { row in
      ending.add(at: now, to: &row)
      row.add(sent?.name)
      row.add(sent?.mediaType)
      row.add(sent?.size)
      row.add(ending.beginning(at: now))
      row.add(id.rawValue)
    }
    return db.changes > 0
  }
}
