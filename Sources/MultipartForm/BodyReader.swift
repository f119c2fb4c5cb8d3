/// Reads a body from its first byte to its last, holding at most one file open.
///
/// Every file is compared with the identity that it had when the body was made: when it is opened,
/// after each mebibyte, and after its last byte, before that byte is handed out. So a request never
/// completes with a file that changed on its way.
///
/// A reader belongs to one thread at a time.
public final class BodyReader {
  /// How many bytes are read between two looks at the file's identity.
  private static let checkInterval: Int64 = 1 << 20

  /// The number of bytes read so far.
  public private(set) var offset: Int64 = 0

  private let body: FormBody
  private var index = 0
  private var within: Int64 = 0
  private var file: OpenFile?
  private var failure: BodyError?

  /// A class, because an optional noncopyable value cannot be borrowed from a class's property.
  private final class OpenFile {
    let file: SystemFile
    var unchecked: Int64 = 0
    init(_ file: consuming SystemFile) { self.file = file }
  }

  init(_ body: FormBody) { self.body = body }

  /// Reads until the buffer is full or the body ends, across the borders of parts and files.
  ///
  /// - Returns: the number of bytes; less than the buffer's size only at the end of the body, and 0
  ///   when there is nothing left or the buffer is empty.
  /// - Throws: ``BodyError/file(_:)`` when a file changed or cannot be read. The buffer's content
  ///   is worthless then, and every further call throws the same until ``rewind()``.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(BodyError) -> Int {
    if let failure { throw failure }
    do throws(FileError) {
      return try fill(buffer)
    } catch {
      close()
      failure = .file(error)
      throw .file(error)
    }
  }

  /// Starts over: the next read gives the first bytes again, from files that must still be the same.
  public func rewind() {
    close()
    failure = nil
    offset = 0
    index = 0
    within = 0
  }

  /// Lets go of the file that is open, if any. The next read opens it again where it stopped.
  public func close() { file = nil }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var filled = 0
    while filled < buffer.count, index < body.segments.count {
      let segment = body.segments[index]
      let wanted = Int(min(Int64(buffer.count - filled), segment.length - within))
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + wanted)])

      switch segment.source {
      case .memory(let bytes):
        bytes.withUnsafeBytes { source in
          let start = Int(within)
          target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[start..<(start + wanted)]))
        }
      case .file(let range):
        try read(range, into: target)
      }

      filled += wanted
      within += Int64(wanted)
      if within == segment.length {
        close()
        index += 1
        within = 0
      }
    }
    offset += Int64(filled)
    return filled
  }

  private func read(
    _ range: FileRange, into target: UnsafeMutableRawBufferPointer
  ) throws(FileError) {
    let open = try openFile(range)
    let count = try open.file.read(into: target, at: range.start + within)
    guard count == target.count else {
      try check(range, open)
      // The system says that nothing changed, and yet the file ends early.
      let end = range.start + within + Int64(count)
      throw FileError(range.location, .shrunk(from: range.identity.size, to: end))
    }
    open.unchecked += Int64(count)
    if within + Int64(count) == range.length {
      try check(range, open)
      // Whoever looks at the path from now on must find the file that was sent.
      try compare(range, with: try SystemFile.identity(of: range.location))
    } else if open.unchecked >= Self.checkInterval {
      try check(range, open)
    }
  }

  private func openFile(_ range: FileRange) throws(FileError) -> OpenFile {
    if let file { return file }
    let opened = OpenFile(try SystemFile(opening: range.location))
    try check(range, opened)
    file = opened
    return opened
  }

  private func check(_ range: FileRange, _ open: OpenFile) throws(FileError) {
    try compare(range, with: try open.file.identity())
    open.unchecked = 0
  }

  private func compare(_ range: FileRange, with now: FileIdentity) throws(FileError) {
    if let change = range.identity.change(to: now) { throw FileError(range.location, change) }
  }
}
