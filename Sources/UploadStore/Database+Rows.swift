import SQLite

extension Database {
  /// The most rows that one statement inserts.
  private static let most = 32

  /// Inserts many rows per statement, since starting and ending a statement costs SQLite more than a row does. `add`
  /// adds the values of a row, in the order of the columns.
  func insert<Row>(
    into table: String, _ columns: [String], _ rows: [Row],
    _ add: (Row, inout Parameters) -> Void
  ) throws {
    let row = "(\(repeatElement("?", count: columns.count).joined(separator: ",")))"
    let head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
    /// A statement that inserts `count` rows. Only two counts occur, so both statements stay cached.
    func statement(_ count: Int) throws -> Statement {
      try self.statement(head + repeatElement(row, count: count).joined(separator: ", "))
    }
    func insert(_ rows: ArraySlice<Row>, by statement: Statement) throws {
      try statement.execute { row in for values in rows { add(values, &row) } }
    }
    var rest = rows[...]
    if rest.count >= Self.most {
      let insertMany = try statement(Self.most)
      while rest.count >= Self.most {
        try insert(rest.prefix(Self.most), by: insertMany)
        rest = rest.dropFirst(Self.most)
      }
    }
    if rest.isEmpty { return }
    let insertOne = try statement(1)
    for index in rest.indices { try insert(rest[index...index], by: insertOne) }
  }
}
