import GRDB

extension Database {
  /// As many rows go in one statement.
  private static let most = 32

  /// Inserts rows, many with one statement: SQLite takes longer to begin and to end one than for a row.
  ///
  /// - Parameter set: gives the values of a row, in the order of the columns.
  func insert<Row>(
    into table: String, _ columns: [String], _ rows: some Sequence<Row>,
    _ set: (Row, inout StatementValues) -> Void
  ) throws {
    let row = "(\(databaseQuestionMarks(count: columns.count)))"
    func insert(_ rows: some Collection<Row>) throws {
      let places = repeatElement(row, count: rows.count).joined(separator: ", ")
      // Of two lengths only, so that both statements are kept.
      try cachedStatement(
        sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(places)"
      ).execute { values in for row in rows { set(row, &values) } }
    }
    var waiting: [Row] = []
    for row in rows {
      waiting.append(row)
      guard waiting.count == Self.most else { continue }
      try insert(waiting)
      waiting = []
    }
    for row in waiting { try insert(CollectionOfOne(row)) }
  }
}
