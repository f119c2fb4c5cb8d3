import GRDB

extension Database {
  /// As many rows go in one statement.
  private static let most = 32

  /// Inserts rows, many with one statement: SQLite takes longer to begin and to end one than for a row.
  func insert(
    into table: String, _ columns: [String], _ rows: some Sequence<StatementArguments>
  ) throws {
    let row = "(\(databaseQuestionMarks(count: columns.count)))"
    func insert(_ rows: some Collection<StatementArguments>) throws {
      let places = repeatElement(row, count: rows.count).joined(separator: ", ")
      // Of two lengths only, so that both statements are kept.
      try cachedStatement(
        sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(places)"
      ).execute(arguments: rows.reduce(into: StatementArguments()) { $0 += $1 })
    }
    var waiting: [StatementArguments] = []
    for row in rows {
      waiting.append(row)
      guard waiting.count == Self.most else { continue }
      try insert(waiting)
      waiting = []
    }
    for row in waiting { try insert(CollectionOfOne(row)) }
  }
}
