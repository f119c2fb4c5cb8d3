/// A range of a file that is being read, and that is compared repeatedly with what it was.
///
/// A class, because an optional noncopyable value cannot be borrowed from a class's property.
final class OpenRange {
  /// How many bytes are read between two checks of the file's identity.
  private static let checkInterval = 1 << 20
  /// How many bytes are held back at the end while the file is read again.
  private static let tailSize: Int64 = 1 << 20
  /// How many bytes at the end are always read: what is known of the file by then decides whether they go out.
  private static let readTail: Int64 = 64 << 10
  /// From how many bytes on a range is worth sending unread: at its end one waits until all of it has arrived.
  static let leastUnread: Int64 = 4 << 20

  private let range: FileRange
  private let file: SystemFile
  private var unchecked = 0
  /// What to remember if the file is closed before its end.
  private(set) var witness: ChangeDetector

  /// - Parameter witness: what is known of the bytes before, if some were read already.
  init(_ range: FileRange, resuming witness: ChangeDetector?) throws(FileError) {
    self.range = range
    file = try SystemFile(opening: range.location, isKnown: true)
    let look = try file.look()
    self.witness = witness ?? ChangeDetector(changed: look.changed)
    self.witness.lookForWriters(of: file)
    try check(look)
  }

  /// Fills the target with the range's bytes from an offset in the range, where there are as many. Each
  /// call goes on where the last one stopped.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) {
    let end = offset + Int64(target.count)
    if witness.tail == nil, witness.isDoubtful, end >= range.length - Self.tailSize {
      try beginSecondReading(at: offset)
    }
    if let tail = witness.tail {
      let first = Int(offset - tail.start)
      tail.bytes.withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[first..<first + target.count]))
      }
      // In step with the tail, so that reading never pauses for long, however large the file is.
      let share = Double(end - tail.start) / Double(tail.bytes.count)
      if end < range.length { try readAgain(to: Int64(Double(range.length) * share)) }
    } else {
      try fill(target, at: offset)
      unchecked += target.count
    }
    if end == range.length {
      // The path must still lead to the file that was sent. That look tells the rest as well.
      try check(try SystemFile.look(at: range.location))
      guard witness.isDoubtful else { return }
      try finishSecondReading()
      try check(try SystemFile.look(at: range.location))
    } else if unchecked >= Self.checkInterval {
      try check(try file.look())
    }
  }

  /// Hands bytes from an offset in the range to a socket, at most so many, without reading them.
  ///
  /// - Returns: how many it took, 0 where it has no room at the moment; nil where they have to be read.
  func send(to socket: Int32, at offset: Int64, atMost most: Int) throws(FileError) -> Int? {
    let left = range.length - Self.readTail - offset
    guard !witness.isDoubtful, left > 0 else { return nil }
    let count = Int(min(Int64(min(most, Self.checkInterval)), left))
    guard let sent = file.send(count, at: range.start + offset, to: socket) else { return nil }
    if sent > 0 { witness.isUnread = true }
    unchecked += sent
    if unchecked >= Self.checkInterval { try check(try file.look()) }
    return sent
  }

  /// Reads bytes for the first time.
  private func fill(
    _ target: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FileError) {
    try readAll(of: target, at: offset)
    witness.sum.add(UnsafeRawBufferPointer(target))
  }

  private func readAll(
    of target: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FileError) {
    let count = try file.read(into: target, at: range.start + offset)
    guard count == target.count else {
      try check(try file.look())
      // The system says that nothing changed, and yet the file ends early.
      let end = range.start + offset + Int64(count)
      throw FileError(range.location, .shrunk(from: range.identity.size, to: end))
    }
  }

  // MARK: The second reading

  /// Reads what is left for the first time, so that the second reading may begin.
  private func beginSecondReading(at offset: Int64) throws(FileError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(range.length - offset), alignment: 8)
    defer { buffer.deallocate() }
    try fill(buffer, at: offset)
    try check(try file.look())
    witness.tail = (offset, Array(buffer))
  }

  private func readAgain(to end: Int64) throws(FileError) {
    guard witness.second.offset < end else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    while witness.second.offset < end {
      let count = Int(min(Int64(buffer.count), range.length - witness.second.offset))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      try readAll(of: piece, at: witness.second.offset)
      witness.second.sum.add(UnsafeRawBufferPointer(piece))
      witness.second.offset += Int64(count)
    }
  }

  private func finishSecondReading() throws(FileError) {
    try readAgain(to: range.length)
    guard witness.second.sum == witness.sum else { throw FileError(range.location, .modified) }
  }

  // MARK: Its identity

  /// Whether the file may have been written to, and only a body that is read from its start could tell.
  var isInDoubt: Bool { witness.isDoubtful && witness.isUnread }

  private func check(_ now: SystemFile.Look) throws(FileError) {
    if let change = range.identity.change(to: now.identity) {
      throw FileError(range.location, change)
    }
    witness.record(changed: now.changed)
    unchecked = 0
    // What was not read cannot be compared with a second reading.
    if isInDoubt { throw FileError(range.location, .modified) }
  }
}
