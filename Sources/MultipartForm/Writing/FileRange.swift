/// A range of a file in the state that it had when the body was made.
struct FileRange: Sendable {
  let location: FileLocation
  let identity: FileIdentity
  /// The offset of the first byte in the file.
  let start: Int64
  /// In bytes.
  let length: Int64

  /// Looks at the file, to learn now rather than half way through a body that it cannot be sent.
  init(
    _ location: FileLocation, range: Range<Int64>?, expecting expected: FileIdentity?
  ) throws(FileError) {
    let look = try SystemFile.look(at: location)
    identity = look.identity
    if let change = expected?.change(to: identity) { throw FileError(location, change) }
    try SystemFile.checkReadable(location, look)

    if identity.size == 0 {
      let file = try SystemFile(opening: location, isKnown: true)
      var byte: UInt8 = 0
      let extra = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(FileError) in
        try file.read(into: buffer, at: 0)
      }
      if extra > 0 { throw FileError(location, .sizeUnknown) }
    }

    let range = range ?? 0..<identity.size
    guard range.lowerBound >= 0, range.upperBound <= identity.size else {
      throw FileError(location, .rangeOutsideFile(range, size: identity.size))
    }
    self.location = location
    start = range.lowerBound
    length = range.upperBound - range.lowerBound
  }

  /// A stretch of another one, which lies within.
  init(_ whole: FileRange, _ range: Range<Int64>) {
    (location, identity) = (whole.location, whole.identity)
    start = whole.start + range.lowerBound
    length = range.upperBound - range.lowerBound
  }
}
