import CSQLite

/// A compiled statement.
package final class Statement {
  private let statement: OpaquePointer
  private let connection: OpaquePointer

  init(_ sql: String, _ connection: OpaquePointer) throws(DatabaseError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw DatabaseError(code == SQLITE_OK ? SQLITE_ERROR : code, connection)
    }
    (statement, self.connection) = (prepared, connection)
  }

  deinit { sqlite3_finalize(statement) }

  /// Runs the statement with these values.
  package func execute(_ values: [(any ColumnValue)?] = []) throws(DatabaseError) {
    try execute { $0.add(values) }
  }

  /// Runs the statement with the values that the closure adds.
  package func execute(_ values: (inout StatementValues) -> Void) throws(DatabaseError) {
    try bind(values)
    defer { sqlite3_reset(statement) }
    while try step() {}
  }

  /// The first column of the first row; nil if there is no row, or the column is NULL.
  package func value<Value: ColumnValue>(
    _ values: [(any ColumnValue)?] = []
  ) throws(DatabaseError) -> Value? {
    try bind { $0.add(values) }
    defer { sqlite3_reset(statement) }
    return try step() ? Row(statement: statement)[0] : nil
  }

  /// Calls `body` with each row until it returns false.
  package func eachRow(_ values: [(any ColumnValue)?] = [], _ body: (Row) throws -> Bool) throws {
    try bind { $0.add(values) }
    defer { sqlite3_reset(statement) }
    while try step(), try body(Row(statement: statement)) {}
  }

  /// Sets all parameters. Those without a value are NULL.
  private func bind(_ values: (inout StatementValues) -> Void) throws(DatabaseError) {
    sqlite3_clear_bindings(statement)
    var bound = StatementValues(statement)
    values(&bound)
    if bound.refusal != SQLITE_OK { throw DatabaseError(bound.refusal, connection) }
  }

  /// Steps to the next row; false after the last.
  private func step() throws(DatabaseError) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    case let code: throw DatabaseError(code, connection)
    }
  }
}

/// A row, valid until the statement steps to the next one.
package struct Row {
  fileprivate let statement: OpaquePointer

  /// The value of a column, counted from 0. SQLite converts other types; NULL becomes zero or empty.
  package subscript<Value: ColumnValue>(_ column: Int32) -> Value { Value(column, of: statement) }

  /// The value of a column; nil if it is NULL.
  package subscript<Value: ColumnValue>(_ column: Int32) -> Value? {
    sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : Value(column, of: statement)
  }
}

/// The values of a statement's parameters, in order.
package struct StatementValues {
  fileprivate let statement: OpaquePointer
  private var count: Int32 = 0
  /// SQLite's result code if it refused a value, such as text longer than a gigabyte.
  fileprivate var refusal = SQLITE_OK

  fileprivate init(_ statement: OpaquePointer) { self.statement = statement }

  /// Adds values; nil is NULL.
  package mutating func add(_ values: [(any ColumnValue)?]) {
    for value in values {
      count += 1
      let code = value?.bind(to: count, of: statement) ?? SQLITE_OK
      if code != SQLITE_OK { refusal = code }
    }
  }
}
