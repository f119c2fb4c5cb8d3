import CSQLite

/// Why SQLite refused something.
package struct DatabaseError: Error, Hashable, Sendable {
  /// The primary result code (https://www.sqlite.org/rescode.html).
  package let code: Int32
  package let message: String

  /// `connection` is the one on which the error occurred, if there is one.
  init(_ code: Int32, _ connection: OpaquePointer?) {
    self.code = code & 0xFF
    let text = connection.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
    message = text.map { String(cString: $0) } ?? "error \(code)"
  }

  /// The result codes that callers distinguish.
  package static let (busy, locked, full, inputOutput, constraint) = (
    SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_CONSTRAINT
  )
  package static let (corrupt, notADatabase, readOnly, permission, cannotOpen) = (
    SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN
  )
}
