import Foundation
import TestSupport
import Testing

@testable import FileDiscovery

/// Paths in which a mark follows a slash or a dot.
struct MarkedPathTests {
  @Test("a name that begins with a dot is hidden, whatever follows the dot")
  func hidden() {
    for mark in CombiningMarks.all {
      #expect(
        !FolderRules().accepts([".\(mark)x"])
          && !FolderRules().accepts([".\(mark)", "x"]))
    }
  }

  @Test("completions are found behind a slash with a mark")
  func completions() throws {
    let folder = try ScratchDirectory()
    try folder.write("\u{301}abc", [1])
    try folder.write(".\u{301}hidden", [1])
    let typed = TypedPath(text: folder.path("") + "/\u{301}a", home: "/")
    #expect(typed.completions.map { $0.hasSuffix("/\u{301}abc") } == [true])
    #expect(TypedPath(text: folder.path("") + "/", home: "/").completions.count == 1)
  }
}
