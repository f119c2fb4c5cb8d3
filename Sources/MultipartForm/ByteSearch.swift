#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Searches for a delimiter in raw memory with Horspool's algorithm: looks at the byte where the
/// delimiter would end, and skips as far as that byte allows, which for most bytes is the
/// delimiter's whole length.
///
/// Horspool alone takes time in length times length on bytes that are made for it. Not here: only
/// a delimiter's first byte is CR, so places where it matches in part can not overlap, and all the
/// comparisons together read each byte at most once more. (`memmem` would do, but Swift cannot see
/// it in Glibc, and it builds its table anew in each call.)
struct ByteSearch {
  private let needle: [UInt8]
  /// For each byte, how far its last place in the needle is from the needle's end; the needle's last
  /// byte itself does not count.
  private let skips: [UInt8]

  /// - Parameter needle: 1 to 255 bytes, of which the first occurs once.
  init(for needle: [UInt8]) {
    precondition((1...255).contains(needle.count))
    self.needle = needle
    var skips = [UInt8](repeating: UInt8(needle.count), count: 256)
    for (index, byte) in needle.dropLast().enumerated() {
      skips[Int(byte)] = UInt8(needle.count - 1 - index)
    }
    self.skips = skips
  }

  /// The offset of the first occurrence.
  func firstIndex(in haystack: UnsafeRawBufferPointer) -> Int? {
    // Unsafe pointers, since a bounds check at each step would be most of the work.
    guard haystack.count >= needle.count, let start = haystack.baseAddress else { return nil }
    return needle.withUnsafeBufferPointer { needle in
      skips.withUnsafeBufferPointer { skips in
        guard let sought = needle.baseAddress, let skip = skips.baseAddress else { return nil }
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        let first = sought[0]
        let last = needle.count - 1
        let end = haystack.count - last
        var index = 0
        while index < end {
          let byte = bytes[index &+ last]
          if byte == sought[last], bytes[index] == first,
            memcmp(bytes + index, sought, last) == 0
          {
            return index
          }
          index &+= Int(skip[Int(byte)])
        }
        return nil
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first byte of this value.
  func firstIndex(ofByte byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// Whether these bytes stand at the start of the others, which are at least as many.
  func isPrefix(of other: UnsafeRawBufferPointer) -> Bool {
    guard let left = baseAddress, let right = other.baseAddress else { return isEmpty }
    return memcmp(left, right, count) == 0
  }
}
