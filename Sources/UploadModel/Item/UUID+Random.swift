import Foundation

extension UUID {
  /// A random one (RFC 9562 §5.4). Foundation's own opens a file for each.
  public static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let bits: (UInt64, UInt64) = (generator.next(), generator.next())
    return withUnsafeBytes(of: bits) { UUID($0.load(as: uuid_t.self), version: 4) }
  }

  /// The one with these bits, but for those that tell its version and variant (RFC 9562 §4).
  public init(_ bits: uuid_t, version: UInt8) {
    var bits = bits
    bits.6 = bits.6 & 0x0F | version << 4
    bits.8 = bits.8 & 0x3F | 0x80
    self.init(uuid: bits)
  }
}
