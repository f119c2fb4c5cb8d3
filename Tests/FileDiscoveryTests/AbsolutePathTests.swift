import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import FileDiscovery

/// A file that is named twice is found to be the same, however it is named.
struct AbsolutePathTests {
  @Test(arguments: [
    ("a", "/w/a"), ("./a", "/w/a"), (".//./a", "/w/a"), ("b/./a", "/w/b/a"), ("b//a", "/w/b/a"),
    ("b/.", "/w/b"), ("b/", "/w/b/"), (".", "/w"), ("b/.a", "/w/b/.a"), ("...", "/w/..."),
    ("/x//y/./z", "/x/y/z"), ("/", "/"), ("/.", "/"), ("//", "/"), ("/..", "/.."), ("", "/w/"),
    // What is not there may become a link.
    ("none/../a", "/w/none/../a"),
  ])
  func byItsText(_ path: String, _ expected: String) {
    #expect(FileLocation(path).absolute(in: "/w") == FileLocation(expected))
  }

  @Test func aFolderIsLeftAgainButALinkIsNot() throws {
    let scratch = try ScratchDirectory()
    let files = FileManager.default
    try files.createDirectory(
      atPath: scratch.path("a/b"), withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: scratch.path("a/b"))
    func absolute(_ path: String) -> String {
      FileLocation(path).absolute(in: scratch.path("a")).description
    }
    #expect(absolute("../a/b/../x") == scratch.path("a/x"))
    #expect(absolute("b/../../a/./b/x") == scratch.path("a/b/x"))
    #expect(absolute("../link/../x") == scratch.path("link/../x"))
    #expect(absolute("../link/../b/../x") == scratch.path("link/../x"))
  }
}
