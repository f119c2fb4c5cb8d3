import Glibc

/// Searches for a delimiter in raw memory with Horspool's algorithm on pairs of bytes: it looks at the two bytes where
/// the delimiter would end and, if that pair is not in the delimiter, as is usual, skips almost the delimiter's whole
/// length.
///
/// On adversarial input, Horspool alone takes time proportional to the product of both lengths. Here it does not: only
/// a delimiter's first byte is CR, so partial matches cannot overlap, and all comparisons together read each byte at
/// most once more. (`memmem` would do, but Swift cannot see it in Glibc, and it builds its table anew in each call.)
struct ByteSearch {
  private let needle: [UInt8]
  /// For the hash of each pair, one more than the pair's distance from the needle's end; 0 if the pair is not in the
  /// needle. Pairs that share a hash share the smaller distance.
  private let distances: [UInt8]
  /// How far to advance from a place that ends like the needle but does not match.
  private let retry: Int

  /// - Parameter needle: 3 to 255 bytes; the first byte occurs only once.
  init(for needle: [UInt8]) {
    precondition((3...255).contains(needle.count))
    self.needle = needle
    var distances = [UInt8](repeating: 0, count: Self.hashes)
    var retry = 0
    for end in 1..<needle.count {
      let hash = Self.hash(needle[end - 1], needle[end])
      if end == needle.count - 1 { retry = Int(distances[hash]) - 1 }
      distances[hash] = UInt8(needle.count - end)
    }
    self.distances = distances
    self.retry = retry > 0 ? retry : needle.count - 1
  }

  /// The offset of the first occurrence.
  func firstIndex(in haystack: UnsafeRawBufferPointer) -> Int? {
    // Unsafe pointers, since a bounds check at each step would be most of the work.
    // `memchr` alone handles pieces without any CR, such as zeros or Unix text.
    guard haystack.count >= needle.count, let start = haystack.baseAddress,
      let first = haystack.firstIndex(ofByte: needle[0])
    else { return nil }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    return needle.withUnsafeBufferPointer { needle in
      distances.withUnsafeBufferPointer { distances in
        guard let sought = needle.baseAddress, let distance = distances.baseAddress else {
          return nil
        }
        let last = needle.count - 1
        var end = first + last
        while end < haystack.count {
          var found = distance[Self.hash(bytes[end &- 1], bytes[end])]
          // In this separate loop the step is constant, so the processor need not wait for the table lookup. That
          // doubles the speed.
          while found == 0 {
            end &+= last
            guard end < haystack.count else { return nil }
            found = distance[Self.hash(bytes[end &- 1], bytes[end])]
          }
          if found > 1 {
            end &+= Int(found) &- 1
          } else {
            let candidate = bytes + (end &- last)
            if candidate[0] == sought[0], memcmp(candidate, sought, needle.count) == 0 {
              return end &- last
            }
            end &+= retry
          }
        }
        return nil
      }
    }
  }

  private static let hashes = 1024

  @inline(__always)
  private static func hash(_ first: UInt8, _ second: UInt8) -> Int {
    (Int(first) &* 37 &+ Int(second)) & (hashes &- 1)
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first byte of this value.
  func firstIndex(ofByte byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }
}
