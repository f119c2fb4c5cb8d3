import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import hoist

@Suite("Files that the server has are moved away, and no others") struct FileDisposalTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private func perform(
    _ way: Disposal.Way, _ name: String, _ identity: FileIdentity? = nil,
    home: String? = nil, began: Date = .distantFuture
  ) -> FileDisposal.Outcome {
    let place = FileLocation(folder.path(name))
    let tool = FileDisposal(
      environment: home.map { ["XDG_DATA_HOME": $0] } ?? ["XDG_DATA_HOME": "/proc/nowhere"])
    return tool.perform(
      Disposal(way, began: began), at: place, identity ?? (try? FileIdentity(of: place)))
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
    try folder.write("a", count: 10)
    let identity = try FileIdentity(of: FileLocation(folder.path("a")))
    try FileManager.default.removeItem(atPath: folder.path("a"))
    try folder.write("a", Array("new".utf8))
    #expect(perform(way, "a", identity).isKept)
    #expect(text("a") == "new")
    // Its time of modification may have been set back.
    #expect(perform(way, "a", began: .distantPast).isKept)
    // Of what was never looked at, nobody knows.
    let place = FileLocation(folder.path("a"))
    #expect(
      FileDisposal(environment: [:]).perform(Disposal(way, began: .distantFuture), at: place, nil)
        .isKept)
  }

  @Test("what another program writes to stays")
  func open() throws {
    try folder.write("a", count: 10)
    let writer = try #require(FileHandle(forUpdatingAtPath: folder.path("a")))
    // If leases are not possible here, nobody can tell.
    guard FileIdentity.isOpenForWriting(FileLocation(folder.path("a"))) == true else { return }
    #expect(perform(.delete, "a", home: folder.path("data")).isKept)
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
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "file"])
  }
}
