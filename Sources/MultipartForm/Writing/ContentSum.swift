/// A quick sum of bytes, by which two readings of a file are told from each other.
///
/// It is no match for somebody who wants two contents to have the same sum. Those who change a file while
/// it is sent do not know it. One word that differs always shows; several do not with a chance of 2^-64.
struct ContentSum: Equatable {
  private static let blockSize = 32
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  // Four, for a processor multiplies four words in the time of one where none waits for another. Not a vector:
  // those of 64 bits are multiplied in pieces, which takes twice as long.
  private var first: UInt64 = 1
  private var second: UInt64 = 2
  private var third: UInt64 = 3
  private var fourth: UInt64 = 4
  /// What does not fill a block yet.
  private var rest: [UInt8] = []

  /// Takes in the bytes that follow.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes[...]
    if !rest.isEmpty {
      let missing = bytes.prefix(Self.blockSize - rest.count)
      rest += missing
      bytes = bytes.dropFirst(missing.count)
      guard rest.count == Self.blockSize else { return }
      rest.withUnsafeBytes { mix($0) }
      rest = []
    }
    let whole = bytes.count / Self.blockSize * Self.blockSize
    mix(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest = Array(bytes.dropFirst(whole))
  }

  /// Takes in whole blocks.
  private mutating func mix(_ blocks: UnsafeRawBufferPointer) {
    var (a, b, c, d) = (first, second, third, fourth)
    var offset = 0
    while offset < blocks.count {
      a = Self.mixed(a, blocks.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      b = Self.mixed(b, blocks.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
      c = Self.mixed(c, blocks.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
      d = Self.mixed(d, blocks.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
      offset += Self.blockSize
    }
    (first, second, third, fourth) = (a, b, c, d)
  }

  /// The high bits, which alone depend on all of the word, come down for the next multiplication.
  @inline(__always)
  private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* factor
    return product << 29 | product >> 35
  }
}
