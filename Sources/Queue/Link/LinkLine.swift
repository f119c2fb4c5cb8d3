import Foundation

/// The lines sent through the socket: one JSON object each. The first in either direction is a greeting.
package enum LinkLine {
  /// The version of the protocol. Peers with another version are ignored.
  package static let version = 9

  /// The longest line in bytes, not counting its line feed.
  package static let longest = 1 << 20

  /// The first line from each side.
  package struct Greeting: Hashable, Sendable, Codable {
    /// The version that this side speaks.
    package var hoist = LinkLine.version
    package var process: Int32
    /// Whether this side sends the queue once the process that does so has ended.
    package var isSuccessor: Bool?
  }

  /// A value as a line, including its line feed; empty if JSON cannot represent the value, such as an infinite one.
  package static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(value) else { return [] }
    return Array(line) + [UInt8(ascii: "\n")]
  }

  /// Decodes a line that comes without its line feed; nil if it is invalid or of another type.
  package static func decode<Value: Decodable>(_: Value.Type, _ line: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(line))
  }
}
