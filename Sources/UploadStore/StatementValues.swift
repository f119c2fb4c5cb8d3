import Foundation
import GRDB
import GRDBSQLite

/// The values of a statement's parameters, in order. They are bound directly: boxing each for GRDB's arguments
/// would take a sixth of the time needed to record the history of a push.
struct StatementValues {
  private let statement: SQLiteStatement
  private var count: CInt = 0
  /// SQLite's code for a rejected value, such as text longer than a gigabyte.
  fileprivate var refusal: CInt?

  fileprivate init(_ statement: Statement) { self.statement = statement.sqliteStatement }

  mutating func add(_ number: Int64?) {
    let index = next()
    if let number { note(sqlite3_bind_int64(statement, index, number)) }
  }

  mutating func add(_ number: Double) {
    note(sqlite3_bind_double(statement, next(), number))
  }

  mutating func add(_ flag: Bool) { add(Int64(flag ? 1 : 0)) }

  mutating func add(_ text: String?) {
    let index = next()
    guard let text else { return }
    let length = CInt(clamping: text.utf8.count)
    note(sqlite3_bind_text(statement, index, text, length, Self.copied))
  }

  mutating func add(_ bytes: [UInt8]?) {
    let index = next()
    guard let bytes else { return }
    note(sqlite3_bind_blob(statement, index, bytes, CInt(clamping: bytes.count), Self.copied))
  }

  mutating func add(_ uuid: UUID) { add(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }) }

  /// `SQLITE_TRANSIENT` of <sqlite3.h>, a macro that Swift does not import: SQLite makes a copy.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  private mutating func next() -> CInt {
    count += 1
    return count
  }

  private mutating func note(_ code: CInt) {
    if code != SQLITE_OK { refusal = code }
  }
}

extension Statement {
  /// Binds all parameters. Parameters without a value are NULL.
  ///
  /// - Throws: `DatabaseError` if SQLite rejects a value.
  func set(_ values: (inout StatementValues) -> Void) throws {
    setUncheckedArguments(StatementArguments())
    var set = StatementValues(self)
    values(&set)
    if let code = set.refusal { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Executes the statement with these values and returns the number in the first column of the first row; nil
  /// if there is no row.
  ///
  /// - Throws: `DatabaseError` if SQLite rejects a value or cannot read.
  func first(_ values: (inout StatementValues) -> Void) throws -> Double? {
    try set(values)
    defer { sqlite3_reset(sqliteStatement) }
    let code = sqlite3_step(sqliteStatement)
    switch code {
    case SQLITE_ROW: return sqlite3_column_double(sqliteStatement, 0)
    case SQLITE_DONE: return nil
    default: throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }

  /// Executes the statement with these values.
  func execute(_ values: (inout StatementValues) -> Void) throws {
    try set(values)
    try execute()
  }
}
