import MultipartForm

/// The bytes of a file, read only as they are needed.
struct FileBytes {
  /// How many bytes there are.
  let size: Int64
  private let reading: (_ offset: Int64, _ count: Int) -> [UInt8]

  /// The bytes of an open file; bytes that cannot be read are missing.
  init(_ file: HeldFile) {
    size = file.identity.size
    reading = { offset, count in
      [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
        done = (try? file.peek(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) ?? 0
      }
    }
  }

  /// Bytes in memory.
  init(_ bytes: [UInt8]) {
    size = Int64(bytes.count)
    reading = { offset, count in Array(bytes.dropFirst(Int(offset)).prefix(count)) }
  }

  /// At most `count` bytes from an offset on; fewer at the end of the file.
  func read(at offset: Int64, _ count: Int) -> [UInt8] {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    return reading(offset, Int(min(Int64(count), size - offset)))
  }
}

extension ArraySlice<UInt8> {
  /// The little-endian number in `count` bytes at an offset; nil if there are fewer.
  func little(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= self.count else { return nil }
    let bytes = self[(startIndex + offset)..<(startIndex + offset + count)]
    return Int(exactly: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// The big-endian number in `count` bytes at an offset; nil if there are fewer.
  func big(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= self.count else { return nil }
    let bytes = self[(startIndex + offset)..<(startIndex + offset + count)]
    return Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
