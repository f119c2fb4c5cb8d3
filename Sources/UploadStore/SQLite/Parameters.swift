import CSQLite
import Foundation

/// The parameters of a statement, to which values are bound one by one. A list of values of any type would cost more
/// than SQLite takes for them.
///
/// There is a function for each type, since a single one for all would have to look up the type at each call from
/// another module.
package struct Parameters {
  private let statement: OpaquePointer
  /// How many parameters are bound.
  private var count: Int32 = 0
  /// SQLite's result code for the first value that it refused, such as text longer than a gigabyte.
  private(set) var refusal: Int32?

  init(of statement: OpaquePointer) { self.statement = statement }

  /// Binds a value to the next parameter; nil is NULL.
  package mutating func add(_ value: String?) { bind(value) }
  package mutating func add(_ value: [UInt8]?) { bind(value) }
  package mutating func add(_ value: Int?) { bind(value) }
  package mutating func add(_ value: Int64?) { bind(value) }
  package mutating func add(_ value: UInt64?) { bind(value) }
  package mutating func add(_ value: Int128?) { bind(value) }
  package mutating func add(_ value: Bool?) { bind(value) }
  package mutating func add(_ value: Double?) { bind(value) }
  package mutating func add(_ value: UUID?) { bind(value) }

  private mutating func bind(_ value: (some ColumnValue)?) {
    count += 1
    let code = value?.bind(to: count, of: statement) ?? sqlite3_bind_null(statement, count)
    if code != SQLITE_OK, refusal == nil { refusal = code }
  }

  /// Binds NULL to the parameters that are left.
  mutating func addRest() {
    while count < sqlite3_bind_parameter_count(statement) { bind(nil as Int?) }
  }
}
