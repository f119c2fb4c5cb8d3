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
    try bind(values)
    defer { sqlite3_reset(statement) }
    while try step() {}
  }

  /// Runs the statement with the values that `add` binds.
  package func execute(_ add: (inout Parameters) -> Void) throws(DatabaseError) {
    try bind(add)
    defer { sqlite3_reset(statement) }
    while try step() {}
  }

  /// The first column of the first row; nil if there is no row, or the column is NULL.
  package func value<Value: ColumnValue>(
    _ values: [(any ColumnValue)?] = []
  ) throws(DatabaseError) -> Value? {
    try bind(values)
    defer { sqlite3_reset(statement) }
    return try step() ? Row(statement: statement)[0] : nil
  }

  /// The same, with the values that `add` binds.
  package func value<Value: ColumnValue>(
    _ add: (inout Parameters) -> Void
  ) throws(DatabaseError) -> Value? {
    try bind(add)
    defer { sqlite3_reset(statement) }
    return try step() ? Row(statement: statement)[0] : nil
  }

  /// Calls `body` with each row until it returns false.
  package func eachRow(_ values: [(any ColumnValue)?] = [], _ body: (Row) throws -> Bool) throws {
    try bind(values)
    defer { sqlite3_reset(statement) }
    while try step(), try body(Row(statement: statement)) {}
  }

  /// The same, with the values that `add` binds.
  package func eachRow(
    _ add: (inout Parameters) -> Void, _ body: (Row) throws -> Bool
  ) throws {
    try bind(add)
    defer { sqlite3_reset(statement) }
    while try step(), try body(Row(statement: statement)) {}
  }

  /// Sets all parameters, in order; nil is NULL, and so is a missing value. SQLite refuses, for example, text longer
  /// than a gigabyte.
  private func bind(_ values: [(any ColumnValue)?]) throws(DatabaseError) {
    sqlite3_clear_bindings(statement)
    for (index, value) in values.enumerated() {
      let code = value?.bind(to: Int32(index + 1), of: statement) ?? SQLITE_OK
      if code != SQLITE_OK { throw DatabaseError(code, connection) }
    }
  }

  /// Sets all parameters; those that `add` leaves out are NULL.
  private func bind(_ add: (inout Parameters) -> Void) throws(DatabaseError) {
    var parameters = Parameters(of: statement)
    add(&parameters)
    parameters.addRest()
    if let code = parameters.refusal { throw DatabaseError(code, connection) }
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
