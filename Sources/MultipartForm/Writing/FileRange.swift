import Synchronization

/// A range of a file in the state that it had when the body was made.
struct FileRange: Sendable {
  let location: FileLocation
  let identity: FileIdentity
  /// The offset of the first byte in the file.
  let start: Int64
  /// In bytes.
  let length: Int64
  /// The file itself, if other ranges of it must come from the same moment.
  let held: HeldFile?
  /// What is known about the last reading, if somebody asks for that.
  private(set) var record: ReadingRecord?

  /// The range that must come from one moment.
  var all: Range<Int64> { held == nil ? start..<(start + length) : 0..<identity.size }
  /// Whether this range is the last part of `all`.
  var isLast: Bool { start + length == all.upperBound }

  /// Looks at the file, to learn now, rather than halfway through a body, whether it can be sent.
  init(
    _ location: FileLocation, range: Range<Int64>?, expecting expected: FileIdentity?
  ) throws(FileError) {
    let look = try SystemFile.look(at: location)
    identity = look.identity
    if let change = expected?.change(to: identity) { throw FileError(location, change) }
    try SystemFile.checkReadable(location, look)

    if identity.size == 0 { try SystemFile(opening: location, isKnown: true).checkEmpty() }

    let range = range ?? 0..<identity.size
    guard range.lowerBound >= 0, range.upperBound <= identity.size else {
      throw FileError(location, .rangeOutsideFile(range, size: identity.size))
    }
    self.location = location
    start = range.lowerBound
    length = range.upperBound - range.lowerBound
    held = nil
  }

  /// The same range, with a record of its readings if it is a whole file.
  func recorded() -> FileRange {
    var range = self
    if held == nil, all == 0..<identity.size { range.record = ReadingRecord() }
    return range
  }

  /// The whole of a held file.
  init(_ file: HeldFile) throws(FileError) {
    try file.check()
    (location, identity, held) = (file.location, file.identity, file)
    (start, length) = (0, file.identity.size)
    if length == 0 { try file.checkEmpty() }
  }

  /// A part of another range.
  init(_ whole: FileRange, _ range: Range<Int64>) {
    (location, identity, held) = (whole.location, whole.identity, whole.held)
    start = whole.start + range.lowerBound
    length = range.upperBound - range.lowerBound
  }
}

/// Keeps what is known about the last complete reading of a file.
final class ReadingRecord: Sendable {
  private let last = Mutex<FileMoment?>(nil)

  var moment: FileMoment? {
    get { last.withLock { $0 } }
    set { last.withLock { $0 = newValue } }
  }
}
