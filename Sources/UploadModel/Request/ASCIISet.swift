/// A set of ASCII characters; whether a byte is one of them costs less than a hash.
struct ASCIISet {
  private var bits: UInt128 = 0

  init(_ characters: String) {
    for byte in characters.utf8 where byte < 0x80 { bits |= 1 << UInt128(byte) }
  }

  func contains(_ byte: UInt8) -> Bool { byte < 0x80 && bits >> UInt128(byte) & 1 == 1 }

  func union(_ other: Self) -> Self {
    var all = self
    all.bits |= other.bits
    return all
  }
}
