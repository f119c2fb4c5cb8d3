/// Looks for a delimiter between parts that comes after an LF without its CR. Other parsers take it for a delimiter. If
/// this one took it for content, the parts before and after it would become one, and nobody would know.
///
/// It sees the bytes that are passed on, in pieces of any size, and keeps none of them.
struct BareDelimiterWatch {
  /// LF, two dashes and the boundary.
  private let sought: [UInt8]
  private let search: ByteSearch
  /// How many of the sought bytes, and of those that decide afterwards, came at the end of the input so far.
  private var matched = 0
  private var isAfterReturn = false

  init(_ boundary: Boundary) {
    sought = Array(boundary.delimiter.dropFirst())
    search = ByteSearch(for: sought)
  }

  /// Starts anew, as after a CRLF or at the beginning of a body.
  mutating func restart() { (matched, isAfterReturn) = (0, false) }

  /// Looks at the next bytes. Returns the offset of the byte that completes a delimiter's line after a bare LF; nil if
  /// there is no such line.
  mutating func firstIndex(in bytes: UnsafeRawBufferPointer) -> Int? {
    var rest = bytes
    while !rest.isEmpty {
      if matched > 0 {
        if let found = step(rest[0]) {
          if found { return bytes.count - rest.count }
          rest.skip(1)
        }
        continue
      }
      guard let start = search.firstIndex(in: rest) ?? startOfSought(endingIn: rest) else {
        isAfterReturn = rest.last == ASCII.carriageReturn
        return nil
      }
      let isWhole = start > 0 ? rest[start - 1] == ASCII.carriageReturn : isAfterReturn
      rest.skip(start + 1)
      (matched, isAfterReturn) = (isWhole ? 0 : 1, false)
    }
    return nil
  }

  /// Compares the byte after those that have matched. Returns whether it completes a delimiter; nil if it does not even
  /// continue one, and so must be looked at again.
  private mutating func step(_ byte: UInt8) -> Bool? {
    let expected: [UInt8] =
      switch matched - sought.count {
      case ..<0: [sought[matched]]
      // The line ends, perhaps after blanks.
      case 0: [ASCII.carriageReturn, ASCII.lineFeed, ASCII.space, ASCII.tab]
      default: [ASCII.lineFeed]
      }
    guard expected.contains(byte) else {
      matched = 0
      return nil
    }
    matched += 1
    return matched > sought.count && byte != ASCII.carriageReturn
  }

  /// Where at the end of a piece the sought bytes begin.
  private func startOfSought(endingIn piece: UnsafeRawBufferPointer) -> Int? {
    let tail = piece.suffix(sought.count - 1)
    guard let start = tail.lastIndex(of: ASCII.lineFeed), sought.starts(with: tail[start...])
    else { return nil }
    return start
  }
}
