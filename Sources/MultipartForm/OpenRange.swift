/// A range of a file that is being read, and compared again and again with what it was.
///
/// A class, because an optional noncopyable value cannot be borrowed from a class's property.
final class OpenRange {
  /// How many bytes are read between two looks at the file's identity.
  private static let checkInterval = 1 << 20

  private let range: FileRange
  private let file: SystemFile
  private var unchecked = 0

  init(_ range: FileRange) throws(FileError) {
    self.range = range
    file = try SystemFile(opening: range.location)
    try check()
  }

  /// Fills the target with the range's bytes from an offset in the range, where there are as many.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) {
    let count = try file.read(into: target, at: range.start + offset)
    guard count == target.count else {
      try check()
      // The system says that nothing changed, and yet the file ends early.
      let end = range.start + offset + Int64(count)
      throw FileError(range.location, .shrunk(from: range.identity.size, to: end))
    }
    unchecked += count
    if offset + Int64(count) == range.length {
      try check()
      // Whoever looks at the path from now on must find the file that was sent.
      try compare(try SystemFile.identity(of: range.location))
    } else if unchecked >= Self.checkInterval {
      try check()
    }
  }

  private func check() throws(FileError) {
    try compare(try file.identity())
    unchecked = 0
  }

  private func compare(_ now: FileIdentity) throws(FileError) {
    if let change = range.identity.change(to: now) { throw FileError(range.location, change) }
  }
}
