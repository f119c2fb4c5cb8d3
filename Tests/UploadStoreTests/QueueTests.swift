import Dispatch
import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing

@testable import UploadModel
@testable import UploadStore

@Suite("The queue on disk")
struct QueueTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  @Test("An item comes back as it was, whatever its name is made of")
  func roundTrip() throws {
    var odd = item("x")
    odd.location = FileLocation(bytes: Array("/tmp/".utf8) + [0xFF, 0x0A, 0x22])
    odd.fileName = "Grüße \u{202E}東京.txt"
    odd.field = "photo"
    odd.identity = FileIdentity(
      device: .max, inode: .max, size: 10, modified: -5_000_000_000_000_000_000_001)
    odd.typeIsCertain = false
    var missing = item("missing", state: .failed(Failure(.missing)))
    missing.identity = nil
    let store = try harness.open()
    let added = try store.enqueue([odd, missing, item("paused", state: .paused)])
    #expect(added.map(\.id) == [ItemID(1), ItemID(2), ItemID(3)])
    #expect(try harness.open().items() == added)
  }

  @Test("Numbers are not used again")
  func numbers() throws {
    let store = try harness.open()
    let first = try store.enqueue([item("a")])[0].id
    try store.remove([first])
    #expect(try store.forget(before: .distantFuture) == 0)
    #expect(try store.enqueue([item("b")])[0].id > first)
  }

  @Test("What is taken out is gone, and comes back to its place")
  func removal() throws {
    let store = try harness.open()
    let items = try store.enqueue([item("a"), item("b"), item("c")])
    try store.remove([items[1].id])
    #expect(try store.items().map(\.fileName) == ["a", "c"])
    #expect(try store.relist([items[1].id]) == [items[1]])
    #expect(try harness.open().items() == items)
  }

  @Test("10,000 items keep the order in which they were put at random")
  func reordering() throws {
    let store = try harness.open()
    var order = try store.enqueue((0..<10_000).map { item("\($0)") }).map(\.id)
    var random = SplitMix64(seed: 5)
    for _ in 0..<2_000 {
      let id = order.remove(at: Int.random(in: order.indices, using: &random))
      let place = Int.random(in: 0...order.count, using: &random)
      try store.move(id, before: order.indices.contains(place) ? order[place] : nil)
      order.insert(id, at: place)
    }
    #expect(try harness.open().items().map(\.id) == order)
  }

  @Test("A whole order can be given at once")
  func arranging() throws {
    let store = try harness.open()
    let ids = try store.enqueue((0..<6).map { item("\($0)") }).map(\.id)
    try store.remove([ids[2]])
    try store.arrange([ids[5], ids[0], ItemID(99), ids[4]])
    #expect(try harness.open().items().map(\.id) == [ids[5], ids[1], ids[3], ids[0], ids[4]])
  }

  @Test("What a person has stopped stays stopped, for every process and after each start")
  func stopping() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    #expect(try !mine.isStopped())
    let revision = try #require(try other.changesByOthers(since: 0)).revision
    try mine.setStopped(true)
    #expect(try harness.open().isStopped())
    #expect(try other.changesByOthers(since: revision)?.isStopped == true)
    // Nobody else has written since, so there is no news.
    #expect(try #require(try other.changesByOthers(since: revision)).isStopped == nil)
    _ = try mine.recover()
    _ = try mine.enqueue([item("a")])
    #expect(try harness.open().isStopped())
    try other.setStopped(false)
    #expect(try mine.changesByOthers(since: revision)?.isStopped == false)
  }

  @Test("There is always room between two neighbours")
  func room() throws {
    let store = try harness.open()
    var order = try store.enqueue([item("a"), item("b"), item("c"), item("d")]).map(\.id)
    // The second goes before the last, again and again: each time the gap is half of what it was.
    for _ in 0..<100 {
      try store.move(order[1], before: order[3])
      order.swapAt(1, 2)
    }
    #expect(try store.items().map(\.id) == order)
  }

  @Test("Moving an item before itself, or before one that is not there, loses nothing")
  func oddMoves() throws {
    let store = try harness.open()
    let ids = try store.enqueue([item("a"), item("b")]).map(\.id)
    try store.move(ids[0], before: ids[0])
    try store.move(ItemID(99), before: ids[0])
    #expect(try store.items().map(\.id) == ids)
    try store.move(ids[0], before: ItemID(99))
    #expect(try store.items().map(\.id) == ids.reversed())
  }

  @Test("A long queue is read in portions, in its order and as it was at one moment")
  func portions() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    let items = try mine.enqueue((0..<10).map { item("\($0)") })
    try mine.move(items[9].id, before: items[0].id)
    var portions: [[String]] = []
    let revision = try mine.read(inPortionsOf: 4) { portion in
      // Nobody waits for the reader, and the reader sees nothing of it.
      if portions.isEmpty { #expect(throws: Never.self) { try other.remove([items[5].id]) } }
      portions.append(portion.map(\.fileName))
    }
    #expect(portions == [["9", "0", "1", "2"], ["3", "4", "5", "6"], ["7", "8"]])
    #expect(try mine.changes(since: revision).removed == [items[5].id])

    try mine.remove(items.map(\.id))
    _ = try mine.read(inPortionsOf: 4) { _ in Issue.record("there is nothing to hand over") }
  }

  @Test("Another process's changes are reported; a process's own are not read twice")
  func changes() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    let items = try mine.enqueue([item("a"), item("b")])
    let revision = try mine.read(inPortionsOf: 100) { _ in }
    _ = try mine.changesByOthers(since: revision)
    #expect(try mine.changesByOthers(since: revision)?.items.isEmpty == true)

    let added = try other.enqueue([item("c")])
    try other.remove([items[0].id])
    try other.move(added[0].id, before: items[1].id)
    let changes = try #require(try mine.changesByOthers(since: revision))
    #expect(changes.items.map(\.fileName) == ["c"])
    #expect(changes.removed == [items[0].id])
    #expect(changes.order == [added[0].id, items[1].id])
    #expect(try mine.changesByOthers(since: changes.revision)?.items.isEmpty == true)
  }

  @Test(
    "Of a process's own changes, only the revision is reported: the next look has little to read")
  func ownChanges() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    let start = try mine.read(inPortionsOf: 100) { _ in }
    _ = try mine.changesByOthers(since: start)
    _ = try mine.enqueue((0..<100).map { item("\($0)") })
    let now = try #require(try mine.changesByOthers(since: start)).revision
    #expect(now > start)
    _ = try other.enqueue([item("other")])
    #expect(try mine.changesByOthers(since: now)?.items.map(\.fileName) == ["other"])
  }

  @Test("What another process is writing is not taken for nothing")
  func changesOnTheirWay() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    let added = try mine.enqueue([item("a")])
    let revision = try mine.read(inPortionsOf: 100) { _ in }
    _ = try mine.changesByOthers(since: revision)
    let start = ContinuousClock.now
    try other.write { db, _ in
      try db.execute("UPDATE item SET listed = 0")
      // Its pages may be in the log by now, and nobody sees them before it has ended.
      #expect(try mine.changesByOthers(since: revision) == nil)
    }
    // And nobody waited for that, which would be for ten seconds.
    #expect(start.duration(to: .now) < .seconds(9.5))
    _ = try other.enqueue([item("b")])
    let changes = try #require(try mine.changesByOthers(since: revision))
    #expect(changes.items.map(\.fileName) == ["b"])
    // One's own writes still wait for others.
    let isWriting = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? other.write { _, _ in
        isWriting.signal()
        Thread.sleep(forTimeInterval: 0.3)
      }
    }
    isWriting.wait()
    try mine.remove(added.map(\.id))
  }

  @Test("What another process has edited begins only once that is known here")
  func editedBeforeItBegins() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    var items = try mine.enqueue(["a", "b", "c", "d"].map { item($0) })
    let ids = items.map(\.id)
    let start = try mine.read(inPortionsOf: 100) { _ in }
    _ = try mine.changesByOthers(since: start)
    mine.noteKnown(start)
    // One's own changes are known.
    try mine.edit([items[0]])
    #expect(try mine.begin([ids[0]]) == [ids[0]])
    items[1].mediaType = "image/png"
    try other.edit([items[1]])
    #expect(try mine.begin([ids[1], ids[2]]) == [ids[2]])
    // They may have been read and not acted on yet.
    let changes = try #require(try mine.changesByOthers(since: start))
    #expect(try mine.begin([ids[1], ids[3]]) == [ids[3]])
    #expect(changes.items.contains { $0.id == ids[1] && $0.mediaType == "image/png" })
    mine.noteKnown(changes.revision)
    #expect(try mine.begin([ids[1]]) == [ids[1]])
  }

  /// Otherwise nobody would put it back in line.
  @Test("A file that was refused as it had changed here meanwhile is reported by the next look")
  func refusedAndReported() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    let items = try mine.enqueue([item("a"), item("b")])
    let start = try mine.read(inPortionsOf: 100) { _ in }
    try other.edit([items[1]])
    let changes = try #require(try mine.changesByOthers(since: start))
    try mine.edit([items[0]])
    #expect(try mine.begin([items[0].id]).isEmpty)
    mine.noteKnown(changes.revision)
    let next = try #require(try mine.changesByOthers(since: changes.revision))
    #expect(next.items.map(\.id) == [items[0].id])
    mine.noteKnown(next.revision)
    #expect(try mine.begin([items[0].id]) == [items[0].id])
    // That was only once: nothing else is to be read.
    #expect(try mine.changesByOthers(since: next.revision)?.items.isEmpty == true)
  }

  @Test("Changes that could not be read are reported the next time")
  func changesNotRead() throws {
    let (mine, other) = (try harness.open(), try harness.open())
    let revision = try mine.read(inPortionsOf: 100) { _ in }
    _ = try mine.changesByOthers(since: revision)
    _ = try other.enqueue([item("a")])
    try other.write { db, _ in try db.execute("ALTER TABLE attempt RENAME TO gone") }
    #expect(throws: StoreError.self) { try mine.changesByOthers(since: revision) }
    // One's own writes are no reason to look.
    try mine.write { db, _ in try db.execute("ALTER TABLE gone RENAME TO attempt") }
    #expect(try mine.changesByOthers(since: revision)?.items.map(\.fileName) == ["a"])
  }

  @Test("Only its owner may read it")
  func mode() throws {
    let store = try harness.open()
    _ = try store.enqueue([item("a")])
    let folder = harness.folder.path("state")
    let modes = try
      (["queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm"].map { "\(folder)/\($0)" } + [folder])
      .map { try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int }
    #expect(modes == [0o600, 0o600, 0o600, 0o700])
  }

  @Test(
    "It lies where the system says",
    arguments: [
      (["HOME": "/h"], "/h/.local/state/hoist/queue.sqlite"),
      (["HOME": "/h", "XDG_STATE_HOME": "/s"], "/s/hoist/queue.sqlite"),
      (["HOME": "/h", "XDG_STATE_HOME": "not/absolute"], "/h/.local/state/hoist/queue.sqlite"),
    ])
  func usualPath(environment: [String: String], path: String) {
    #expect(UploadStore.usualPath(environment: environment) == path)
  }

  @Test("A queue that several make at the same moment is made once, and nobody fails")
  func madeAtOnce() throws {
    for round in 0..<50 {
      let path = harness.folder.path("\(round).sqlite")
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 6) { number in
        do {
          _ = try UploadStore(
            path: path, durability: number.isMultiple(of: 2) ? .crash : .powerLoss)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
    }
  }

  @Test("Who makes a queue waits for another program that is at it")
  func madeBesideAnother() throws {
    let path = harness.folder.path("new.sqlite")
    let other = try DatabasePool(path: path, patience: 10_000, readsMeanwhile: false)
    let isWriting = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? other.withoutTransaction { db in
        try db.execute("BEGIN IMMEDIATE")
        isWriting.signal()
        Thread.sleep(forTimeInterval: 0.3)
        try db.execute("ROLLBACK")
      }
    }
    isWriting.wait()
    #expect(try UploadStore(path: path).items() == [])
  }

  @Test("What a server speaks is kept for a day, and no change of the queue")
  func servers() throws {
    let store = try harness.open()
    let revision = try store.changes(since: 0).revision
    var tus = TusServer()
    (tus.maxSize, tus.extensions, tus.checksum) = (5, ["creation"], .sha1)
    var limits = ResumeLimits()
    limits.append = 7
    let servers: [ResumeServer] = [
      .tus(tus), .http(HTTPResumeServer(limits: limits)),
      .http(HTTPResumeServer(isSettled: false)), .usual,
    ]
    let start = Date(timeIntervalSince1970: 1_000_000)
    for (number, server) in servers.enumerated() {
      store.remember(.http(HTTPResumeServer()), at: "http://nas/\(number)", now: start - 5)
      store.remember(server, at: "http://nas/\(number)", now: start)
    }
    let later = try harness.open()
    for (number, server) in servers.enumerated() {
      #expect(later.resumeServer(at: "http://nas/\(number)", now: start + 86_399) == server)
      #expect(later.resumeServer(at: "http://nas/\(number)", now: start + 86_400) == nil)
    }
    store.remember(nil, at: "http://nas/0", now: start)
    #expect(later.resumeServer(at: "http://nas/0", now: start) == nil)
    #expect(later.resumeServer(at: "http://other/0", now: start) == nil)
    #expect(try later.changes(since: 0).revision == revision)
  }

  @Test("One process sends, and another can take over when it has gone")
  func lock() throws {
    _ = try harness.open()
    var first = try SenderLock(queue: harness.path)
    #expect(first != nil)
    #expect(SenderLock.holder(queue: harness.path) == getpid())
    #expect(try SenderLock(queue: harness.path) == nil)
    first = nil
    #expect(!SenderLock.isTaken(queue: harness.path))
    #expect(try SenderLock(queue: harness.path) != nil)
  }

  @Test("A process that asks in vain gets the lock once it is free, one at a time")
  func lockAskedForInVain() throws {
    _ = try harness.open()
    // Another open file, as another process has one.
    let other = open(harness.path, O_RDWR | O_CLOEXEC)
    try #require(flock(other, LOCK_EX) == 0)
    #expect(try SenderLock(queue: harness.path) == nil)
    // What was not handed over is nobody's to lock with.
    #expect(throws: StoreError.self) {
      try SenderLock(queue: harness.path, inheriting: dup(open(harness.path, O_RDWR)))
    }
    // A program that another test is starting may still have a copy.
    flock(other, LOCK_UN)
    close(other)
    let first = try SenderLock(queue: harness.path)
    #expect(first != nil)
    for _ in 0..<3 {
      #expect(try SenderLock(queue: harness.path) == nil)
      #expect(SenderLock.isTaken(queue: harness.path))
    }
  }

  @Test(
    "The right to send passes to the process that inherits its descriptor, and nobody else has it in between"
  )
  func lockHandedOver() throws {
    _ = try harness.open()
    var first = try SenderLock(queue: harness.path)
    // What another process inherits is a descriptor of its own for the same open file.
    let inherited = dup(try #require(first?.handOver()))
    first = nil
    #expect(SenderLock.isTaken(queue: harness.path))
    var second: SenderLock? = try SenderLock(queue: harness.path, inheriting: inherited)
    #expect(second != nil)
    #expect(try SenderLock(queue: harness.path) == nil)
    second = nil
    #expect(!SenderLock.isTaken(queue: harness.path))
  }

  @Test("What is no lock of the queue is not taken for one")
  func lockNotHandedOver() throws {
    _ = try harness.open()
    let first = try SenderLock(queue: harness.path)
    #expect(first != nil)
    let other = open("/dev/null", O_RDONLY)
    let own = open(harness.path, O_RDONLY)
    defer { close(other) }
    for descriptor in [other, own, 99] {
      #expect(throws: StoreError.self) {
        try SenderLock(queue: harness.path, inheriting: descriptor)
      }
    }
    #expect(SenderLock.isTaken(queue: harness.path))
  }

  @Test("The right to send is one for the queue, whatever it is called and whatever lies beside it")
  func lockByIdentity() throws {
    let store = try harness.open()
    let first = try SenderLock(queue: harness.path)
    #expect(first != nil)
    let folder = URL(filePath: harness.path).deletingLastPathComponent().path
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where !["queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm"].contains(name) {
      unlink("\(folder)/\(name)")
    }
    #expect(try SenderLock(queue: harness.path) == nil)
    let link = harness.folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: harness.path)
    #expect(try SenderLock(queue: link) == nil)
    #expect(SenderLock.isTaken(queue: link))
    // SQLite's locks are still there: another process that closes the queue leaves its log alone.
    _ = try store.enqueue([item("a")])
    let other = try Tool.run(
      "python3", ["-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).close()", harness.path])
    #expect(other == "")
    #expect(FileManager.default.fileExists(atPath: harness.path + "-wal"))
    #expect(try store.items().count == 1)
  }
}
