import Foundation
import MultipartForm
import ScalarText
import Synchronization
import UploadModel

/// The durable queue and the history of what was sent, in one SQLite file.
///
/// Every method is one transaction that is on disk when it returns (WAL, `synchronous = FULL`), so a process
/// that writes before it acts may be killed, or lose power, at any time. Several processes can use the file at
/// once; `SenderLock` decides which of them sends.
package final class UploadStore: Sendable {
  /// The worst event that a change survives once the method that made it has returned.
  package enum Durability: Sendable {
    /// A loss of power. Each change waits for the disk, which takes some milliseconds.
    case powerLoss
    /// The end of the process, however sudden. For records on which no later action depends, such as a history. If
    /// power is lost, the file stays intact, but the last changes may be missing.
    case crash
  }

  package let path: String
  private let pool: DatabasePool
  private let memory = Mutex(Memory())

  /// What is known only here: what other processes have written is read from the file.
  private struct Memory {
    /// SQLite's data version as of when the changes by others were last read.
    var dataVersion: Int64?
    /// What this process has acted on; nil if it has read nothing.
    var known: (revision: Int64, dataVersion: Int64?)?
    /// Whether an item was not claimed since the last look: what has become of it must be read, even if only this process
    /// has changed it since.
    var hasRefused = false
    /// Bytes sent by the attempts under way, recorded when they end, and of how many.
    var progress: [ItemID: (sent: Int64, total: Int64?)] = [:]
    var digests = NewDigests()
    var addresses = NewAddresses()
    var secondsToDisk: Double?
  }

  /// How long the last commit took, in seconds, without the statements before it and the wait for other writers; nil if
  /// nothing was written since this was last asked.
  package func takeSecondsToDisk() -> Double? { memory.withLock { $0.secondsToDisk.take() } }

  /// The default path of the queue: `$XDG_STATE_HOME/hoist/queue.sqlite`, by default
  /// `~/.local/state/hoist/queue.sqlite` (XDG Base Directory Specification).
  package static func usualPath(environment: [String: String]) -> String {
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix(scalars: "/") {
      return "\(base)/hoist/queue.sqlite"
    }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    return "\(home)/.local/state/hoist/queue.sqlite"
  }

  /// The path without symbolic links. SQLite derives the names of the files beside the queue from it.
  package static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Opens the queue at `path`, or creates an empty one that nobody else may read. Fails if another version of hoist or
  /// another program has written the file, which is then left unchanged.
  package init(path: String, durability: Durability = .powerLoss) throws(StoreError) {
    self.path = path
    try Self.makeFile(at: path)
    do {
      // With `.crash`, there is no additional connection for reading, which would make a command start 5% slower.
      pool = try DatabasePool(
        path: path, patience: 10_000, readsMeanwhile: durability == .powerLoss)
      let content = try Self.step {
        let content = try pool.read(Schema.content)
        guard content != .foreign else {
          throw StoreError(
            "the queue \(path) was written by another version of hoist, or by another program, and was left unchanged: "
              + "use that version, use another file with --queue FILE, or move the file away to begin with an empty queue"
          )
        }
        try pool.withoutTransaction { db in
          let mode: String? = try db.value("PRAGMA journal_mode = WAL")
          guard mode == "wal" else {
            throw StoreError(
              "the queue \(path) cannot be opened: its file system lacks the shared memory that SQLite needs"
            )
          }
        }
        return content
      }
      try pool.withoutTransaction { db in
        switch durability {
        case .powerLoss:
          try db.execute("PRAGMA synchronous = FULL")
          try db.execute("PRAGMA foreign_keys = ON")
        // Each command leaves a log that the next one must read. Limit the pages of the log: reading the
        // default of 1,000 would take longer than everything else that the start-up does.
        case .crash:
          try db.execute("PRAGMA synchronous = NORMAL")
          try db.execute("PRAGMA wal_autocheckpoint = \(Self.shortLog)")
          try db.execute("PRAGMA journal_size_limit = \(Self.shortLog * 4096)")
          try db.execute("PRAGMA cache_size = -\(Self.cacheSize)")
          // A statement that inserts many rows copies each page before changing it, by default to a file.
          try db.execute("PRAGMA temp_store = MEMORY")
        }
      }
      if content == .empty { try pool.write(Schema.create) }
    } catch {
      throw error as? StoreError ?? StoreError(error, doing: "opened", path: path)
    }
  }

  /// How many KiB of the file are cached with `.crash`. SQLite's default is 2,000, but files of the same folder
  /// are looked up in sequence, so few pages are read twice.
  private static let cacheSize = 512

  /// The most pages that SQLite's log may have when a command starts.
  private static let shortLog = 128

  /// Truncates SQLite's log if it has grown long. SQLite copies the log into the database at one commit but starts a
  /// new log only at the next commit. A command that writes only once never makes this next commit, so the log would
  /// grow with each command. A log that another process is reading is left alone.
  package func shortenLog() {
    var log = stat()
    guard stat(Self.realPath(path) + "-wal", &log) == 0, log.st_size > Self.shortLog * 4096 else {
      return
    }
    try? pool.withoutTransaction { db in
      try db.execute("PRAGMA busy_timeout = 0")
      try db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do { return try pool.read(body) } catch { throw StoreError(error, doing: "read", path: path) }
  }

  /// What a query finds first; nil if there is no row, or the value is NULL.
  func value<Value: ColumnValue>(
    _ sql: String, _ values: [(any ColumnValue)?] = []
  ) throws(StoreError) -> Value? {
    try read { db in try db.value(sql, values) }
  }

  /// Runs one transaction, passing the revision that its changes must carry.
  func write<Value>(_ body: (Database, Int64) throws -> Value) throws(StoreError) -> Value {
    do {
      var made = ContinuousClock.now
      let result = try pool.write { db in
        let revision: Int64? = try db.value(
          "UPDATE queue SET revision = revision + 1 RETURNING revision")
        let result = try body(db, revision ?? 0)
        let (digests, addresses) = memory.withLock { ($0.digests.take(), $0.addresses.take()) }
        try digests.write(db)
        try addresses.write(db)
        made = .now
        return result
      }
      let seconds = (ContinuousClock.now - made) / .seconds(1)
      memory.withLock { $0.secondsToDisk = seconds }
      return result
    } catch {
      throw StoreError(error, doing: "written", path: path)
    }
  }

  /// Runs a step of opening the file, and retries it while SQLite reports its log as busy, since SQLite itself does not
  /// wait in this case.
  private static func step<Value>(_ body: () throws -> Value) throws -> Value {
    let limit = ContinuousClock.now + .seconds(10)
    while true {
      do { return try body() } catch let error as DatabaseError {
        guard error.code == DatabaseError.busy, .now < limit else { throw error }
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
    // The path may be a dangling link. In that case, this creates the file at the link's destination.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StoreError(failure + String(cString: strerror(errno))) }
    close(file)
  }

  // MARK: Sending

  /// Records the start of attempts and returns the items that may start. The others have been removed, or another
  /// process has changed them: what it has written must be read first (`noteKnown`).
  ///
  /// From then on the items count as being sent until `record` says otherwise, even after a crash.
  package func begin(_ ids: [ItemID], now: Date = Date()) throws(StoreError) -> Set<ItemID> {
    try record([QueueTurn(claims: ids)], now: now)
  }

  /// Records the new states of items, in order. If hoist is `leaving`, uploads aborted now stay in the queue.
  package func record(
    _ changes: [(ItemID, ItemState)], leaving: Bool = false, now: Date = Date()
  ) throws(StoreError) {
    try record([QueueTurn(changes: changes)], leaving: leaving, now: now)
  }

  /// Records the engine's turns, in order, in one transaction. Returns the claimed items that may start, as `begin`
  /// does.
  @discardableResult
  package func record(
    _ turns: [QueueTurn], leaving: Bool = false, now: Date = Date()
  ) throws(StoreError) -> Set<ItemID> {
    let notable = notable(turns)
    guard notable.contains(where: { !$0.isOnlyProgress }) else { return [] }
    let begun = try write { db, revision in
      let writer = StateWriter(db: db, revision: revision, now: now.timeIntervalSince1970)
      var begun: Set<ItemID> = []
      for turn in notable {
        try writer.release(turn.released)
        begun.subtract(turn.released)
        for (id, point) in turn.points { try writer.keep(point, of: id) }
        for wait in turn.waits { try Self.keep(wait, db, now) }
        for (id, state) in turn.changes {
          let bytes = memory.withLock { $0.progress[id]?.sent }
          try writer.write(
            state, of: id, bytes: bytes, leaving: leaving, because: turn.withdrawals[id])
        }
        if !turn.claims.isEmpty {
          begun.formUnion(try writer.begin(turn.claims, changedUpTo: lastKnown(db)))
        }
      }
      return begun
    }
    memory.withLock { memory in
      for turn in notable {
        for (id, state) in turn.changes where !state.isActive { memory.progress[id] = nil }
      }
      for id in begun { memory.progress[id] = (0, nil) }
      if begun.count < notable.reduce(0, { $0 + $1.claims.count }) { memory.hasRefused = true }
    }
    return begun
  }

  /// The revision up to which changes of items are known to this process; the greatest there is if no other process has
  /// written since. Items that have changed since may have been edited.
  private func lastKnown(_ db: Database) throws -> Int64 {
    guard let known = memory.withLock({ $0.known }) else { return .max }
    let version: Int64? = try db.value("PRAGMA data_version")
    return version == known.dataVersion ? .max : known.revision
  }

  /// The turns without what is not written: progress, which is noted, and that a file was handed over, if a later
  /// change says what became of it.
  private func notable(_ turns: [QueueTurn]) -> [QueueTurn] {
    var turns = turns
    var later: Set<ItemID> = []
    turns.forEach(noteProgress)
    for index in turns.indices.reversed() {
      let written = turns[index].changes.reversed().filter { id, state in
        guard state.isWrittenDown else { return false }
        let isNew = later.insert(id).inserted
        if case .awaitingReply = state { return isNew }
        return true
      }
      turns[index].changes = written.reversed()
    }
    return turns
  }

  /// Notes how far uploads have come, for the ends of their attempts.
  package func noteProgress(in turn: QueueTurn) {
    memory.withLock { memory in
      for (id, state) in turn.changes {
        switch state {
        case .sending(_, let sent, let total): memory.progress[id] = (sent, total)
        // Small files are handed over without a step on the way.
        case .awaitingReply:
          let total = memory.progress[id]?.total
          memory.progress[id] = (total ?? StateWriter.wholeFile, total)
        case .waiting, .preparing, .processing, .retrying, .paused, .done, .failed: break
        }
      }
    }
  }

  /// Records where an item can resume; nil if the item must start over.
  package func keep(_ point: ResumePoint?, of id: ItemID) throws(StoreError) {
    try record([QueueTurn(points: [(id, point)])])
  }

  /// Records an address that a file is sent to. It is written with the next change of the queue.
  package func keep(_ address: SentAddresses.Entry) {
    memory.withLock { $0.addresses.add(address) }
  }

  /// The addresses that were taken by items that were sent while items waited that are still to be sent: they must not
  /// overwrite each other.
  package func sentAddresses() throws(StoreError) -> SentAddresses {
    try read { db in try NewAddresses.read(db) }
  }

  /// Converts changes for a `ResultJournal`. Omits items that are not in the queue.
  package func kept(
    _ changes: [(ItemID, ItemState)], now: Date = Date()
  ) throws(StoreError) -> [JournalEntry] {
    try read { db in
      let uuid = try db.statement("SELECT uuid FROM item WHERE id = ?")
      return try changes.compactMap { id, state in
        guard state.isWrittenDown, let uuid: UUID = try uuid.value([id.rawValue])
        else { return nil }
        return JournalEntry(item: id, uuid: uuid, state: state, date: now)
      }
    }
  }

  /// Records results that an earlier process could write only to a `ResultJournal`. Results for items of
  /// another queue are ignored.
  package func record(_ kept: [JournalEntry]) throws(StoreError) {
    try write { db, revision in
      let uuid = try db.statement("SELECT uuid FROM item WHERE id = ?")
      for result in kept
      where try uuid.value([result.item.rawValue]) == result.uuid {
        let writer = StateWriter(db: db, revision: revision, now: result.date.timeIntervalSince1970)
        try writer.write(result.state, of: result.item, bytes: nil, leaving: true)
      }
    }
  }

  /// Items that were under way although no process was sending.
  package struct Recovery: Hashable, Sendable {
    /// Interrupted before every byte was sent. They wait to start again.
    package var interrupted: [ItemID] = []
    /// Interrupted. They wait to resume.
    package var resuming: [ItemID] = []
    /// Sent completely but without a reply, so they may have arrived.
    package var unknown: [ItemID] = []
  }

  /// Recovers the queue after a crash: items that were being sent wait again, and those that awaited a reply have an
  /// unknown outcome, unless their next attempt can find out. Items that the server has accepted stay unchanged, since
  /// the server can be asked. Items that were sent leave the queue for the history, unless they are doubtful
  /// (`ItemState.isSettled`) or `keepingSent` is set.
  ///
  /// Call this while holding the `SenderLock`, before sending. `isRepeatable` says whether a second copy does no harm
  /// at the target with this name.
  package func recover(
    now: Date = Date(), keepingSent: Bool = false, isRepeatable: (String) -> Bool = { _ in false }
  ) throws(StoreError) -> Recovery {
    try write { db, revision in
      var recovery = Recovery()
      let writer = StateWriter(db: db, revision: revision, now: now.timeIntervalSince1970)
      let rows = try db.rows(
        """
        SELECT item.id, state, target, resume_point, number
        FROM item JOIN attempt ON attempt.item = item.id AND attempt.ended IS NULL
        WHERE state IN ('sending', 'handed over') AND processing IS NULL
        ORDER BY position
        """
      ) {
        (
          ItemID($0[0]), $0[1] as String, $0[2] as String,
          JSONColumn.value($0[3]) as ResumePoint?, $0[4] as Int
        )
      }
      for (id, state, target, point, number) in rows {
        if state == "sending" || point?.settlesItself == true {
          if point?.holds(for: target) == true {
            recovery.resuming.append(id)
          } else {
            recovery.interrupted.append(id)
          }
          let words = "hoist ended while the file was being sent"
          try writer.end(id, writer.cutOff(.interrupted, id, nil, message: words))
          try writer.set("waiting", of: id)
        } else {
          recovery.unknown.append(id)
          let failure = Failure(.outcomeUnknown("hoist ended before the reply"), attempts: number)
          var end = AttemptEnd(failure, bytes: nil)
          end.reply = nil
          try writer.end(id, end)
          let kept = isRepeatable(target) ? nil : failure.column
          try writer.set(kept == nil ? "waiting" : "failed", of: id, failure: kept)
        }
      }
      if !keepingSent {
        try db.execute(
          """
          UPDATE item SET listed = 0, revision = ? WHERE listed AND state = 'done' AND NOT EXISTS (
            SELECT 1 FROM attempt
            WHERE id = (SELECT MAX(id) FROM attempt WHERE attempt.item = item.id)
              AND (doubtful IS NOT NULL OR grown IS NOT NULL))
          """, [revision])
      }
      try NewAddresses.tidy(db)
      return recovery
    }
  }

  // MARK: Other processes

  /// What a look at the queue's file has shown.
  package struct Look: Sendable {
    /// Whether another process has written since its changes were last read, or has kept an item from being claimed.
    fileprivate let isNew: Bool
    fileprivate let revision: Int64
    /// SQLite's data version, which changes when another connection has committed.
    fileprivate let version: Int64
  }

  /// Looks whether another process has written. This waits for the disk if this process is writing. Nil while another
  /// process is writing: its changes become visible when it has finished, which no file event shows, so look again
  /// soon.
  package func look() throws(StoreError) -> Look? {
    guard let (revision, version) = try stamp() else { return nil }
    let isNew = memory.withLock { memory in
      defer { memory.hasRefused = false }
      return memory.dataVersion != version || memory.hasRefused
    }
    return Look(isNew: isNew, revision: revision, version: version)
  }

  /// The changes since a revision if another process has written; otherwise only the current revision. This does not
  /// wait for the disk.
  package func changesByOthers(
    since revision: Int64, seenIn look: Look
  ) throws(StoreError) -> QueueChanges {
    guard look.isNew else { return QueueChanges(revision: max(revision, look.revision)) }
    let changes = try changes(since: revision)
    memory.withLock { $0.dataVersion = look.version }
    return changes
  }

  /// Notes that this process has acted on all changes up to a revision. From then on, `begin` refuses items that another
  /// process may have changed since.
  package func noteKnown(_ revision: Int64) {
    memory.withLock { $0.known = (revision, $0.dataVersion) }
  }

  /// Notes the same for a snapshot. `dataVersion` is from before it.
  func noteKnown(_ revision: Int64, dataVersion: Int64?) {
    memory.withLock { $0.known = (revision, dataVersion) }
  }

  /// SQLite's data version; nil while another process is writing.
  func dataVersion() throws(StoreError) -> Int64? { try stamp()?.version }

  /// Has the next look say that another process has written.
  package func forgetLook() { memory.withLock { $0.dataVersion = nil } }

  /// The revision, and SQLite's version of the data; nil while another process is writing.
  private func stamp() throws(StoreError) -> (revision: Int64, version: Int64)? {
    do {
      return try pool.withoutTransaction { db in
        // Starting a write transaction fails at once if another process is writing.
        let patience: Int64 = try db.value("PRAGMA busy_timeout") ?? 0
        try db.execute("PRAGMA busy_timeout = 0")
        defer { try? db.execute("PRAGMA busy_timeout = \(patience)") }
        return try db.transaction(.immediate) {
          let revision: Int64? = try db.value("SELECT revision FROM queue")
          return (revision ?? 0, try db.value("PRAGMA data_version") ?? 0)
        }
      }
    } catch let error as DatabaseError where error.code == DatabaseError.busy {
      return nil
    } catch {
      throw StoreError(error, doing: "read", path: path)
    }
  }
}

/// The waits that servers have asked for.
extension UploadStore {
  private static func keep(_ wait: ServerWait, _ db: Database, _ now: Date) throws {
    // Queues of earlier versions lack the table, and these versions do without it.
    try db.execute(Schema.serverWaits)
    try db.execute(
      "DELETE FROM server_wait WHERE address = ? OR until <= ?",
      [wait.address, now.timeIntervalSince1970])
    guard wait.until > now else { return }
    try db.execute(
      "INSERT INTO server_wait VALUES (?, ?, ?)",
      [wait.address, wait.until.timeIntervalSince1970, wait.failure.column])
  }

  /// The waits that are not over.
  package func waits(now: Date = Date()) throws(StoreError) -> [ServerWait] {
    try read { db in
      let count: Int64? = try db.value(
        "SELECT COUNT(*) FROM sqlite_master WHERE name = 'server_wait'")
      guard count == 1 else { return [] }
      return try db.rows(
        "SELECT address, until, failure FROM server_wait WHERE until > ? ORDER BY address",
        [now.timeIntervalSince1970]
      ) { row -> ServerWait? in
        guard let failure: Failure = JSONColumn.value(row[2]) else { return nil }
        return ServerWait(
          address: row[0], until: Date(timeIntervalSince1970: row[1]), failure: failure)
      }.compactMap(\.self)
    }
  }
}

/// Remembers which protocol servers speak, for targets that leave that open (`resume = "auto"`).
extension UploadStore: ResumeMemory {
  /// How many seconds an entry stays valid. The time is limited since another server may take over the address.
  private static let lifetime = 24.0 * 60 * 60

  package func resumeServer(at address: String) -> ResumeServer? {
    resumeServer(at: address, now: Date())
  }

  func resumeServer(at address: String, now: Date) -> ResumeServer? {
    let text: String? = try? value(
      "SELECT server FROM resume_server WHERE address = ? AND learnt > ?",
      [address, now.timeIntervalSince1970 - Self.lifetime])
    return JSONColumn.value(text)
  }

  package func remember(_ server: ResumeServer?, at address: String) {
    remember(server, at: address, now: Date())
  }

  func remember(_ server: ResumeServer?, at address: String, now: Date) {
    let text = JSONColumn.text(server)
    // This does not change the queue, and losing it does no harm.
    try? pool.write { db in
      try db.execute(
        "DELETE FROM resume_server WHERE address = ? OR learnt <= ?",
        [address, now.timeIntervalSince1970 - Self.lifetime])
      guard let text else { return }
      try db.execute(
        "INSERT INTO resume_server VALUES (?, ?, ?)", [address, text, now.timeIntervalSince1970])
    }
  }
}

extension UploadStore: DigestMemory {
  package func digests(of stamp: FileStamp) -> ContentDigests? {
    let file = stamp.identity
    let rows = try? read { db in
      try db.rows(
        """
        SELECT algorithm, digest FROM file_digest
        WHERE device = ? AND inode = ? AND size = ? AND modified = ? AND changed = ?
        """,
        [file.device, file.inode, file.size, file.modified, stamp.changed]
      ) { ($0[0] as String, $0[1] as String) }
    }
    var digits: [ContentDigests.Algorithm: String] = [:]
    for (name, digest) in rows ?? [] {
      if let algorithm = ContentDigests.Algorithm(named: name) { digits[algorithm] = digest }
    }
    return digits.isEmpty ? nil : ContentDigests(digits)
  }

  /// Remembers digests of a file. They are written with the next change, or once enough have accumulated.
  package func remember(_ digests: ContentDigests, of stamp: FileStamp) {
    let areMany = memory.withLock { $0.digests.add(digests, of: stamp) }
    guard areMany else { return }
    // Losing digests does no harm.
    try? pool.write { db in try memory.withLock { $0.digests.take() }.write(db) }
  }
}
