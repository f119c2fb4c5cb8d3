import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Receiver

@Suite("The folder")
final class InboxTests {
  let path: String

  init() throws { path = try ScratchDirectory().path("inbox") }

  private func store(
    _ text: String, as name: String, in inbox: Inbox, syncing: Bool = true
  ) throws -> String {
    let file = try inbox.makeTemporary()
    try text.utf8.withContiguousStorageIfAvailable { try file.append(UnsafeRawBufferPointer($0)) }
    _ = try file.finish(syncing: syncing)
    return try file.publish(as: SafeFileName(name)).text
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  @Test("names that are taken get the next number, and nothing is replaced")
  func clashes() throws {
    let inbox = try Inbox(path: path)
    #expect(try store("one", as: "a.txt", in: inbox) == "a.txt")
    #expect(try store("two", as: "a.txt", in: inbox) == "a (2).txt")
    #expect(try store("three", as: "x/a.txt", in: inbox) == "a (3).txt")
    inbox.remove(try #require(EntryName("a (2).txt")))
    #expect(try store("four", as: "a.txt", in: inbox) == "a (2).txt")
    #expect(try names() == ["a (2).txt", "a (3).txt", "a.txt"])
    #expect(try String(contentsOfFile: "\(path)/a.txt", encoding: .utf8) == "one")
    #expect(try String(contentsOfFile: "\(path)/a (2).txt", encoding: .utf8) == "four")
  }

  @Test("a folder, a dangling link and a pipe of the same name are in the way too")
  func otherKinds() throws {
    let inbox = try Inbox(path: path)
    try FileManager.default.createDirectory(atPath: "\(path)/a", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/b", withDestinationPath: "/nonexistent/b")
    #expect(mkfifo("\(path)/c", 0o600) == 0)
    #expect(try store("x", as: "a", in: inbox) == "a (2)")
    #expect(try store("x", as: "b", in: inbox) == "b (2)")
    #expect(try store("x", as: "c", in: inbox) == "c (2)")
    #expect(try inbox.list().map(\.name).sorted() == ["a (2)", "b (2)", "c (2)"])
    #expect(try inbox.read("b") == nil)
    #expect(try inbox.read("a") == nil)
  }

  @Test("1,100 files of one name are all kept")
  func crowd() throws {
    let inbox = try Inbox(path: path)
    var stored: Set<String> = []
    for _ in 1...1_100 {
      stored.insert(try store("x", as: "n.txt", in: inbox, syncing: false))
    }
    #expect(stored.count == 1_100)
    #expect(try Set(names()) == stored)
  }

  @Test("a file that is not published leaves nothing")
  func discarded() throws {
    let inbox = try Inbox(path: path)
    do {
      let file = try inbox.makeTemporary()
      let bytes = patternBytes(200_000)
      try bytes.withUnsafeBytes { try file.append($0) }
      #expect(try names().count == 1)
      #expect(try inbox.list().isEmpty)
    }
    #expect(try names().isEmpty)
  }

  @Test("what a killed receiver left is removed; what a running one writes is not")
  func leftovers() throws {
    let running = try Inbox(path: path)
    let file = try running.makeTemporary()
    try Data([1]).write(to: URL(fileURLWithPath: "\(path)/.hoist-dead.part"))
    try Data([1]).write(to: URL(fileURLWithPath: "\(path)/.hoist-mine"))
    let live = try names().filter { $0 != ".hoist-dead.part" }
    #expect(live.count == 2)
    _ = try Inbox(path: path)
    #expect(try names() == live)
    file.discard()
  }

  @Test(
    "the hash and the length are those of the content, whatever the pieces",
    arguments: [
      [0], [1], [65_535, 1], [65_536], [65_537, 200_000, 3], Array(repeating: 7, count: 30_000),
    ])
  func pieces(sizes: [Int]) throws {
    let inbox = try Inbox(path: path)
    let file = try inbox.makeTemporary()
    let bytes = patternBytes(sizes.reduce(0, +))
    var start = 0
    for size in sizes {
      try bytes[start..<start + size].withUnsafeBytes { try file.append($0) }
      start += size
    }
    let hash = try file.finish(syncing: false)
    #expect(hash == sha256(bytes))
    #expect(file.size == Int64(bytes.count))
    #expect(try file.publish(as: SafeFileName("a")).text == "a")
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/a"))) == bytes)
  }

  @Test("only visible regular files of the folder itself can be read")
  func reading() throws {
    let inbox = try Inbox(path: path)
    _ = try store("x", as: "a.txt", in: inbox)
    try Data([1]).write(to: URL(fileURLWithPath: "\(path)/.secret"))
    try Data([1]).write(to: URL(fileURLWithPath: "\(path)/.\u{301}secret"))
    for name in [
      "", ".", "..", ".secret", ".\u{301}secret", "../etc/passwd", "/etc/passwd",
      "/\u{301}etc/passwd",
      "a.txt\u{0}", "b.txt", String(repeating: "x", count: 256),
    ] {
      #expect(try inbox.read(name) == nil, "\(name)")
    }
    #expect(try inbox.list().map(\.name) == ["a.txt"])
    let file = try #require(try inbox.read("a.txt"))
    #expect(file.size == 1)
    #expect(file.read(atMost: 10).map { String(buffer: $0) } == "x")
  }

  @Test("no request follows links in the folder, wherever they come from")
  func links() throws {
    let inbox = try Inbox(path: path)
    let outside = path + "-outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(outside)/x"))
    for (link, end) in [
      ("sub", outside), ("x", "\(outside)/x"), ("new", "\(outside)/new"),
      (".hoist-records.json", "\(outside)/x"), (".hoist-records.json.lock", "\(outside)/lock"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/\(link)", withDestinationPath: end)
    }
    for mark in ["", "\u{301}", "\u{200D}", "\u{FE0F}"] {
      _ = try store("evil", as: "sub/\(mark)x", in: inbox)
      _ = try store("evil", as: "x", in: inbox)
      _ = try store("evil", as: "new", in: inbox)
      #expect(try inbox.read("sub/\(mark)x") == nil)
    }
    #expect(try inbox.read("x") == nil)
    let folder = ReceiverFolder(inbox: inbox)
    #expect(throws: Refusal.self) { try folder.contents(of: "records.json", atMost: 100) }
    #expect(throws: Refusal.self) { try folder.change("records.json", atMost: 100) { $0 = [] } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["x"])
    #expect(try String(contentsOfFile: "\(outside)/x", encoding: .utf8) == "secret")
  }

  @Test("descriptors are left for others, however many files are on their way in")
  func descriptors() throws {
    let most = 50
    let inbox = try Inbox(path: path, mostTemporaries: most)
    var files: [TemporaryFile] = []
    let failure = #expect(throws: Inbox.Failure.self) {
      while files.count <= most { files.append(try inbox.makeTemporary()) }
    }
    #expect(failure?.code == EMFILE && files.count == most)
    files.removeLast()
    #expect(throws: Never.self) { files.append(try inbox.makeTemporary()) }
    files.removeAll()
    #expect(try names().isEmpty)
    #expect(try 1..<Descriptors.limit / 2 ~= Inbox(path: path).mostTemporaries)
  }

  @Test("a folder that can not be made is a clear error")
  func unusable() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: "\(path)/file"))
    #expect(throws: ReceiverError.folder(path: "\(path)/file", code: ENOTDIR)) {
      _ = try Inbox(path: "\(path)/file")
    }
    #expect(throws: ReceiverError.folder(path: "\(path)/file/x", code: ENOTDIR)) {
      _ = try Inbox(path: "\(path)/file/x")
    }
    #expect(throws: Never.self) { _ = try Inbox(path: "\(path)/new/folders/here") }
  }

  @Test("what a disk refuses has the right status")
  func statuses() {
    #expect(Refusal(Inbox.Failure(doing: "write", code: ENOSPC)).status == .insufficientStorage)
    #expect(Refusal(Inbox.Failure(doing: "write", code: EDQUOT)).status == .insufficientStorage)
    #expect(Refusal(Inbox.Failure(doing: "write", code: EFBIG)).status == .payloadTooLarge)
    #expect(Refusal(Inbox.Failure(doing: "write", code: EMFILE)).status == .serviceUnavailable)
    #expect(Refusal(Inbox.Failure(doing: "write", code: EIO)).status == .internalServerError)
  }

  @Test("a lock that somebody else holds for long is 503")
  func locked() throws {
    let inbox = try Inbox(path: path)
    let lock = try #require(EntryName("lock"))
    let failure = #expect(throws: Inbox.Failure.self) {
      try inbox.locked(lock) { try inbox.locked(lock, patience: .milliseconds(20)) {} }
    }
    #expect(failure.map { Refusal($0).status } == .serviceUnavailable)
    #expect(throws: Never.self) { try inbox.locked(lock) {} }
  }

  @Test("an endpoint's own file is made, changed and taken away, whole or not at all")
  func ownFiles() throws {
    struct Enough: Error {}
    let folder = ReceiverFolder(inbox: try Inbox(path: path))
    #expect(try folder.contents(of: "a", atMost: 3) == nil)
    #expect(
      try folder.change("a", atMost: 3) {
        $0 = [1, 2, 3]; return $0?.count
      } == 3)
    #expect(try folder.contents(of: "a", atMost: 3) == [1, 2, 3])
    #expect(throws: Refusal.self) { try folder.contents(of: "a", atMost: 2) }
    let full = #expect(throws: Refusal.self) { try folder.change("a", atMost: 3) { $0?.append(4) } }
    #expect(full?.code == 507)
    #expect(throws: Enough.self) {
      try folder.change("a", atMost: 3) {
        $0 = []
        throw Enough()
      }
    }
    #expect(try folder.contents(of: "a", atMost: 3) == [1, 2, 3])
    try folder.change("a", atMost: 3) { $0 = nil }
    #expect(try folder.contents(of: "a", atMost: 3) == nil)
    for name in ["", "a/b", "x.part", String(repeating: "x", count: 250)] {
      let refusal = #expect(throws: Refusal.self) { try folder.change(name, atMost: 1) { $0 = [] } }
      #expect(refusal?.code == 500)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path) == [".hoist-a.lock"])
  }
}
