import ScalarText

/// Words for a person to paste into a POSIX shell (XCU §2.2).
///
/// They contain nothing that a terminal takes for a command, and no character that can be mistaken for another: no
/// control character except a line break at the very end, and no byte that is not UTF-8. Such bytes are written as
/// `"$(printf '\033')"`. The shorter `$'\033'` has been in POSIX only since 2024, and dash, which is `sh` on Debian,
/// does not know it.
package enum ShellWord {
  /// The text as one word, in quotes if it needs them.
  package static func quoted(_ text: String) -> String { quoted(bytes: text.rawBytes) }

  /// The bytes as one word. A NUL, which no argument can contain, ends the program's argument.
  static func quoted(bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    guard !bytes.isEmpty else { return "''" }
    if bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
    return stretches(of: bytes).map(\.word).joined()
  }

  private struct Stretch {
    var bytes: [UInt8]
    let isEscaped: Bool

    var word: String {
      guard isEscaped else {
        // Between single quotes, only the single quote itself is special.
        return "'\(String(decoding: bytes, as: UTF8.self).replacing(scalars: "'", with: #"'\''"#))'"
      }
      return "\"$(printf '\(bytes.map(ShellWord.octal).joined())')\""
    }
  }

  private static func stretches(of bytes: [UInt8]) -> [Stretch] {
    // A shell strips line breaks from the end of a command's output. So no escaped stretch may end with a line break:
    // the text after a line break is escaped as well, and line breaks at the very end are in quotes.
    let end = bytes.lastIndex { $0 != lineFeed }.map { $0 + 1 } ?? 0
    var stretches: [Stretch] = []
    for piece in UTF8Pieces(bytes[..<end]) {
      let isAfterBreak = stretches.last.map { $0.isEscaped && $0.bytes.last == lineFeed } ?? false
      let isEscaped = isAfterBreak || piece.scalar.map(SafeText.isShown) != true
      if let last = stretches.last, last.isEscaped == isEscaped {
        stretches[stretches.count - 1].bytes += piece.bytes
      } else {
        stretches.append(Stretch(bytes: Array(piece.bytes), isEscaped: isEscaped))
      }
    }
    if end < bytes.count {
      stretches.append(Stretch(bytes: Array(bytes[end...]), isEscaped: false))
    }
    return stretches
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Always three digits, since fewer could absorb a digit that follows.
  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "@%+=:,./_-".utf8.contains(byte)
  }
}
