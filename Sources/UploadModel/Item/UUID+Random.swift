import Foundation

extension UUID {
  /// A random UUID (RFC 9562 §5.4). Foundation's own initializer would open a file for each UUID.
  package static func random() -> UUID {
    var pool = PooledRandomNumberGenerator()
    let bits = (pool.next(), pool.next())
    return withUnsafeBytes(of: bits) { UUID($0.load(as: uuid_t.self), version: 4) }
  }

  /// The UUID with these bits, except for those of its version and variant (RFC 9562 §4).
  package init(_ bits: uuid_t, version: UInt8) {
    var bits = bits
    bits.6 = bits.6 & 0x0F | version << 4
    bits.8 = bits.8 & 0x3F | 0x80
    self.init(uuid: bits)
  }
}
