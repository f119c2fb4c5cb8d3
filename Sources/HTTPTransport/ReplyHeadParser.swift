/// Assembles heads from the lines that libcurl passes on: first those of interim replies, then those of the final reply
/// and, after the content, those of trailers, which are ignored.
struct ReplyHeadParser {
  /// The final reply's head, once it is complete.
  private(set) var head: ReplyHead?
  /// The head of an interim reply other than 100, if the last line completed one.
  private(set) var interim: ReplyHead?
  /// Whether the server has sent 100 Continue.
  private(set) var hasContinued = false
  /// Whether the final reply has begun.
  var hasBegun: Bool { head != nil || open.map { !(100..<200).contains($0.status) } ?? false }
  private var open: ReplyHead?

  /// Consumes a line with its line break. Returns whether it completes the final reply's head.
  mutating func consume(_ line: UnsafeRawBufferPointer) -> Bool {
    interim = nil
    if line.starts(with: "HTTP/".utf8) {
      // HTTP/2 and HTTP/3 mark the end of each reply (RFC 9113 §8.1).
      open = ReplyHead(
        status: Self.status(in: line), isFramed: !line.starts(with: "HTTP/1".utf8))
      // Another reply after the final one means that libcurl has repeated the request.
      head = nil
      return false
    }
    if open == nil { return false }
    let content = Self.trimmed(line[...])
    if !content.isEmpty {
      if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
        let name = String(decoding: content[..<colon], as: UTF8.self).lowercased()
        let value = Self.value(Self.trimmed(content[(colon + 1)...]), of: name)
        // Without a copy of the head, which would keep the fields from being changed in place.
        let earlier = open?.headers[name]
        open?.headers[name] = earlier.map { "\($0), \(value)" } ?? value
      }
      return false
    }
    guard let current = open.take() else { return false }
    switch current.status {
    case 100: hasContinued = true
    case 101..<200: interim = current
    default: head = current
    }
    return head != nil
  }

  /// The status after the version. libcurl has already checked that it has three digits.
  private static func status(in line: UnsafeRawBufferPointer) -> Int {
    guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else { return 0 }
    return Int(String(decoding: line[(blank + 1)...].prefix(3), as: UTF8.self)) ?? 0
  }

  /// Records a final head that was not read line by line.
  mutating func take(_ final: ReplyHead) { (head, open) = (final, nil) }

  /// The value of a header field. In an address that is not UTF-8, bytes are percent-encoded (RFC 3986 §2.1); in any other
  /// value, they become U+FFFD.
  private static func value(_ bytes: Bytes, of name: String) -> String {
    let isAddress = name == "location" || name == "content-location" || name == "link"
    guard isAddress, String(validating: bytes, as: UTF8.self) == nil else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return bytes.map { byte in
      byte < 0x80
        ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  private typealias Bytes = Slice<UnsafeRawBufferPointer>

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = bytes.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return start.prefix(0) }
    return start[...last]
  }
}

/// The head of a reply (RFC 9112 §4, §5).
package struct ReplyHead: Hashable, Sendable {
  package var status: Int
  /// Whether the protocol marks the reply's end, so that the connection's end cannot be meant as it.
  package var isFramed = false
  /// The header fields, with names in lower case. The values of a field that occurs more than once are joined
  /// with commas (RFC 9110 §5.3).
  package var headers: [String: String] = Dictionary()
}
