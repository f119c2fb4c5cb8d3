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
    public var hoist = LinkLine.version
    /// The number of the process.
    public var process: Int32
  }

  /// A value as a line with its end.
  ///
  /// - Throws: `EncodingError` if JSON has no form for the value, such as a number that is infinite.
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
