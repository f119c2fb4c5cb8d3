extension Database {
  /// The most rows that one statement inserts.
  private static let most = 32

  /// Inserts many rows per statement, since starting and ending a statement costs SQLite more than a row does. `add`
  /// adds the values of a row, in the order of the columns.
  func insert<Row>(
    into table: String, _ columns: [String], _ rows: some Sequence<Row>,
    _ add: (Row, inout Parameters) -> Void
  ) throws {
    let row = "(\(repeatElement("?", count: columns.count).joined(separator: ",")))"
    let head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
    /// A statement that inserts `count` rows. Only two counts occur, so both statements stay cached.
    func statement(_ count: Int) throws -> Statement {
      try self.statement(head + repeatElement(row, count: count).joined(separator: ", "))
    }
    var insertMany: Statement?
    var portion: [Row] = []
    for row in rows {
      portion.append(row)
      guard portion.count == Self.most else { continue }
      let insert = try insertMany ?? statement(Self.most)
      try insert.execute { values in for row in portion { add(row, &values) } }
      insertMany = insert
      portion.removeAll(keepingCapacity: true)
    }
    if portion.isEmpty { return }
    let insert = try statement(1)
    for row in portion { try insert.execute { add(row, &$0) } }
  }
}
