import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import Sessions

@Suite("Files that the server has are moved away, and no others") struct FileDisposalTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// A file as it was read when it was sent.
  private struct Sent {
    let place: FileLocation
    var identity: FileIdentity?
    var moment: FileMoment?

    init(_ path: String) {
      place = FileLocation(path)
      identity = try? FileIdentity(of: place)
      let body = try? FormBody(rawFile: place).recorded()
      _ = try? body?.bytes()
      moment = body?.moment(of: place)
    }
  }

  /// `isOpen` says whether the test itself has the file open for writing.
  private func perform(
    _ way: Disposal.Way, _ sent: Sent, home: String? = nil, isOpen: Bool = false
  ) -> FileDisposal.Outcome {
    // A process that another test has just forked keeps the file open until it runs its own program.
    let limit = ContinuousClock.now + .seconds(10)
    while !isOpen, FileIdentity.isOpenForWriting(sent.place) == true, .now < limit { usleep(1000) }
    let tool = FileDisposal(
      environment: home.map { ["XDG_DATA_HOME": $0] } ?? ["XDG_DATA_HOME": "/proc/nowhere"])
    return tool.perform(Disposal(way, of: sent.moment), at: sent.place, sent.identity)
  }

  private func perform(
    _ way: Disposal.Way, _ name: String, home: String? = nil
  ) -> FileDisposal.Outcome {
    perform(way, Sent(folder.path(name)), home: home)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  private func text(_ path: String) -> String? {
    try? String(contentsOfFile: folder.path(path), encoding: .utf8)
  }

  @Test("into the trash, with a note of where it was")
  func trash() throws {
    for content in ["one", "two"] {
      try folder.write("a b%.jpg", Array(content.utf8))
      #expect(perform(.delete, "a b%.jpg", home: folder.path("data")) == .trashed)
      #expect(text("a b%.jpg") == nil)
    }
    #expect(text("data/Trash/files/a b%.jpg") == "one")
    #expect(text("data/Trash/files/a b%.2.jpg") == "two")
    let note = try #require(text("data/Trash/info/a b%.2.jpg.trashinfo"))
    let lines = note.split(separator: "\n")
    #expect(lines.first == "[Trash Info]")
    #expect(lines.contains { $0.hasPrefix("Path=/") && $0.hasSuffix("/a%20b%25.jpg") }, "\(note)")
    #expect(
      lines.contains { $0.wholeMatch(of: /DeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) != nil })
  }

  @Test("without a trash it is deleted")
  func deletion() throws {
    try folder.write("a", count: 10)
    // The file system may have a trash of its own.
    #expect([.deleted, .trashed].contains(perform(.delete, "a")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("into a folder beside it, and nothing that is there is replaced")
  func moving() throws {
    for content in ["one", "two", "three"] {
      try folder.write("a.jpg", Array(content.utf8))
      guard case .moved = perform(.move(to: "sent/"), "a.jpg") else {
        Issue.record("not moved")
        return
      }
    }
    #expect(text("sent/a.jpg") == "one" && text("sent/a.2.jpg") == "two")
    #expect(text("sent/a.3.jpg") == "three" && text("a.jpg") == nil)
    try folder.write("b", count: 1)
    let to = FileLocation(folder.path("elsewhere/b"))
    #expect(perform(.move(to: folder.path("elsewhere")), "b") == .moved(to: to))
  }

  @Test(
    "what has changed since it was sent stays",
    arguments: [.delete, .move(to: "s")] as [Disposal.Way])
  func changed(_ way: Disposal.Way) throws {
    try folder.write("a", Array("old".utf8))
    var sent = Sent(folder.path("a"))
    try FileManager.default.removeItem(atPath: folder.path("a"))
    try folder.write("a", Array("new".utf8))
    #expect(perform(way, sent).isKept)
    #expect(text("a") == "new")
    // Nobody knows what a file contained that was never looked at.
    sent.identity = nil
    #expect(perform(way, sent).isKept)
    // Nor what was sent if that was not recorded.
    sent = Sent(folder.path("a"))
    sent.moment = nil
    #expect(perform(way, sent) == .kept("it may have changed since it was sent"))
    #expect(try names.filter { $0 != "s" } == ["a"])
  }

  @Test(
    "what has changed stays even if its times were set back",
    arguments: [.delete, .move(to: "s")] as [Disposal.Way], [false, true])
  func timesSetBack(_ way: Disposal.Way, isOld: Bool) async throws {
    let path = try folder.write("a", Array("old".utf8))
    // A file that was written just now is doubtful, an older one is not.
    if isOld { try await FileChange.waitUntilOld(path) }
    let sent = Sent(path)
    var status = stat()
    stat(path, &status)
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.write(contentsOf: Data("new".utf8))
    futimens(file.fileDescriptor, [status.st_atim, status.st_mtim])
    try file.close()
    #expect(try FileIdentity(of: sent.place) == sent.identity)
    // A program that another test starts may inherit the file for a moment.
    let words = ["it has changed since it was sent", "another program has it open for writing"]
    let outcome = perform(way, sent, home: folder.path("data"))
    #expect(words.map(FileDisposal.Outcome.kept).contains(outcome), "\(outcome)")
    #expect(text("a") == "new")
  }

  @Test("new permissions and another name do no harm")
  func metadata() throws {
    let sent = Sent(try folder.write("a", count: 10))
    chmod(folder.path("a"), 0o600)
    link(folder.path("a"), folder.path("b"))
    #expect(perform(.move(to: "s"), sent) == .moved(to: FileLocation(folder.path("s/a"))))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("s")) == ["a"])
    #expect(try names == ["b", "s"])
  }

  @Test(
    "what a program has written through a mapping, without a trace in the times, stays",
    arguments: [false, true], [16, 9 << 20])
  func mapped(inMemory: Bool, size: Int) async throws {
    let shared = "/dev/shm/hoist-test-\(UUID().uuidString)"
    defer { unlink(shared) }
    let path = inMemory ? shared : folder.path("a")
    guard FileManager.default.createFile(atPath: path, contents: Data(count: size)) else { return }
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    let memory = try #require(
      mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fileDescriptor, 0))
    try file.close()
    // From now on, stores to this page change no times.
    memory.storeBytes(of: 1, as: UInt8.self)
    let sent = Sent(path)
    memory.storeBytes(of: 2, as: UInt8.self)
    munmap(memory, size)
    // A process that another test has just forked may still have the mapping.
    try await wait(for: "nobody to write to it") {
      FileIdentity.isOpenForWriting(sent.place) == true ? nil : true
    }
    try #require(FileIdentity(of: sent.place) == sent.identity)
    for home in [nil, folder.path("data")] {
      let outcome = perform(.delete, sent, home: home)
      #expect(outcome == .kept("it has changed since it was sent"))
    }
    #expect(FileManager.default.contents(atPath: path)?.first == 2)
    // With the content that was sent, it goes.
    #expect([.deleted, .trashed].contains(perform(.delete, Sent(path))))
    #expect(access(path, F_OK) != 0)
  }

  /// The name under which a file waits to be deleted.
  private func hide(_ sent: Sent) throws -> String {
    let inode = try #require(sent.identity?.inode)
    let name = ".\(sent.place.lastComponent).\(String(inode, radix: 36)).hoist"
    try FileManager.default.moveItem(
      atPath: "\(sent.place)", toPath: folder.path(name))
    return name
  }

  @Test(
    "what a killed hoist has hidden is deleted or moved, whatever is in its place now",
    arguments: [false, true])
  func hidden(hasSuccessor: Bool) throws {
    for way in [.delete, .move(to: "s")] as [Disposal.Way] {
      let sent = Sent(try folder.write("a", Array("old".utf8)))
      _ = try hide(sent)
      if hasSuccessor { try folder.write("a", Array("new".utf8)) }
      let outcome = perform(way, sent)
      let moved = FileLocation(folder.path("s/a"))
      #expect([.deleted, .trashed, .moved(to: moved)].contains(outcome), "\(outcome)")
      #expect(text("a") == (hasSuccessor ? "new" : nil))
    }
    #expect(text("s/a") == "old")
    #expect(try names == (hasSuccessor ? ["a", "s"] : ["s"]))
  }

  @Test("what a killed hoist has hidden gets its name back if it must stay")
  func unhidden() throws {
    var sent = Sent(try folder.write("a", Array("old".utf8)))
    sent.moment = nil
    _ = try hide(sent)
    #expect(perform(.delete, sent) == .kept("it may have changed since it was sent"))
    #expect(text("a") == "old")
    _ = try hide(sent)
    try folder.write("a", Array("new".utf8))
    let outcome = perform(.delete, sent)
    #expect(
      outcome.words.hasSuffix(
        "is now called \(folder.path("a.2")), since another file has its name"))
    #expect(outcome.isKept && text("a") == "new" && text("a.2") == "old")
  }

  @Test("what a killed hoist has moved is found where it is now")
  func alreadyMoved() throws {
    let home = folder.path("data")
    for way in [.delete, .move(to: "s")] as [Disposal.Way] {
      for _ in 0..<2 {
        let sent = Sent(try folder.write("a", count: 10))
        let outcome = perform(way, sent, home: home)
        #expect(!outcome.isKept && perform(way, sent, home: home) == outcome)
      }
    }
  }

  @Test("what another program writes to stays")
  func open() throws {
    try folder.write("a", count: 10)
    let writer = try #require(FileHandle(forUpdatingAtPath: folder.path("a")))
    // If leases are not possible here, nobody can tell.
    guard FileIdentity.isOpenForWriting(FileLocation(folder.path("a"))) == true else { return }
    let sent = Sent(folder.path("a"))
    #expect(perform(.delete, sent, home: folder.path("data"), isOpen: true).isKept)
    try writer.close()
    #expect(perform(.delete, "a", home: folder.path("data")) == .trashed)
  }

  @Test("links, folders and what is gone")
  func others() throws {
    let file = try folder.write("a", count: 10)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: file)
    #expect(perform(.delete, "link").isKept && perform(.move(to: "s"), "link").isKept)
    try FileManager.default.createDirectory(
      atPath: folder.path("d"), withIntermediateDirectories: false)
    #expect(perform(.delete, "d").isKept)
    #expect(perform(.delete, "nothing") == .gone)
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test("what cannot be moved stays, and nothing is left behind")
  func failure() throws {
    try folder.write("a", count: 10)
    try folder.write("file", count: 1)
    #expect(perform(.move(to: "file"), "a").isKept)
    // Another file system.
    let elsewhere = "/dev/shm/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: elsewhere) }
    if FileManager.default.fileExists(atPath: "/dev/shm") {
      #expect(perform(.move(to: elsewhere), "a").isKept)
    }
    #expect(try names == ["a", "file"])
  }
}
