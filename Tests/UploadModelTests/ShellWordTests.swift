import Foundation
import ScalarText
import TestSupport
import Testing

@testable import UploadModel

/// What is quoted is read back by real shells.
@Suite struct ShellWordTests {
  static let nasty: [[UInt8]] =
    [
      "a';touch PWNED;'.txt", #"'"'"$(touch PWNED)`touch PWNED`\"#, "$HOME ~ * ? [a] {b,c} # ! !!",
      "-n", "--", "=a", "~", "", " ", "\n", "\n\n", "a\n", "\na", "a\n\n'b\n\n", "\r\n", "\t",
      "\u{1B}[201~touch PWNED\r", "\u{1B}]52;c;\u{7}", "\u{7F}\u{80}\u{9B}31m", "\u{202E}gpj.exe",
      "\u{1}1\u{1B}7", "%s%d\\n\\033", "é漢😀", "a\u{2028}b", "a\n\u{301}b", "1\n2\n3",
    ].map { Array($0.utf8) } + [
      [0xFF], [0x61, 0xC3], [0xC3, 0x27, 0xC3, 0x28], [0x80, 0x0A], [0xED, 0xA0, 0x80, 0x31],
      Array(1...255), [0x0A, 0xFF, 0x0A],
    ]

  /// Each shell prints its arguments, a NUL after each.
  static func arguments(_ shell: String, _ words: [String]) throws -> [[UInt8]] {
    let folder = try ScratchDirectory()
    let script = folder.path("script")
    try Data("cd '\(folder.path(""))'; printf '%s\\0' \(words.joined(separator: " ")) > out".utf8)
      .write(to: URL(filePath: script))
    try Tool.run(shell, [script])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(names.sorted() == ["out", "script"], "\(shell) ran something: \(names)")
    return try Data(contentsOf: URL(filePath: folder.path("out")))
      .split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
  }

  @Test(arguments: ["sh", "bash", "dash"]) func shellsReadTheSameBytes(_ shell: String) throws {
    let marked = Self.nasty.compactMap { String(validating: $0, as: UTF8.self) }
      .flatMap { CombiningMarks.variants(of: $0) }.map { Array($0.utf8) }
    let all = Self.nasty + marked
    // A command line has its bounds.
    for start in stride(from: 0, to: all.count, by: 200) {
      let some = Array(all[start..<min(start + 200, all.count)])
      let read = try Self.arguments(shell, some.map { ShellWord.quoted(bytes: $0) })
      #expect(read.count == some.count)
      for (read, sent) in zip(read, some) {
        #expect(read == sent, "\(String(decoding: sent, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test func nothingInAWordIsACommandForATerminal() {
    let marked =
      Self.nasty
      + (0..<0x3000).compactMap(Unicode.Scalar.init).map {
        Array("a\($0)b".utf8)
      }
    for bytes in marked {
      let word = ShellWord.quoted(bytes: bytes)
      let end = word.unicodeScalars.reversed().drop { $0 == "\n" || $0 == "'" }
      #expect(end.allSatisfy(SafeText.isShown), "\(word.debugDescription)")
    }
  }

  @Test func plainWordsStayAsTheyAre() {
    #expect(ShellWord.quoted("/a/b-1.jpg") == "/a/b-1.jpg" && ShellWord.quoted("") == "''")
    #expect(ShellWord.quoted("a b") == "'a b'" && ShellWord.quoted("é") == "'é'")
    #expect(ShellWord.quoted("a\u{1B}1") == #"'a'"$(printf '\033')"'1'"#)
    #expect(ShellWord.quoted("a\nb") == #"'a'"$(printf '\012\142')""#)
  }
}
