import FileDiscovery
import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import Sessions

@Suite struct TypedLineTests {
  @Test(arguments: [
    ("a{b,c}d", ["abd", "acd"]), ("{a,b}{1,2}", ["a1", "a2", "b1", "b2"]), ("a{b}c", ["a{b}c"]),
    ("{a,{b,c}x}", ["a", "bx", "cx"]), ("a{,b}", ["a", "ab"]), ("{a", ["{a"]), ("a}b,c", ["a}b,c"]),
    ("", [""]), ("IMG_{1,2}.{jpg,png}", ["IMG_1.jpg", "IMG_1.png", "IMG_2.jpg", "IMG_2.png"]),
  ])
  func braces(_ word: String, _ words: [String]) {
    #expect(TypedLine.bracesExpanded(word) == words)
  }

  @Test func bracesDoNotExplode() {
    let bomb = String(repeating: "{a,b,c,d}", count: 20)
    #expect(TypedLine.bracesExpanded(bomb).count <= 1000)
  }

  @Test func aLineIsAFileOrWhatAShellWouldReadInIt() throws {
    let folder = try ScratchDirectory()
    for name in ["a.txt", "b.txt", "c d.txt", "e{f}.txt"] { try folder.write(name, [1, 2, 3]) }
    func names(_ line: String) -> [String] {
      TypedLine(text: line, home: folder.path).files.found.map(\.location.lastComponent).sorted()
    }
    let path = folder.path
    #expect(names("\(path)/c d.txt") == ["c d.txt"])
    #expect(names("\(path)/a.txt \(path)/b.txt") == ["a.txt", "b.txt"])
    #expect(names("\(path)/*.txt").count == 4)
    #expect(names("\(path)/{a,b}.txt") == ["a.txt", "b.txt"])
    #expect(names("\(path)/e{f}.txt") == ["e{f}.txt"])
    #expect(names("'\(path)/c d.txt' ~/a.txt") == ["a.txt", "c d.txt"])
    #expect(names("file://\(path)/c%20d.txt") == ["c d.txt"])
    let line = TypedLine(text: "\(path)/{a,z}.txt \(path)/*.png", home: path).files
    #expect(line.found.count == 1 && line.missing == ["\(path)/z.txt", "\(path)/*.png"])
    let wished = TypedLine(
      text: "\(path)/a.txt;name=b.md;type=text/markdown '\(path)/c d.txt;field=doc'", home: path
    ).files
    #expect(wished.missing.isEmpty)
    #expect(wished.found.map(\.location.lastComponent) == ["a.txt", "c d.txt"])
    #expect(wished.found.map(\.wish?.name) == ["b.md", nil])
    #expect(wished.found.map(\.wish?.type) == ["text/markdown", nil])
    #expect(wished.found.map(\.wish?.field) == [nil, "doc"])
    // A file that is there is not called missing for what stands behind it.
    let mistaken = TypedLine(text: "\(path)/a.txt;type=md b", home: path).files
    #expect(mistaken.missing == ["b"])
    #expect(mistaken.mistake?.hasSuffix("\"md\" is not a media type such as image/jpeg") == true)
    let preview = TypedLine(text: "\(path)/*.txt", home: path).preview(rules: .init()) { false }
    #expect(preview?.files == 4 && preview?.bytes == 12)
    #expect(TypedLine(text: path, home: path).preview(rules: .init()) { false }?.files == 4)
    #expect(TypedLine(text: path, home: path).preview(rules: .init()) { true } == nil)
  }

  /// The prompt says beforehand what would be listed as failed.
  @Test func whatCannotBeSentIsCountedToo() throws {
    let folder = try ScratchDirectory()
    try folder.write("a.txt", [1, 2, 3])
    for name in ["b", "c"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(name), withDestinationPath: "nowhere")
    }
    func words(_ line: String) -> String? {
      TypedLine(text: line, home: folder.path).preview(rules: .init()) { false }?.words
    }
    let path = folder.path
    #expect(words("\(path)/*") == "1 file, 3 B; 2 broken links cannot be sent")
    #expect(words("\(path)/b") == "1 broken link cannot be sent")
    #expect(words("\(path)/a.txt /dev/null") == "1 file, 3 B; 1 cannot be sent")
    // A folder is named, since all that is in it would be added: with `~`, that may be much.
    #expect(words("~") == "1 file, 3 B in \(path); 2 broken links cannot be sent")
    #expect(words(path) == words("~"))
  }

  /// A folder that cannot be read may have what was asked for. Root may read every folder, but not a link to itself.
  @Test func aFolderThatCannotBeReadIsNotEmpty() throws {
    let folder = try ScratchDirectory()
    let loop = folder.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: "loop")
    for line in ["\(loop)/*", "\(loop)/a.txt", "\(loop)/a.txt;type=text/plain"] {
      let files = TypedLine(text: line, home: folder.path).files
      let words = files.mistake ?? ""
      #expect(files.missing.isEmpty && words.hasPrefix("\(loop)/"), "\(files)")
      #expect(words.hasSuffix(": too many levels of symbolic links"), "\(files)")
    }
    for line in ["\(folder.path)/none/*", "\(folder.path)/*.png"] {
      #expect(TypedLine(text: line, home: folder.path).files.missing == [line])
    }
  }

  /// Not that a file is missing: its name is there.
  @Test func aBrokenLinkIsListedAsOne() throws {
    let folder = try ScratchDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("a.pdf"), withDestinationPath: "nowhere")
    let failures = ["a.pdf", "b.pdf"].map {
      FileIntake().item(at: FileLocation(folder.path($0))).state.failure?.headline
    }
    #expect(failures == ["is a broken link", "file is missing"])
  }
}
