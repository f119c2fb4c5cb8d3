import Foundation

/// The lines that are said through the socket: one JSON object each. The first in either direction is a greeting.
public enum LinkLine {
  /// The version of what is said. Whoever speaks another one is not listened to.
  public static let version = 2

  /// The longest line, in bytes without its end.
  public static let longest = 1 << 20

  /// Who speaks.
  public struct Greeting: Hashable, Sendable, Codable {
    /// The version that is spoken.
    public var hoist: Int
    /// The number of the process.
    public var process: Int32

    /// A greeting.
    public init(hoist: Int = LinkLine.version, process: Int32) {
      self.hoist = hoist
      self.process = process
    }
  }

  /// A value as a line with its end.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
  }

  /// The value of a line without its end; nil if it is another's, or none.
  public static func decode<Value: Decodable>(_: Value.Type, _ line: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(line))
  }
}

/// Cuts what arrives into lines, and keeps no more than one that is not complete.
public struct LineCutter: Sendable {
  /// A line that is longer than any that is said.
  public struct TooLong: Error, Hashable {}

  private var rest: [UInt8] = []
  private let longest: Int

  /// - Parameter longest: the longest line that is taken, in bytes without its end.
  public init(longest: Int = LinkLine.longest) { self.longest = longest }

  /// The lines that are complete with these bytes, without their ends.
  ///
  /// - Throws: ``TooLong``; what comes after that is no line any more.
  public mutating func cut(_ bytes: some Collection<UInt8>) throws(TooLong) -> [[UInt8]] {
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
