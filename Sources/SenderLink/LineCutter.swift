/// Splits incoming bytes into lines, and buffers at most one incomplete line.
package struct LineCutter: Sendable {
  /// A line exceeds the limit.
  package struct TooLong: Error, Hashable {}

  private var rest: [UInt8] = []
  private let longest: Int

  /// - Parameter longest: the longest line that is accepted, in bytes, not counting its line feed.
  package init(longest: Int = LinkLine.longest) { self.longest = longest }

  /// Takes more bytes and returns the lines that are now complete, without their line feeds.
  ///
  /// - Throws: ``TooLong``; later input can no longer be split into lines.
  package mutating func cut(_ bytes: some Collection<UInt8>) throws(TooLong) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      rest += bytes[start..<end]
      guard rest.count <= longest else { throw TooLong() }
      lines.append(rest)
      rest.removeAll(keepingCapacity: true)
      start = bytes.index(after: end)
    }
    rest += bytes[start...]
    guard rest.count <= longest else { throw TooLong() }
    return lines
  }
}
