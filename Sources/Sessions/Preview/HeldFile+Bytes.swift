import MultipartForm

extension HeldFile {
  /// At most `count` bytes from an offset on; fewer at the end of the file. Bytes that cannot be read are missing.
  func read(at offset: Int64, _ count: Int) -> [UInt8] {
    guard offset >= 0, offset < identity.size, count > 0 else { return [] }
    let count = Int(min(Int64(count), identity.size - offset))
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      done = (try? peek(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) ?? 0
    }
  }
}

extension ArraySlice<UInt8> {
  /// The little-endian number in `count` bytes at an offset; nil if there are fewer.
  func little(_ offset: Int, _ count: Int) -> Int? {
    ArraySlice(dropFirst(offset).prefix(count).reversed()).big(0, count)
  }

  /// The big-endian number in `count` bytes at an offset; nil if there are fewer.
  func big(_ offset: Int, _ count: Int) -> Int? {
    let bytes = dropFirst(offset).prefix(count)
    guard bytes.count == count else { return nil }
    return Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
