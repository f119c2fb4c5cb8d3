/// A range of a file that is being read and repeatedly checked for changes.
final class OpenRange {
  /// How many bytes are read between two checks of the file's identity.
  private static let checkInterval = 1 << 20
  /// How many bytes are held back at the end while the file is read again.
  private static let tailSize: Int64 = 1 << 20

  private let range: FileRange
  private let file: HeldFile
  /// Whether other ranges are read at the same time. If so, the caller checks the whole file.
  private let isInAnyOrder: Bool
  private var unchecked = 0
  /// The end of the range, held back while the file is read again: its offset in the range, its bytes, and the progress
  /// of the second reading.
  private var tail: (start: Int64, bytes: [UInt8], comparison: Comparison)?

  /// Opens the file. If some bytes have been read before, takes what is known about them and the watch since then.
  init(
    _ range: FileRange, resuming moment: FileMoment?, watch: WriteWatch?
  ) throws(FileError) {
    self.range = range
    if let held = range.held {
      file = held
      isInAnyOrder = held.isReadInAnyOrder
      // Sending the first byte begins a new reading.
      try held.begin(anew: range.start == 0 && !isInAnyOrder)
    } else {
      isInAnyOrder = false
      file = try HeldFile(
        once: range.location, expecting: range.identity, resuming: moment, watch: watch,
        isSummed: range.record != nil)
      if moment != nil { try file.begin(anew: false) }
    }
  }

  /// Whether this range's last byte completes what must come from one moment.
  private var isLast: Bool { range.isLast && !isInAnyOrder }

  /// What to save if the file is closed before the range has been read to its end.
  var moment: FileMoment { file.moment }

  /// The watch on the file, if any.
  var watch: WriteWatch? { file.watch }

  /// Fills the target with bytes from an offset in the range, which has enough of them left. Each call continues where
  /// the last one stopped.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) {
    let end = offset + Int64(target.count)
    if tail == nil, isLast, end >= range.length - Self.tailSize, file.isDoubtful,
      file.watch == nil
    {
      try beginSecondReading(at: offset)
    }
    if var tail {
      let first = Int(offset - tail.start)
      tail.bytes.withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[first..<first + target.count]))
      }
      // The second reading keeps step with the tail, so that no call takes long, however large the file is.
      let share = Double(end - tail.start) / Double(tail.bytes.count)
      if end < range.length {
        try file.compare(&tail.comparison, to: Int64(Double(tail.comparison.total) * share))
        self.tail = tail
      }
    } else {
      try file.read(into: target, at: range.start + offset)
      unchecked += target.count
    }
    if end == range.length, isLast {
      try finish()
    } else if end == range.length || unchecked >= Self.checkInterval {
      try file.check()
      unchecked = 0
    }
  }

  /// Called before the last bytes are handed out. Throws unless the file contained everything at one moment.
  private func finish() throws(FileError) {
    try file.checkPlace()
    defer { range.record?.moment = file.moment }
    guard file.isDoubtful, !file.isQuiet else { return }
    var comparison =
      if let tail { tail.comparison } else { try file.comparison(of: range.all) }
    try file.compare(&comparison, to: comparison.total)
    try file.checkPlace()
  }

  /// Completes the first reading, so that the second one can begin.
  private func beginSecondReading(at offset: Int64) throws(FileError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(range.length - offset), alignment: 8)
    defer { buffer.deallocate() }
    try file.read(into: buffer, at: range.start + offset)
    try file.check()
    tail = (offset, Array(buffer), try file.comparison(of: range.all))
  }
}
