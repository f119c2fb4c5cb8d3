import CSQLite
import Foundation

package protocol ColumnValue {
  /// Reads a column of the statement's current row.
  init(_ column: Int32, of statement: OpaquePointer)

  /// Binds the value to a parameter of a statement. Returns SQLite's result code.
  func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32
}

/// Numbers from 2^63 are stored as negative ones.
extension ColumnValue where Self: FixedWidthInteger {
  package init(_ column: Int32, of statement: OpaquePointer) {
    self.init(truncatingIfNeeded: sqlite3_column_int64(statement, column))
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    sqlite3_bind_int64(statement, parameter, Int64(truncatingIfNeeded: self))
  }
}

extension Int64: ColumnValue {}
extension UInt64: ColumnValue {}
extension Int: ColumnValue {}

/// Stored as text, since SQLite's integers have 64 bits.
extension Int128: ColumnValue {
  package init(_ column: Int32, of statement: OpaquePointer) {
    self = Int128(String(column, of: statement)) ?? 0
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    String(self).bind(to: parameter, of: statement)
  }
}

extension Bool: ColumnValue {
  package init(_ column: Int32, of statement: OpaquePointer) {
    self = Int64(column, of: statement) != 0
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    Int64(self ? 1 : 0).bind(to: parameter, of: statement)
  }
}

extension Double: ColumnValue {
  package init(_ column: Int32, of statement: OpaquePointer) {
    self = sqlite3_column_double(statement, column)
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    sqlite3_bind_double(statement, parameter, self)
  }
}

extension String: ColumnValue {
  package init(_ column: Int32, of statement: OpaquePointer) {
    let text = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self.init(
      decoding: UnsafeBufferPointer(start: text, count: text == nil ? 0 : count), as: UTF8.self)
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    // As an argument of a function in C, the text would first be copied to an array.
    var text = self
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(
          statement, parameter, $0.baseAddress, Int32(clamping: $0.count), copied)
      }
    }
  }
}

extension [UInt8]: ColumnValue {
  package init(_ column: Int32, of statement: OpaquePointer) {
    let bytes = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self.init(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    // The address of an empty array may be NULL, which would bind NULL instead of an empty blob.
    isEmpty
      ? sqlite3_bind_zeroblob(statement, parameter, 0)
      : sqlite3_bind_blob64(statement, parameter, self, UInt64(count), copied)
  }
}

/// A UUID is stored as 16 bytes.
extension UUID: ColumnValue {
  package init(_ column: Int32, of statement: OpaquePointer) {
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) {
      $0.copyBytes(from: [UInt8](column, of: statement).prefix(16))
    }
    self.init(uuid: uuid)
  }

  package func bind(to parameter: Int32, of statement: OpaquePointer) -> Int32 {
    withUnsafeBytes(of: uuid) {
      sqlite3_bind_blob64(statement, parameter, $0.baseAddress, UInt64($0.count), copied)
    }
  }
}

/// `SQLITE_TRANSIENT` of <sqlite3.h>, a macro that Swift does not import. It makes SQLite copy the value.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
