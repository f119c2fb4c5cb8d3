/// Makes heads of the lines that libcurl hands over: those of interim replies first, then the final one's,
/// and after the content those of trailers, which do not count.
struct ReplyHeadParser {
  /// The final reply's head, once its last line has come.
  private(set) var head: ReplyHead?
  /// The interim reply's head that has ended with the last line, if one has and is not that of 100.
  private(set) var interim: ReplyHead?
  /// Whether the server has said 100.
  private(set) var hasContinued = false
  /// Whether a reply has begun that is final.
  var hasBegun: Bool { head != nil || open.map { !Self.isInterim($0.status) } ?? false }
  private var open: ReplyHead?

  /// Takes a line with its line break. Returns whether a head has ended with it that is final.
  mutating func consume(_ line: UnsafeRawBufferPointer) -> Bool {
    interim = nil
    if line.starts(with: "HTTP/".utf8) {
      open = ReplyHead(status: Self.status(in: line))
      // Another reply after a final one: libcurl has asked again.
      head = nil
      return false
    }
    guard let current = open else { return false }
    let content = Self.trimmed(line[...])
    if !content.isEmpty {
      if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
        let name = String(decoding: content[..<colon], as: UTF8.self).lowercased()
        let value = String(decoding: Self.trimmed(content[(colon + 1)...]), as: UTF8.self)
        open?.headers[name] = current.headers[name].map { "\($0), \(value)" } ?? value
      }
      return false
    }
    open = nil
    if current.status == 100 { hasContinued = true }
    guard !Self.isInterim(current.status) else {
      if current.status != 100 { interim = current }
      return false
    }
    head = current
    return true
  }

  private static func isInterim(_ status: Int) -> Bool { (100..<200).contains(status) }

  /// The number after the version: three digits, as libcurl has made sure.
  private static func status(in line: UnsafeRawBufferPointer) -> Int {
    guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else { return 0 }
    return line[(blank + 1)...].prefix(3).reduce(0) { sum, digit in
      (0x30...0x39).contains(digit) ? sum * 10 + Int(digit - 0x30) : sum
    }
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<
    UnsafeRawBufferPointer
  > {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = bytes.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return start.prefix(0) }
    return start[...last]
  }
}
