/// A fast checksum to compare two readings of a file.
///
/// It does not withstand deliberate collisions, but nobody who changes a file while it is sent knows the sum. Different
/// contents have the same sum with a probability of about 2^-64.
struct ContentSum: Equatable {
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// One key for each lane. A word of a file that equals its key would hide its neighbour, so the keys are unlikely
  /// values.
  private static let keys: SIMD4<UInt64> = [
    0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3,
  ]
  /// Two words for each of four lanes.
  private static let stripeSize = 64
  /// How many bytes are added between two stirs. They make up fewer stripes than a lane has bits, so that each stripe
  /// is rotated differently.
  private static let blockSize = 1024

  // Four lanes, since a processor multiplies four independent pairs of words in the time of one.
  private var lanes: SIMD4<UInt64> = [1, 2, 3, 4]
  /// Bytes that do not fill a block yet.
  private var rest: [UInt8] = []

  /// The checksum as one number, to save. It distinguishes contents of the same length.
  var digest: UInt64 {
    var whole = self
    let missing = Self.blockSize - rest.count
    if !rest.isEmpty {
      [UInt8](repeating: 0, count: missing).withUnsafeBytes { whole.add($0) }
    }
    return (0..<whole.lanes.scalarCount).reduce(UInt64(missing)) { word, lane in
      let product = (word ^ whole.lanes[lane]).multipliedFullWidth(by: Self.factor)
      return Self.stirred(product.high ^ product.low ^ Self.keys[lane])
    }
  }

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

  /// Adds whole blocks.
  private mutating func mix(_ blocks: UnsafeRawBufferPointer) {
    // A moving pointer, because overflow checks on indices would take a fifth of the time.
    guard var place = blocks.baseAddress else { return }
    var (a, b, c, d) = (lanes.x, lanes.y, lanes.z, lanes.w)
    let keys = Self.keys
    let end = place + blocks.count
    while place < end {
      let blockEnd = place + Self.blockSize
      while place < blockEnd {
        a = Self.added(a, place, keys.x)
        b = Self.added(b, place + 16, keys.y)
        c = Self.added(c, place + 32, keys.z)
        d = Self.added(d, place + 48, keys.w)
        place += Self.stripeSize
      }
      (a, b, c, d) = (Self.stirred(a), Self.stirred(b), Self.stirred(c), Self.stirred(d))
    }
    lanes = [a, b, c, d]
  }

  /// The lane with two words added by one multiplication.
  @inline(__always)
  private static func added(_ lane: UInt64, _ bytes: UnsafeRawPointer, _ key: UInt64) -> UInt64 {
    let first = bytes.loadUnaligned(as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    let product = (first ^ key).multipliedFullWidth(by: second ^ factor)
    return (lane << 23 | lane >> 41) &+ (product.high ^ product.low)
  }

  /// The lane with its bits mixed, so that the order of blocks matters.
  @inline(__always)
  private static func stirred(_ lane: UInt64) -> UInt64 { (lane ^ lane >> 47) &* factor }
}
