/// Splits incoming bytes into lines, and buffers at most one incomplete line.
package struct LineCutter: Sendable {
  private var rest: [UInt8] = []
  private let longest: Int

  /// Accepts lines of up to `longest` bytes, not counting their line feeds.
  package init(longest: Int = LinkLine.longest) { self.longest = longest }

  /// Takes more bytes and returns the lines that are now complete, without their line feeds; nil if a line is too long,
  /// after which no input can be split any more.
  package mutating func cut(_ bytes: some Collection<UInt8>) -> [[UInt8]]? {
    var lines: [[UInt8]] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      rest += bytes[start..<end]
      guard rest.count <= longest else { return nil }
      lines.append(rest)
      rest.removeAll(keepingCapacity: true)
      start = bytes.index(after: end)
    }
    rest += bytes[start...]
    return rest.count <= longest ? lines : nil
  }
}
