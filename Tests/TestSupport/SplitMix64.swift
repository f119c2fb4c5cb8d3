/// Steele, Lea and Flood's SplitMix64: a generator whose numbers depend on nothing but its seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence that belongs to this seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The bytes of the next numbers. Written through a pointer: in a debugging build, an array that grows takes ten times
  /// as long, and tests need megabytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    let words = (count + 7) / 8
    return [UInt8](unsafeUninitializedCapacity: words * 8) { buffer, initialized in
      buffer.withMemoryRebound(to: UInt64.self) { numbers in
        var index = 0
        while index < words {
          numbers[index] = next()
          index += 1
        }
      }
      initialized = count
    }
  }
}
