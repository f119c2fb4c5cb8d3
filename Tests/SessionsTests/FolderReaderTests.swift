import Foundation
import Screens
import TestSupport
import Testing

@testable import Sessions

@Suite("The list of a folder's files")
struct FolderReaderTests {
  @Test("marks what cannot be sent: broken links, and what may not be read")
  func unsendable() throws {
    let folder = try ScratchDirectory()
    let shut = try folder.write("shut.txt", [1])
    try folder.write("open.txt", [1])
    for name in ["locked", "unlocked"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
    }
    #expect(symlink("nothing.pdf", folder.path("broken.pdf")) == 0)
    #expect(symlink("open.txt", folder.path("whole.txt")) == 0)
    try #require(chmod(shut, 0) == 0 && chmod(folder.path("locked"), 0o300) == 0)
    defer { chmod(folder.path("locked"), 0o700) }
    let entries = FolderReader.read(Array(folder.path("").utf8)).entries
    func kind(_ name: String) -> [String] {
      entries.filter { $0.name == name }.map { "\($0.kind), \($0.isSendable)" }
    }
    #expect(kind("broken.pdf") == ["broken, false"])
    #expect(kind("whole.txt") == ["link, true"])
    #expect(kind("open.txt") == [", true"] && kind("unlocked") == [", true"])
    // Nothing is shut to root.
    let word = access(shut, R_OK) == 0 ? ", true" : "no access, false"
    #expect(kind("shut.txt") == [word] && kind("locked") == [word])
  }
}
