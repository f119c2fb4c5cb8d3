/// CRC-32 of IEEE 802.3, as in zip and PNG. It detects only accidental damage.
package struct CRC32: HashFunction {
  private static let table = CyclicCheck.table(of: 0xEDB8_8320)
  private var check = CyclicCheck()

  package init() {}
  package mutating func update(_ bytes: UnsafeRawBufferPointer) { check.add(bytes, Self.table) }
  package func finalize() -> [UInt8] { check.bytes }
}

/// CRC-32C (RFC 3720 §12.1), which storage services prefer.
package struct CRC32C: HashFunction {
  private static let table = CyclicCheck.table(of: 0x82F6_3B78)
  private var check = CyclicCheck()

  package init() {}
  package mutating func update(_ bytes: UnsafeRawBufferPointer) { check.add(bytes, Self.table) }
  package func finalize() -> [UInt8] { check.bytes }
}

/// A 32-bit reflected cyclic redundancy check that takes eight bytes at a time (slicing-by-8).
private struct CyclicCheck {
  private var remainder = UInt32.max

  /// The check's bytes, the most significant one first.
  var bytes: [UInt8] { withUnsafeBytes(of: (~remainder).bigEndian) { Array($0) } }

  /// For each of a byte's eight positions in a word, the remainders of all 256 values by the reflected polynomial.
  static func table(of polynomial: UInt32) -> [UInt32] {
    var table = (0..<UInt32(256)).map { value in
      (0..<8).reduce(value) { rest, _ in rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ polynomial }
    }
    for index in 256..<2048 {
      let previous = table[index - 256]
      table.append(previous >> 8 ^ table[Int(previous & 255)])
    }
    return table
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer, _ table: [UInt32]) {
    table.withUnsafeBufferPointer { table in
      var rest = remainder
      var offset = 0
      while offset + 8 <= bytes.count {
        let word = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let mixed = word ^ UInt64(rest)
        rest = 0
        for place in 0..<8 {
          rest ^= table[(7 - place) << 8 | Int(mixed >> (8 * UInt64(place)) & 255)]
        }
        offset += 8
      }
      for byte in bytes[offset...] { rest = rest >> 8 ^ table[Int((rest ^ UInt32(byte)) & 255)] }
      remainder = rest
    }
  }
}
