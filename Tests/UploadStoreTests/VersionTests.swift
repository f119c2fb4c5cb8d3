import Foundation
import MultipartForm
import SQLite
import TestSupport
import Testing

@testable import UploadModel
@testable import UploadStore

@Suite("Versions and damage")
struct VersionTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  private func raw(_ body: (Database) throws -> Void) throws {
    try FileManager.default.createDirectory(
      atPath: harness.folder.path("state"), withIntermediateDirectories: true)
    try body(Database(path: harness.path, patience: 0))
  }

  @Test("What every earlier version wrote is read, and nothing of it is lost")
  func migrations() throws {
    #expect(Schema.scripts.count == 14)
    for number in 1...Schema.scripts.count {
      let harness = try StoreHarness()
      try FileManager.default.createDirectory(
        atPath: harness.folder.path("state"), withIntermediateDirectories: true)
      let rows = try String(
        contentsOfFile: "\(Repository.root)/Tests/UploadStoreTests/Versions/\(number).sql",
        encoding: .utf8)
      do {
        let old = try Database(path: harness.path, patience: 0)
        try Schema.bring(old, to: number)
        try old.executeScript(rows)
      }

      let store = try harness.open()
      let items = try store.items()
      #expect(items.map(\.fileName) == ["a.txt", "b.txt", "c.txt", "d.txt"])
      #expect(items[0].state == .waiting)
      #expect(
        items[1].state
          == .failed(Failure(.refused, status: 413, reply: Reply(text: "no"), attempts: 2)))
      #expect(items[2].location.bytes.contains(0xFF))
      #expect(number >= 13 ? items[3].state.isProcessed : items[3].state == .paused)
      #expect(items[1].contentType == (number >= 5 ? "application/pdf" : nil))
      #expect(items[1].folder == (number >= 3 ? "2026/" : ""))
      #expect(items[1].nameIsChosen == (number >= 3) && !items[0].nameIsChosen)
      let last = try store.history().first { $0.item == ItemID(3) }
      #expect(last?.name == (number >= 11 ? "c.up" : "c.txt"))
      #expect(last?.mediaType == (number >= 11 ? "text/x-made" : "text/plain"))
      #expect(last?.size == (number >= 11 ? 9 : 4))
      #expect(last?.deletionURL == (number >= 6 ? "http://nas/delete/3" : nil))
      #expect(last?.pieces == (number >= 13 ? PieceCount(count: 3, resumed: 1, sent: 2) : nil))
      #expect(try store.runs().map(\.open) == (number >= 14 ? [[ItemID(2)]] : []))
      let stamp = FileStamp(
        identity: FileIdentity(device: 1, inode: 2, size: 4, modified: 3), changed: 5)
      #expect((store.digests(of: stamp)?[.sha1] != nil) == (number >= 14))
      #expect(try store.rateLimit() == (number >= 14 ? 700_000 : nil))
      let server = store.resumeServer(
        at: "http://nas/files", now: Date(timeIntervalSince1970: 2000))
      #expect((server != nil) == (number >= 7))
      #expect(try store.isStopped() == (number >= 10))
      #expect(try store.history().count == (number >= 12 ? 5 : 4))
      #expect(try store.sentBefore(items).values.count(where: \.isCertain) == 1)
      #expect(try store.sentBefore(items).count == (number >= 12 ? 2 : 1))
      #expect(try store.enqueue([item("new")])[0].id == ItemID(6))
    }
  }

  @Test("A newer version's queue is refused and left as it is")
  func newer() throws {
    _ = try harness.open().enqueue([item("a")])
    try raw { try $0.execute("INSERT INTO grdb_migrations VALUES ('999')") }
    let content = "SELECT path || uuid || identifier FROM item JOIN grdb_migrations"
    var rows: [[UInt8]] = []
    try raw { rows = try $0.rows(content) { $0[0] } }
    #expect(rows.count > 1)
    let error = #expect(throws: StoreError.self) { try harness.open() }
    #expect(error?.description.contains("newer version of hoist") == true)
    var left: [[UInt8]] = []
    try raw { left = try $0.rows(content) { $0[0] } }
    #expect(left == rows)
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

  @Test("A folder that cannot be made is said with its name")
  func noFolder() throws {
    try harness.folder.write("file", [])
    let path = harness.folder.path("file/queue.sqlite")
    let error = #expect(throws: StoreError.self) { try UploadStore(path: path) }
    #expect(error?.description.contains(path) == true)
  }
}
