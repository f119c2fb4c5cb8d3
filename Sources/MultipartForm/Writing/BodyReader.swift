/// Reads a body from its first byte to its last, holding at most one file open.
///
/// Every file is compared with the identity that it had when the body was made: when it is opened, after each mebibyte,
/// and before its last byte is handed out. If a write may have left a file's identity unchanged, the file is read a
/// second time before its last byte is handed out. If the file was watched from the beginning, it is refused instead.
/// So a request completes only if each file's bytes come from one moment.
///
/// Only one thread at a time may use a reader.
public final class BodyReader {
  /// The number of bytes read so far.
  public private(set) var offset: Int64 = 0

  private let body: FormBody
  private var index = 0
  private var within: Int64 = 0
  private var file: OpenRange?
  /// The state of what has been read from the current file, kept while the file is closed.
  private var moment: FileMoment?
  /// The watch on that file, if any.
  private var watch: WriteWatch?
  private var failure: BodyError?

  init(_ body: FormBody) { self.body = body }

  /// Reads until the buffer is full or the body ends, across the boundaries of parts and files.
  ///
  /// - Returns: the number of bytes; less than the buffer's size only at the end of the body, and 0
  ///   when there is nothing left or the buffer is empty.
  /// - Throws: ``BodyError/file(_:)`` if a file changed or cannot be read. The buffer's content must not be used
  ///   then, and every further call throws the same error until ``rewind()``.
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

  /// The next bytes; fewer than requested only at the end of the body.
  func read(atMost count: Int) throws(BodyError) -> [UInt8] {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, count in
      // The error stays in `failure`.
      count = (try? read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    if let failure { throw failure }
    return bytes
  }

  /// Starts over: the next read gives the first bytes again, from files that must still be the same.
  public func rewind() {
    close()
    (moment, watch, failure) = (nil, nil, nil)
    (offset, index, within) = (0, 0, 0)
  }

  /// Closes the file that is open, if any. The next read opens it again where it stopped.
  public func close() {
    if let file { (moment, watch) = (file.moment, file.watch) }
    file = nil
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var filled = 0
    while filled < buffer.count, index < body.segments.count {
      let length = body.segments[index].length
      let wanted = Int(min(Int64(buffer.count - filled), length - within))
      try copy(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + wanted)]))
      filled += wanted
      within += Int64(wanted)
      if within == length {
        (file, moment, watch) = (nil, nil, nil)
        index += 1
        within = 0
      }
    }
    offset += Int64(filled)
    return filled
  }

  /// Fills the target from the current segment, which has at least that many bytes left.
  private func copy(into target: UnsafeMutableRawBufferPointer) throws(FileError) {
    // Most reads lie within a file that is already open.
    if let file { return try file.read(into: target, at: within) }
    switch body.segments[index] {
    case .memory(let bytes):
      bytes.withUnsafeBytes { source in
        let start = Int(within)
        target.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[start..<(start + target.count)]))
      }
    case .file(let range):
      let opened = try OpenRange(range, resuming: moment, watch: watch)
      file = opened
      try opened.read(into: target, at: within)
    }
  }
}
