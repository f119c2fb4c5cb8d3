import CSQLite

/// A connection to a database file. One thread at a time may use it.
package final class Database {
  /// How a transaction begins (https://www.sqlite.org/lang_transaction.html).
  package enum Transaction: String {
    /// With the first statement that reads or writes.
    case deferred = "DEFERRED"
    /// At once, after any other connection has finished writing.
    case immediate = "IMMEDIATE"
  }

  /// Made once, before the first connection.
  private static let settings: Void = { _ = hoist_sqlite_uncounted() }()

  /// The most statements that are cached. There is a limit because the text of some statements differs each time.
  private static let mostStatements = 100

  private let connection: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// Some of them, to be found without a hash of their long texts: to compare them is quick, since the same texts have
  /// the same storage.
  private var recent: [(sql: String, statement: Statement)] = []
  private static let mostRecent = 16

  /// Opens the file at a path, or creates it. A statement waits `patience` milliseconds for other connections that
  /// write.
  package init(path: String, patience: Int32) throws(DatabaseError) {
    _ = Self.settings
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      defer { sqlite3_close_v2(opened) }
      throw DatabaseError(code, opened)
    }
    connection = opened
    sqlite3_busy_timeout(connection, patience)
  }

  deinit {
    (statements, recent) = ([:], [])
    // Closes the connection once its last statement is gone.
    sqlite3_close_v2(connection)
  }

  /// The number of rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes(connection)) }

  /// The compiled statement, which is cached for reuse.
  package func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = recent.first(where: { $0.sql == sql }) { return known.statement }
    let statement = try cached(sql)
    if recent.count == Self.mostRecent { recent.removeFirst() }
    recent.append((sql, statement))
    return statement
  }

  private func cached(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] { return known }
    let statement = try Statement(sql, connection)
    if statements.count >= Self.mostStatements { statements = [:] }
    statements[sql] = statement
    return statement
  }

  /// Runs several statements, separated by semicolons.
  package func executeScript(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(code, connection) }
  }

  package func execute(_ sql: String, _ values: [(any ColumnValue)?] = []) throws(DatabaseError) {
    try statement(sql).execute(values)
  }

  /// The first column of the first row; nil if there is no row, or the column is NULL.
  package func value<Value: ColumnValue>(
    _ sql: String, _ values: [(any ColumnValue)?] = []
  ) throws(DatabaseError) -> Value? {
    try statement(sql).value(values)
  }

  /// The results of `read` for each row.
  package func rows<Value>(
    _ sql: String, _ values: [(any ColumnValue)?] = [], _ read: (Row) throws -> Value
  ) throws -> [Value] {
    var found: [Value] = []
    try eachRow(sql, values) { row in
      found.append(try read(row))
      return true
    }
    return found
  }

  /// Calls `body` with each row until it returns false.
  package func eachRow(
    _ sql: String, _ values: [(any ColumnValue)?] = [], _ body: (Row) throws -> Bool
  ) throws {
    try statement(sql).eachRow(values, body)
  }

  /// Calls `body` within a transaction, which is rolled back if `body` throws.
  package func transaction<Value>(_ kind: Transaction, _ body: () throws -> Value) throws -> Value {
    try execute("BEGIN \(kind.rawValue)")
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // After some errors, SQLite has already rolled back.
      if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }
}
