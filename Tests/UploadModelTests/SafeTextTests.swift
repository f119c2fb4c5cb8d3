import TestSupport
import Testing
import UploadModel

@Suite struct SafeTextTests {
  @Test(arguments: [
    ("plain name.txt", "plain name.txt", "plain name.txt"),
    ("é漢😀", "é漢😀", "???"),
    ("\u{1B}[31m", "␛[31m", "?[31m"),
    ("\u{0}\u{7}\u{8}\t\r", "␀␇␈␉␍", "?????"),
    ("a\nb", "a␊b", "a?b"),
    ("\u{7F}", "␡", "?"),
    ("\u{9B}31m\u{85}\u{9D}", "\u{FFFD}31m\u{FFFD}\u{FFFD}", "?31m??"),
    ("\u{202E}gpj.exe", "\u{FFFD}gpj.exe", "?gpj.exe"),
    ("\u{2066}\u{2069}\u{200E}\u{FEFF}\u{200B}", String(repeating: "\u{FFFD}", count: 5), "?????"),
    ("\u{2028}\u{2029}", "\u{FFFD}\u{FFFD}", "??"),
    ("\u{E000}\u{FFFF}\u{10FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}", "???"),
    ("\u{E0041}\u{AD}", "\u{FFFD}\u{FFFD}", "??"),
    ("\u{3164}\u{115F}\u{FFA0}\u{34F}", String(repeating: "\u{FFFD}", count: 4), "????"),
    ("👨‍👩", "👨‍👩", "???"), ("❤\u{FE0F}", "❤\u{FE0F}", "??"), ("葛\u{E0100}", "葛\u{E0100}", "??"),
    ("e\u{301}", "e\u{301}", "e?"), ("", "", ""),
  ])
  func line(_ text: String, _ safe: String, _ ascii: String) {
    // Strings compare by what they mean, so compare what they hold.
    #expect(Array(SafeText.line(text).unicodeScalars) == Array(safe.unicodeScalars))
    #expect(SafeText.line(text, ascii: true) == ascii)
  }

  @Test func noControlOrFormatCharacterPasses() {
    var wrong: [String] = []
    // Planes 4 to 13 hold nothing.
    for value in Effort.of([0..<0x4_0000, 0xE_0000..<0xF_0000], long: [UInt32(0)..<0x11_0000])
      .joined()
    {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let safe = SafeText.line(String(scalar)).unicodeScalars.allSatisfy { out in
        switch out.properties.generalCategory {
        case .control, .unassigned, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator:
          false
        case .format: out.value == 0x200D
        default: true
        }
      }
      let ascii = SafeText.line(String(scalar), ascii: true)
      if !safe || !ascii.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
        wrong.append("U+\(String(value, radix: 16))")
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
  }

  @Test func linesKeepTheirBreaks() {
    #expect(SafeText.lines("a\r\nb\n\nc\td\u{1B}") == ["a", "b", "", "c  d␛"])
    #expect(SafeText.lines("a\u{B}b\u{C}c\u{85}d\u{2028}e\rf") == ["a", "b", "c", "d", "e", "f"])
    #expect(SafeText.lines("") == [""])
    #expect(SafeText.lines("é\n", ascii: true) == ["?", ""])
  }

  @Test func whatIsSafeStaysAsItIs() {
    for text in ["é漢😀 ␛", "\u{1B}]0;x\u{7}", "\u{202E}"] {
      let once = SafeText.line(text)
      #expect(SafeText.line(once) == once)
    }
  }
}
