import Foundation
import GRDB
import ScalarText
import Synchronization
import UploadModel

/// The durable queue and the history of what was sent, in one SQLite file.
///
/// Every method is one transaction that is on disk when it returns (WAL, `synchronous = FULL`), so a process
/// that writes before it acts may be killed, or lose power, at any time. Several processes can use the file at
/// once; `SenderLock` decides which of them sends.
package final class UploadStore: Sendable {
  /// What changes survive once the method that made them has returned.
  package enum Durability: Sendable {
    /// A loss of power. Each change waits for the disk, which takes some milliseconds.
    case powerLoss
    /// The end of the process, however sudden. For records that nothing acts on, such as a history. If power is
    /// lost, the file stays intact, but the last changes may be missing.
    case crash
  }

  /// The path of the file.
  package let path: String
  let pool: any DatabaseWriter
  /// SQLite's count of commits by other connections, when it was last read.
  let dataVersion = Mutex<Int64?>(nil)
  /// Bytes sent by the attempts under way, recorded when they end.
  let progress = Mutex<[ItemID: Int64]>([:])

  /// The default path of the queue: `$XDG_STATE_HOME/hoist/queue.sqlite`, by default
  /// `~/.local/state/hoist/queue.sqlite` (XDG Base Directory Specification).
  package static func usualPath(environment: [String: String]) -> String {
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix(scalars: "/") {
      return "\(base)/hoist/queue.sqlite"
    }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    return "\(home)/.local/state/hoist/queue.sqlite"
  }

  /// The path without symbolic links, as SQLite names the files beside the queue.
  static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Opens the queue at `path`, or creates an empty one that nobody else may read.
  ///
  /// - Throws: ``StoreError`` if it cannot be opened or was written by a newer version; the file is then
  ///   unchanged.
  package init(path: String, durability: Durability = .powerLoss) throws(StoreError) {
    self.path = path
    try Self.makeFile(at: path)
    do {
      var configuration = Configuration()
      configuration.label = "hoist.queue"
      configuration.busyMode = .timeout(10)
      configuration.maximumReaderCount = 2
      configuration.journalMode = .wal
      // With `.crash`, each attempt is inserted in one transaction with its item; looking the item up again
      // takes time.
      configuration.foreignKeysEnabled = durability == .powerLoss
      pool = try Self.step {
        switch durability {
        case .powerLoss: try DatabasePool(path: path, configuration: configuration)
        // A pool's additional reading connection would make the start of a command a twentieth slower.
        case .crash: try DatabaseQueue(path: path, configuration: configuration)
        }
      }
      try pool.writeWithoutTransaction { db in
        switch durability {
        // GRDB's default is NORMAL, which loses the last changes if power fails.
        case .powerLoss: try db.execute(sql: "PRAGMA synchronous = FULL")
        // Each run of a command leaves a log that the next one has to read. Limit its pages: the default of
        // 1,000 would take longer to read than everything else in a start.
        case .crash:
          try db.execute(sql: "PRAGMA wal_autocheckpoint = \(Self.shortLog)")
          try db.execute(sql: "PRAGMA journal_size_limit = \(Self.shortLog * 4096)")
          try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheSize)")
          // A statement that inserts many rows copies each page before changing it, by default to a file.
          try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
      }
      if try Self.step({ try pool.read(Schema.migrator.hasBeenSuperseded) }) {
        throw StoreError(
          "the queue \(path) was written by a newer hoist; it was left as it is. Use that version, "
            + "or another file with --queue FILE")
      }
      try Self.step { try Schema.migrator.migrate(pool) }
    } catch {
      throw error as? StoreError ?? StoreError(error, doing: "opened", path: path)
    }
  }

  /// How many KiB of the file are cached with `.crash`. SQLite's default is 2,000, but files of the same folder
  /// are looked up in sequence, so few pages are read twice.
  private static let cacheSize = 512

  /// The most pages that SQLite's log may have when a command starts.
  private static let shortLog = 128

  /// Truncates SQLite's log if it has grown long. SQLite copies the log at a commit but starts a new one only
  /// at the next commit, which a command that writes once never makes: the log would grow with each command. A
  /// log that another process is reading is left alone.
  package func shortenLog() {
    var log = stat()
    guard stat(Self.realPath(path) + "-wal", &log) == 0, log.st_size > Self.shortLog * 4096 else {
      return
    }
    try? pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA busy_timeout = 0")
      try db.checkpoint(.truncate)
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      // GRDB's own `read` makes a single connection read-only for its duration, and SQLite then recompiles all
      // statements.
      return try pool.unsafeRead { db in
        try db.beginTransaction(.deferred)
        defer { try? db.commit() }
        return try body(db)
      }
    } catch {
      throw StoreError(error, doing: "read", path: path)
    }
  }

  /// Runs one transaction, passing the revision that its changes must carry.
  func write<Value>(_ body: (Database, Int64) throws -> Value) throws(StoreError) -> Value {
    do {
      return try pool.write { db in
        let revision = try Int64.fetchOne(
          db.cachedStatement(
            sql: "UPDATE queue SET revision = revision + 1 RETURNING revision"))
        return try body(db, revision ?? 0)
      }
    } catch {
      throw StoreError(error, doing: "written", path: path)
    }
  }

  /// Runs a step of opening the file, and repeats it. If several processes create a queue at the same moment,
  /// each migration succeeds in one of them and fails in the others. Similarly, SQLite reports its log as busy
  /// without waiting.
  private static func step<Value>(_ body: () throws -> Value) throws -> Value {
    let limit = ContinuousClock.now + .seconds(10)
    var left = Schema.migrator.migrations.count
    while true {
      do { return try body() } catch {
        if (error as? DatabaseError)?.resultCode != .SQLITE_BUSY { left -= 1 }
        guard left >= 0, .now < limit else { throw error }
        usleep(10_000)
      }
    }
  }

  private static func makeFile(at path: String) throws(StoreError) {
    let failure = "the queue \(path) cannot be created: "
    do {
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: path).deletingLastPathComponent(),
        withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError(failure + (error as NSError).localizedDescription)
    }
    // Avoid opening the file: closing a descriptor would release locks that SQLite may already have on it.
    if mknod(path, S_IFREG | 0o600, 0) == 0 || access(path, F_OK) == 0 { return }
    // A dangling link: the file is created where it points.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StoreError(failure + String(cString: strerror(errno))) }
    close(file)
  }
}
