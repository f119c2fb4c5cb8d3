import Foundation
import MultipartForm
import Testing

@Suite struct FileLocationTests {
  static let components: [(String, String)] = [
    ("/a/b.txt", "b.txt"), ("b.txt", "b.txt"), ("a/b/", "b"), ("/", ""), ("", ""), ("//x//", "x"),
    ("/a/ə💩", "ə💩"), ("/a/b\\c", "b\\c"), ("/a/..", ".."),
  ]

  @Test("the last component is what a file is called", arguments: Self.components)
  func lastComponent(path: String, expected: String) {
    #expect(FileLocation(path).lastComponent == expected)
  }

  @Test("bytes that are not UTF-8 survive, and show as U+FFFD")
  func rawBytes() throws {
    let location = FileLocation(bytes: Array("/a/x".utf8) + [0xFF] + Array("y".utf8))
    #expect(location.description == "/a/x\u{FFFD}y")
    #expect(location.lastComponent == "x\u{FFFD}y")
    let coded = try JSONEncoder().encode([location, "/plain"])
    #expect(try JSONDecoder().decode([FileLocation].self, from: coded) == [location, "/plain"])
    #expect(String(decoding: coded, as: UTF8.self).contains("plain"))
    #expect(location.withCString { strlen($0) } == 6)
  }

  @Test("a file URL names its path, with bytes that are not UTF-8")
  func urls() throws {
    #expect(try FileLocation(URL(filePath: "/a b/ə%.txt")) == "/a b/ə%.txt")
    let strange = try #require(URL(string: "file:///a%FFb"))
    #expect(try FileLocation(strange).bytes == Array("/a".utf8) + [0xFF] + Array("b".utf8))
    let relative = URL(filePath: "x.txt", relativeTo: URL(filePath: "/a/"))
    #expect(try FileLocation(relative) == "/a/x.txt")
    for text in ["https://example.com/a", "file://elsewhere/a"] {
      let url = try #require(URL(string: text))
      #expect(throws: FileError(FileLocation(text), .notAFileURL)) { try FileLocation(url) }
    }
  }

  @Test("any string names a path")
  func strings() {
    #expect(FileLocation("/a/b.txt".dropFirst(3)) == "b.txt")
  }

  @Test("a path with NUL in it names no other file")
  func nul() {
    let location = FileLocation(bytes: Array("/dev/null\0x".utf8))
    #expect(throws: FileError(location, .unreadable(errno: EINVAL, during: .inspect))) {
      try FileIdentity(of: location)
    }
  }
}
