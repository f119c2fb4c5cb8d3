import ScalarText
import UploadModel

/// Finds the line of a key in a TOML text.
///
/// The parser reports lines only for its own errors. This type reads just enough of TOML (headers, keys, and where
/// values end) to tell where a key is. It returns nil when in doubt.
struct KeyLocator: Sendable {
  private var lines: [[String]: Int] = [:]

  /// The first NUL, as a byte or as `\u0000`: its line, and the key whose line or value contains it. The key is
  /// empty if the NUL comes before any key.
  private(set) var firstNUL: (key: String, line: Int)?

  /// A flaw on which an assertion in the parser would fail and crash the program.
  private(set) var flaw: Flaw?

  /// An error in the text.
  struct Flaw {
    let words: String
    let line: Int
    /// Where the statement with the error begins, in bytes of UTF-8.
    let start: Int
  }

  /// Scans a text, valid or not.
  init(_ text: String) {
    var scanner = Scanner(bytes: Array(text.utf8))
    var table: [String] = []
    var elements: [[String]: Int] = [:]
    while scanner.skipToStatement() {
      let (line, start) = (scanner.line, scanner.position)
      // A NUL in a comment is attributed to the table around it, and one in a header to that header's table.
      recordNUL(scanner.firstNUL, table)
      if scanner.consume("[") {
        let isElement = scanner.consume("[")
        if flaw == nil, !scanner.mayBeginKey {
          flaw = Flaw(words: "expected the name of a table after \"[\"", line: line, start: start)
        }
        table = scanner.keys()
        if isElement {
          let index = elements[table, default: 0]
          elements[table] = index + 1
          table.append("[\(index)]")
        }
        // A subtable may have come first and recorded its own line for this table.
        lines[table] = line
        record(table, line)
        scanner.skipLine()
      } else {
        let keys = table + scanner.keys()
        record(keys, line)
        let strayLine = scanner.skipValue()
        if flaw == nil, let strayLine {
          flaw = Flaw(words: "found \"}\" where \"]\" was expected", line: strayLine, start: start)
        }
        recordNUL(scanner.firstNUL, keys)
      }
    }
    recordNUL(scanner.firstNUL, table)
  }

  private mutating func recordNUL(_ line: Int?, _ keys: [String]) {
    guard let line, firstNUL == nil else { return }
    let path = keys.reduce("") { path, key in
      path + (path.isEmpty || key.utf8.first == UInt8(ascii: "[") ? "" : ".") + key
    }
    firstNUL = (SafeText.line(path), line)
  }

  /// The line, from 1, of the key at `path` (such as `targets.demo.fields[0].name`), or of the innermost key
  /// around it whose line is known.
  func line(of path: String) -> Int? {
    var scanner = Scanner(bytes: Array(path.utf8))
    var keys = scanner.keys()
    while !keys.isEmpty {
      if let line = lines[keys] { return line }
      keys.removeLast()
    }
    return nil
  }

  /// The line, from 1, of exactly this key, or of this table's header.
  func line(ofExactly keys: [String]) -> Int? { lines[keys] }

  /// Records a line for a key and for the tables around it, except those that already have a line.
  private mutating func record(_ keys: [String], _ line: Int) {
    for count in stride(from: keys.count, to: 0, by: -1) {
      let key = Array(keys.prefix(count))
      if lines[key] == nil { lines[key] = line }
    }
  }
}

/// Scans the bytes of a TOML text and counts lines.
private struct Scanner {
  let bytes: [UInt8]
  var position = 0
  var line = 1
  /// The line of the first NUL so far.
  private(set) var firstNUL: Int?

  init(bytes: [UInt8]) {
    self.bytes = bytes
    // Skip a byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func advance() {
    if byte == UInt8(ascii: "\n") { line += 1 }
    if byte == 0 { firstNUL = firstNUL ?? line }
    position += 1
  }

  /// Skips a backslash in a string and the character after it.
  private mutating func skipEscape() {
    if bytes[position...].starts(with: #"\u0000"#.utf8)
      || bytes[position...].starts(with: #"\U00000000"#.utf8)
    {
      firstNUL = firstNUL ?? line
    }
    advance()
    if byte != nil { advance() }
  }

  mutating func consume(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: length)
    guard bytes[min(position, bytes.count)...].starts(with: wanted) else { return false }
    for _ in 0..<length { advance() }
    return true
  }

  private mutating func skipBlanks() {
    while byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { advance() }
  }

  /// Whether a table's name may start here. Also true for those errors that the parser reports without crashing.
  var mayBeginKey: Bool {
    let rest = bytes[min(position, bytes.count)...]
    guard let byte = rest.first(where: { !" \t".utf8.contains($0) }) else { return true }
    return byte <= 0x7F && isBare(byte) || [UInt8]("\"']".utf8).contains(byte)
  }

  mutating func skipLine() {
    while let byte, byte != UInt8(ascii: "\n") { advance() }
  }

  /// Skips to the next header or key; returns false at the end of the text.
  mutating func skipToStatement() -> Bool {
    while let byte {
      switch byte {
      case UInt8(ascii: "#"): skipLine()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
      default: return true
      }
    }
    return false
  }

  /// Reads a dotted key with bare or quoted parts. An index such as `[0]` is a part, too.
  mutating func keys() -> [String] {
    var keys: [String] = []
    while true {
      skipBlanks()
      guard let byte else { return keys }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): keys.append(quoted(by: byte))
      case UInt8(ascii: "["):
        let start = position
        while let byte = self.byte, byte != UInt8(ascii: "]") { advance() }
        if self.byte != nil { advance() }
        keys.append(String(decoding: bytes[start..<position], as: UTF8.self))
      default:
        let start = position
        while let byte = self.byte, isBare(byte) { advance() }
        guard position > start else { return keys }
        keys.append(String(decoding: bytes[start..<position], as: UTF8.self))
      }
      skipBlanks()
      guard consume(".") || self.byte == UInt8(ascii: "[") else { return keys }
    }
  }

  private func isBare(_ byte: UInt8) -> Bool {
    byte > 0x7F || byte.isAlphanumeric || "-_".utf8.contains(byte)
  }

  /// Reads a quoted string up to the end of the line at most; escapes are not decoded.
  private mutating func quoted(by quote: UInt8) -> String {
    advance()
    let start = position
    while let byte, byte != quote, byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { skipEscape() } else { advance() }
    }
    let text = String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
    if byte == quote { advance() }
    return text
  }

  /// Skips a value, which may extend over several lines, and the rest of the line on which it ends. Returns the line of
  /// the first "}" where a "]" must come first, if any.
  mutating func skipValue() -> Int? {
    var open: [UInt8] = []
    var stray: Int?
    while let byte {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if consume("\"\"\"") {
          skipLong("\"\"\"", escapes: true)
        } else if consume("'''") {
          skipLong("'''", escapes: false)
        } else {
          _ = quoted(by: byte)
        }
      case UInt8(ascii: "#"): skipLine()
      case UInt8(ascii: "\n") where open.isEmpty: return stray
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        open.append(byte)
        advance()
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        let opening = open.popLast()
        if byte == UInt8(ascii: "}"), opening == UInt8(ascii: "[") { stray = stray ?? line }
        advance()
      default: advance()
      }
    }
    return stray
  }

  private mutating func skipLong(_ end: StaticString, escapes: Bool) {
    while byte != nil, !consume(end) {
      if escapes, byte == UInt8(ascii: "\\") { skipEscape() } else { advance() }
    }
  }
}
