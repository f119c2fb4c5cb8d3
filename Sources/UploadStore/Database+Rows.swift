import SQLite

extension Database {
  /// The most rows that one statement inserts.
  private static let most = 32

  /// Inserts many rows per statement, since starting and ending a statement costs SQLite more than a row does. `add`
  /// appends the values of a row, in the order of the columns.
  func insert<Row>(
    into table: String, _ columns: [String], _ rows: some Sequence<Row>,
    _ add: (Row, inout [(any ColumnValue)?]) -> Void
  ) throws {
    let row = "(\(repeatElement("?", count: columns.count).joined(separator: ",")))"
    let head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
    /// A statement that inserts `count` rows. Only two counts occur, so both statements stay cached.
    func statement(_ count: Int) throws -> Statement {
      try self.statement(head + repeatElement(row, count: count).joined(separator: ", "))
    }
    var insertMany: Statement?
    var waiting: [(any ColumnValue)?] = []
    for row in rows {
      add(row, &waiting)
      guard waiting.count == Self.most * columns.count else { continue }
      let insert = try insertMany ?? statement(Self.most)
      try insert.execute(waiting)
      insertMany = insert
      waiting.removeAll(keepingCapacity: true)
    }
    if waiting.isEmpty { return }
    let insert = try statement(1)
    for start in stride(from: 0, to: waiting.count, by: columns.count) {
      try insert.execute(Array(waiting[start..<start + columns.count]))
    }
  }
}
