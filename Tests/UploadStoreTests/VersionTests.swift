import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import UploadModel
@testable import UploadStore

@Suite("Versions and damage")
struct VersionTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  /// Files that this version must leave alone, each made by a script.
  static let foreign: KeyValuePairs = [
    "a newer queue": "\(current); PRAGMA user_version = 999",
    "a queue from before the first release":
      "CREATE TABLE grdb_migrations (identifier TEXT); CREATE TABLE queue (id INTEGER)",
    "another program's database":
      "PRAGMA application_id = 1; PRAGMA user_version = 1; CREATE TABLE item (id INTEGER)",
    "another program's empty database": "PRAGMA user_version = 1",
  ]
  private static let current = "PRAGMA application_id = 0x686F6973; CREATE TABLE queue (id INTEGER)"

  @Test(
    "A file of another version or program is refused and left as it is",
    arguments: foreign.map(\.key))
  func refusal(of name: String) throws {
    try FileManager.default.createDirectory(
      atPath: harness.folder.path("state"), withIntermediateDirectories: true)
    let script = try #require(Self.foreign.first { $0.key == name }?.value)
    do { try Database(path: harness.path, patience: 0).executeScript(script) }
    let before = FileManager.default.contents(atPath: harness.path)
    try #require(before?.isEmpty == false)
    for durability in [UploadStore.Durability.powerLoss, .crash] {
      let error = #expect(throws: StoreError.self) {
        try UploadStore(path: harness.path, durability: durability)
      }
      #expect(
        error?.description
          == "the queue \(harness.path) was written by another version of hoist, or by another program, and was left "
          + "unchanged: use that version, use another file with --queue FILE, or move the file away to begin with an "
          + "empty queue")
      #expect(FileManager.default.contents(atPath: harness.path) == before)
    }
  }

  @Test("A queue is marked as one, and with its version")
  func stamp() throws {
    _ = try harness.open()
    let file = try Database(path: harness.path, patience: 0)
    #expect(try file.value("PRAGMA application_id") == 0x686F_6973)
    #expect(try file.value("PRAGMA user_version") == 6)
    let page = try String(contentsOfFile: "\(Repository.root)/docs/promises.md", encoding: .utf8)
    #expect(page.contains("The tables have version 6;"))
  }

  private static let columns = """
    attempt: id INTEGER, item INTEGER, number INTEGER, began REAL, ended REAL, start INTEGER, \
    bytes INTEGER, sent_as TEXT, sent_type TEXT, sent_size INTEGER, status INTEGER, outcome \
    TEXT, arrival TEXT, message TEXT, reply TEXT, reply_type TEXT, reply_is_cut INTEGER, url \
    TEXT, deletion_url TEXT, verified TEXT, pieces TEXT, doubtful TEXT, grown INTEGER
    file_digest: device INTEGER, inode INTEGER, algorithm TEXT, size INTEGER, modified TEXT, \
    changed INTEGER, digest TEXT, learnt REAL
    item: id INTEGER, uuid BLOB, target TEXT, path BLOB, folder TEXT, name TEXT, \
    name_is_chosen INTEGER, field TEXT, type TEXT, type_source TEXT, type_is_certain INTEGER, \
    content_type TEXT, clash TEXT, if_there TEXT, remnant INTEGER, path_key INTEGER, position \
    INTEGER, listed INTEGER, revision INTEGER, device INTEGER, inode INTEGER, modified TEXT, \
    size INTEGER, sum BLOB, state TEXT, failure TEXT, resume_point TEXT, processing TEXT, \
    disposal TEXT, run TEXT, added REAL
    pushed: id INTEGER, uuid BLOB, target TEXT, path BLOB, folder TEXT, name TEXT, \
    name_is_chosen INTEGER, field TEXT, type TEXT, type_source TEXT, type_is_certain INTEGER, \
    content_type TEXT, clash TEXT, if_there TEXT, remnant INTEGER, path_key INTEGER, device \
    INTEGER, inode INTEGER, modified TEXT, size INTEGER, sum BLOB, sent_as TEXT, sent_type \
    TEXT, sent_size INTEGER, number INTEGER, began REAL, ended REAL, bytes INTEGER, status \
    INTEGER, outcome TEXT, arrival TEXT, message TEXT, reply TEXT, reply_type TEXT, \
    reply_is_cut INTEGER, url TEXT, deletion_url TEXT, verified TEXT, pieces TEXT, doubtful \
    TEXT, grown INTEGER
    queue: id INTEGER, revision INTEGER, reordered INTEGER, stopped INTEGER, rate_limit \
    INTEGER
    resume_server: address TEXT, server TEXT, learnt REAL
    run: target TEXT, id TEXT, point TEXT
    run_end: id INTEGER, target TEXT, ended REAL, event TEXT, message TEXT
    sent_address: address INTEGER, item INTEGER, inode INTEGER, path INTEGER, last INTEGER
    sent_record: attempt INTEGER, uuid BLOB, target TEXT, path BLOB, folder TEXT, name TEXT, \
    name_is_chosen INTEGER, field TEXT, type TEXT, type_source TEXT, type_is_certain INTEGER, \
    content_type TEXT, clash TEXT, if_there TEXT, remnant INTEGER, path_key INTEGER
    """

  /// A queue of a released version is read by all later ones.
  @Test("The tables of version 6 have the columns that they were released with")
  func columns() throws {
    _ = try harness.open()
    let file = try Database(path: harness.path, patience: 0)
    let columns: String? = try file.value(
      """
      SELECT group_concat(line, char(10)) FROM (
        SELECT t.name || ': ' || group_concat(c.name || ' ' || c.type, ', ') AS line
        FROM sqlite_master t JOIN pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name ORDER BY t.name)
      """)
    #expect(
      columns == Self.columns,
      "count Schema.version up, write how a queue of version 6 becomes one of the new version, and add its columns here"
    )
  }

  @Test("A damaged queue is refused and left as it is")
  func damaged() throws {
    try FileManager.default.createDirectory(
      atPath: harness.folder.path("state"), withIntermediateDirectories: true)
    let noise = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try noise.write(to: URL(fileURLWithPath: harness.path))
    let error = #expect(throws: StoreError.self) { try harness.open() }
    #expect(error?.description.contains("damaged") == true)
    #expect(error?.description.contains(harness.path) == true)
    #expect(FileManager.default.contents(atPath: harness.path) == noise)
  }

  @Test("The command in the error for a damaged queue has its path as one word")
  func damagedElsewhere() throws {
    let path = harness.folder.path("it's; here")
    try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { try UploadStore(path: path) }
    let word = "'\(harness.folder.path)/it'\\''s; here'"
    #expect(error?.description.hasSuffix("sqlite3 \(word) .recover") == true, "\(word)")
  }

  @Test("A page that is damaged later is an error, not a crash and not an empty queue")
  func damagedPage() throws {
    do {
      let store = try harness.open()
      _ = try store.enqueue((0..<2_000).map { item("\($0)") })
    }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: harness.path))
    // All but the first pages, where the tables are described.
    let size = try file.seekToEnd()
    try #require(size > 200_000)
    try file.seek(toOffset: 65_536)
    try file.write(contentsOf: Data(repeating: 0xAA, count: Int(size) - 65_536))
    try file.close()
    let error = #expect(throws: StoreError.self) { try harness.open().items() }
    #expect(error?.description.contains("damaged") == true)
  }

  @Test("The schema refuses what would be a contradiction")
  func constraints() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id.rawValue
    let wrong = [
      "UPDATE item SET state = 'lost'", "UPDATE item SET state = 'failed'",
      "UPDATE item SET failure = '{}'", "UPDATE item SET path = x''", "UPDATE item SET size = -1",
      "UPDATE item SET device = NULL",
      "INSERT INTO attempt (item, number, began) VALUES (99, 1, 0)",
      "INSERT INTO attempt (item, number, began, ended) VALUES (\(id), 1, 0, 1)",
      "INSERT INTO attempt (item, number, began) VALUES (\(id), 1, 0), (\(id), 2, 0)",
    ]
    for sql in wrong {
      #expect(throws: StoreError.self, "\(sql)") {
        try store.write { db, _ in try db.execute(sql) }
      }
    }
  }

  @Test(
    "What was written is on the disk, not only with the system, unless a crash is all it is to outlive"
  )
  func durability() throws {
    func level(_ store: UploadStore) throws -> Int? {
      try store.write { db, _ in try db.value("PRAGMA synchronous") }
    }
    #expect(try level(harness.open()) == 2)
    let path = harness.folder.path("history.sqlite")
    #expect(try level(UploadStore(path: path, durability: .crash)) == 1)
  }

  @Test("What one command leaves for the next to read does not grow with the number of commands")
  func shortLog() throws {
    let path = harness.folder.path("history.sqlite")
    let store = try UploadStore(path: path, durability: .crash)
    let sent = item("a", state: .done(Receipt(status: 200)))
    for _ in 0..<100 { try store.log([(sent, Date())]) }
    let size = try FileManager.default.attributesOfItem(atPath: "\(path)-wal")[.size] as? Int
    // A hundred of them write some 800 pages.
    #expect(try #require(size) < 200 * 4096)
  }

  @Test("The error about a folder that cannot be made has its name")
  func noFolder() throws {
    try harness.folder.write("file", [])
    let path = harness.folder.path("file/queue.sqlite")
    let error = #expect(throws: StoreError.self) { try UploadStore(path: path) }
    #expect(error?.description.contains(path) == true)
  }
}
