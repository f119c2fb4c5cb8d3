/// A range of a file that is being read, and that is compared repeatedly with what it was.
///
/// A class, because an optional noncopyable value cannot be borrowed from a class's property.
final class OpenRange {
  /// How many bytes are read between two checks of the file's identity.
  private static let checkInterval = 1 << 20
  /// How many bytes are held back at the end while the file is read again.
  private static let tailSize: Int64 = 1 << 20

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
      try checkPlace()
      guard witness.isDoubtful else { return }
      try finishSecondReading()
      try checkPlace()
    } else if unchecked >= Self.checkInterval {
      try check(try file.look())
    }
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

  /// No other file may have taken the place of the one that was sent, at the end. One without a place was moved or
  /// removed: what was read of it is whole all the same.
  private func checkPlace() throws(FileError) {
    var now: SystemFile.Look
    do throws(FileError) { now = try SystemFile.look(at: range.location) } catch {
      guard error.reason == .vanished else { throw error }
      now = try file.look()
    }
    try check(now)
  }

  private func check(_ now: SystemFile.Look) throws(FileError) {
    if let change = range.identity.change(to: now.identity) {
      throw FileError(range.location, change)
    }
    witness.record(changed: now.changed)
    unchecked = 0
  }
}
