import ScalarText
import Testing

@Suite struct ScalarTextTests {
  /// Each becomes a part of the `Character` before it.
  static let marks = ["\u{301}", "\u{200D}", "\u{FE0F}"]

  @Test(arguments: marks) func aMarkHidesNothing(_ mark: String) {
    let text = "a/\(mark)b"
    // What the standard library does, and why this room is there.
    #expect(!text.contains("/" as Character) && text.split(separator: "/").count == 1)
    #expect(text.contains(scalars: "/") && text.split(scalar: "/") == ["a", "\(mark)b"])
    #expect(text.replacing(scalars: "/", with: "//").utf8.elementsEqual("a//\(mark)b".utf8))
    #expect("/\(mark)".hasPrefix(scalars: "/") && !"/\(mark)".hasSuffix(scalars: "/"))
    #expect("a\(mark)".hasSuffix(scalars: mark) && "a\(mark)".hasPrefix(scalars: "a"))
    #expect(" \(mark)".trimming(\.isBlank).utf8.elementsEqual(mark.utf8))
  }

  @Test func whatLooksAlikeIsNotTheSame() {
    #expect(!"e\u{301}".hasPrefix(scalars: "é") && !"e\u{301}".contains(scalars: "é"))
  }

  @Test(arguments: marks) func whatFollowsAPrefix(_ mark: String) {
    #expect("/\(mark)a".removingPrefix(scalars: "/") == mark + "a")
    #expect("a/b".removingPrefix(scalars: "/") == nil)
    #expect("ab".removingPrefix(scalars: "ab")?.isEmpty == true)
  }

  @Test func theSameScalarsAndLowerCase() {
    #expect("\u{E9}" == "e\u{301}" && !"\u{E9}".hasSameScalars(as: "e\u{301}"))
    #expect("e\u{301}".hasSameScalars(as: "e\u{301}"))
    #expect("AZ[\u{C4}\u{212A}".lowercasedASCII.hasSameScalars(as: "az[\u{C4}\u{212A}"))
  }

  @Test func replacingAndSplitting() {
    #expect("aXXbXX".replacing(scalars: "XX", with: "") == "ab")
    #expect("aaa".replacing(scalars: "aa", with: "b") == "ba")
    #expect("abc".replacing(scalars: "", with: "x") == "abc")
    #expect("".replacing(scalars: "a", with: "x") == "")
    #expect("a::b:".split(scalar: ":") == ["a", "", "b", ""])
    #expect("a::b:".split(scalar: ":", omittingEmptySubsequences: true) == ["a", "b"])
    #expect("a:b:c".split(scalar: ":", maxSplits: 1) == ["a", "b:c"])
    #expect("".split(scalar: ":") == [""])
    #expect("xaéb".dropFirst().split(scalar: "é") == ["a", "b"])
    #expect("x:a:é".dropFirst(2).split(scalar: ":") == ["a", "é"])
    let range = "abcabc".range(scalars: "ca")
    #expect(range.map { String("abcabc"[$0]) } == "ca" && "abc".range(scalars: "x") == nil)
    #expect("ab".contains(scalars: "ab") && !"ab".contains(scalars: "abc"))
  }

  @Test func lines() {
    #expect("a\r\nb\n\u{301}c\u{2028}d\r".textLines == ["a", "b", "\u{301}c\u{2028}d"])
    #expect("\n".textLines == ["", ""])
  }

  @Test func trimming() {
    #expect("\t a b ".trimming(\.isBlank) == "a b" && " \t".trimming(\.isBlank) == "")
    #expect("\r\na\u{A0}\n".trimming(\.isWhiteSpace) == "a" && "".trimming(\.isBlank) == "")
  }

  @Test(
    arguments: [
      ([], 0, 0), ([0x61, 0xC3, 0xBC], 2, 0), ([0xFF, 0x61], 1, 1), ([0xC3], 0, 1),
      ([0xE2, 0x82], 0, 2), ([0xED, 0xA0, 0x80], 0, 3), ([0xC0, 0xAF], 0, 2),
      ([0xF0, 0x9F, 0x98, 0x80], 1, 0), ([0xF5, 0x80], 0, 2), ([0xC3, 0x28], 1, 1),
    ] as [([UInt8], Int, Int)])
  func piecesLoseNothing(_ bytes: [UInt8], scalars: Int, strays: Int) {
    let pieces = Array(UTF8Pieces(bytes))
    #expect(pieces.flatMap(\.bytes) == bytes)
    #expect(pieces.count { $0.scalar != nil } == scalars)
    #expect(pieces.count { $0.scalar == nil } == strays)
  }
}
