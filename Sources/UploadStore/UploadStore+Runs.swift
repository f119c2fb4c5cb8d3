import Foundation
import UploadModel

/// The runs of targets that have requests before their first file and after their last.
extension UploadStore {
  /// A run that is not over.
  package struct Run: Hashable, Sendable {
    package var target: String
    package var point: RunPoint
    /// Items of the target in the queue that are paused, or that failed in this run.
    package var open: Set<ItemID>
  }

  /// How a run has ended, or what keeps it open.
  package struct RunEnd: Hashable, Sendable {
    package var target: String
    package var date: Date
    /// The name of the event (`RunNews.event`).
    package var event: String
    package var message: String
  }

  /// Records the state of a target's run. Pass nil if the run is over.
  package func keepRun(_ point: RunPoint?, of target: String) throws(StoreError) {
    try write { db, _ in
      try db.execute("DELETE FROM run WHERE target = ?", [target])
      guard let point else { return }
      try db.execute(
        "INSERT INTO run VALUES (?, ?, ?)", [target, point.id.uuidString, JSONColumn.text(point)])
    }
  }

  /// The runs that are not over. Call this after `recover`.
  package func runs() throws(StoreError) -> [Run] {
    try read { db in
      try db.rows("SELECT target, id, point FROM run ORDER BY target") { row in
        guard let point: RunPoint = JSONColumn.value(row[2]) else { return nil }
        let open = try db.rows(
          """
          SELECT id FROM item WHERE listed AND target = ?
            AND (state = 'paused' OR state = 'failed' AND run = ?)
          """, [row[0] as String, row[1] as String]
        ) { ItemID($0[0]) }
        return Run(target: row[0], point: point, open: Set(open))
      }.compactMap(\.self)
    }
  }

  /// Whether the queue has an item for this target that failed before it could be sent, and so belongs to no run.
  package func hasUnsent(_ target: String) throws(StoreError) -> Bool {
    try value(
      """
      SELECT EXISTS (SELECT 1 FROM item WHERE listed AND target = ? AND state = 'failed' AND run IS NULL)
      """, [target]) ?? false
  }

  /// Records in the history how a run ended, or what keeps it open.
  package func recordRunEnd(
    _ event: String, _ message: String, of target: String, now: Date = Date()
  ) throws(StoreError) {
    try write { db, _ in
      try db.execute(
        "INSERT INTO run_end (target, ended, event, message) VALUES (?, ?, ?, ?)",
        [target, now.timeIntervalSince1970, event, message])
    }
  }

  /// The run ends recorded within a period, the latest first.
  package func runEnds(from start: Date?, to end: Date?, limit: Int?) throws(StoreError) -> [RunEnd]
  {
    try read { db in
      try db.rows(
        """
        SELECT target, ended, event, message FROM run_end WHERE ended >= ? AND ended < ?
        ORDER BY ended DESC LIMIT ?
        """,
        [
          start?.timeIntervalSince1970 ?? 0, end?.timeIntervalSince1970 ?? .greatestFiniteMagnitude,
          limit ?? -1,
        ]
      ) { row in
        RunEnd(
          target: row[0], date: Date(timeIntervalSince1970: row[1]), event: row[2], message: row[3])
      }
    }
  }
}
