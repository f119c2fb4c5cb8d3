import Foundation

/// A process's connections to a database file, shared by all its threads: one that writes and, if wanted, others that
/// can read at the same time.
///
/// Threads get the connection that writes in the order in which they ask for it: one that writes all the time keeps none
/// of the others waiting for longer than one transaction.
///
/// Unchecked: `writer` is used only under `writing`, and `idle` only under `choosing`. A connection that was taken from
/// `idle` belongs to the thread that took it.
package final class DatabasePool: @unchecked Sendable {
  /// Held by the thread that is next to use `writer`.
  private let queueing = NSLock()
  /// Held by the thread that uses `writer`.
  private let writing = NSLock()
  private let writer: Database
  /// Opens a connection for reading; nil if reads use `writer`.
  private let makeReader: (() throws -> Database)?
  /// Protects `idle`.
  private let choosing = NSLock()
  /// The connections that are not in use.
  private var idle: [Database] = []

  /// Opens the file at a path, like a `Database`. `readsMeanwhile` says whether threads can read while another one
  /// writes.
  package init(path: String, patience: Int32, readsMeanwhile: Bool) throws {
    let open = { try Database(path: path, patience: patience) }
    writer = try open()
    makeReader = readsMeanwhile ? open : nil
  }

  /// Calls `body` with the connection that writes, within a transaction.
  package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try withWriter { try writer.transaction(.immediate) { try body(writer) } }
  }

  /// Calls `body` with the connection that writes, outside of any transaction.
  package func withoutTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try withWriter { try body(writer) }
  }

  private func withWriter<Value>(_ body: () throws -> Value) rethrows -> Value {
    queueing.lock()
    writing.lock()
    queueing.unlock()
    defer { writing.unlock() }
    return try body()
  }

  /// Calls `body` with a connection that sees a consistent snapshot of the file.
  package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    guard let makeReader else {
      return try withWriter { try writer.transaction(.deferred) { try body(writer) } }
    }
    let reader = try choosing.withLock { idle.popLast() } ?? makeReader()
    defer { choosing.withLock { idle.append(reader) } }
    return try reader.transaction(.deferred) { try body(reader) }
  }
}
