/// Cuts what arrives into lines, and keeps no more than one that is not complete.
package struct LineCutter: Sendable {
  /// A line is longer than any valid one.
  package struct TooLong: Error, Hashable {}

  private var rest: [UInt8] = []
  private let longest: Int

  /// - Parameter longest: the longest line that is taken, in bytes without its end.
  package init(longest: Int = LinkLine.longest) { self.longest = longest }

  /// The lines that are complete with these bytes, without their ends.
  ///
  /// - Throws: ``TooLong``; nothing after that can be read as lines.
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
