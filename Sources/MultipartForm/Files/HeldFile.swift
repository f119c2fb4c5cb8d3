import Glibc
import Synchronization

/// A file that is held open, and what is known about the one moment whose content is read.
///
/// The slices of a body share it: together they yield the file's content at one moment, however many requests that
/// takes. The file may be renamed or removed meanwhile.
package final class HeldFile: Sendable {
  /// Where the file was when it was opened.
  package var location: FileLocation { file.location }
  /// The file's identity when it was opened.
  package let identity: FileIdentity
  private let file: SystemFile
  /// Watches a large file, which then needs no checksums.
  let watch: WriteWatch?
  private let reading: Mutex<Reading>
  private let inAnyOrder = Atomic(false)
  /// Whether the file may grow while it is read. What it had when it was opened is read, and compared with the file in
  /// the end.
  private let mayGrow: Bool
  /// Checksums of a file's first and last bytes at the time when it was opened, if it may grow: a file that was written
  /// anew before the reading began, and is longer now, does not have them.
  private let sample: [FileMoment.Stretch]

  /// Whether what was read is still in the file.
  package enum Proof: Hashable, Sendable {
    /// It is, according to the file's timestamps.
    case same
    /// Only ``HeldFile/compare()`` can tell.
    case inContent
    /// Nothing can tell.
    case none
  }

  /// Opens a file, which must have the expected identity. `moment` is what is known about an earlier reading to resume.
  /// If the file may grow, its beginning is read as it is now.
  package convenience init(
    _ location: FileLocation, expecting expected: FileIdentity? = nil,
    resuming moment: FileMoment? = nil, mayGrow: Bool = false
  ) throws(FileError) {
    try self.init(
      SystemFile(opening: location), expecting: expected, resuming: moment, watch: nil,
      mayGrow: mayGrow)
  }

  /// Opens a file to read once, from its first byte to its last, with no comparison afterwards. Its path must be known
  /// to lead to a regular file. `watch` is the watch since the earlier reading began. If it is summed, checksums are kept
  /// even if the file is watched.
  convenience init(
    once location: FileLocation, expecting expected: FileIdentity, resuming moment: FileMoment?,
    watch: WriteWatch?, isSummed: Bool = false
  ) throws(FileError) {
    let file = try SystemFile(opening: location, isKnown: true)
    let isLarge = expected.size >= Self.leastWatched
    let watch = moment == nil && isLarge ? file.watch() : watch
    try self.init(
      file, expecting: expected, resuming: moment, watch: watch, isSummed: isSummed)
  }

  private init(
    _ file: consuming SystemFile, expecting expected: FileIdentity?, resuming moment: FileMoment?,
    watch: WriteWatch?, isSummed: Bool = false, mayGrow: Bool = false
  ) throws(FileError) {
    let look = try file.look()
    if let change = expected?.change(to: look.identity) { throw FileError(file.location, change) }
    var first =
      moment.map { Reading($0) }
      ?? Reading(changed: look.changed, isSummed: isSummed || watch == nil)
    if moment == nil, watch == nil, !first.isDoubtful, file.mayBeWrittenTo { first.doubt() }
    sample = mayGrow && moment == nil ? try Self.sample(of: file, look.identity.size) : []
    self.mayGrow = mayGrow
    identity = look.identity
    reading = Mutex(first)
    self.watch = watch
    self.file = file
  }

  /// The size of the smallest file that is watched, in bytes. Setting up a watch takes as long as the checksum of a
  /// mebibyte.
  private static let leastWatched: Int64 = 8 << 20

  /// How many bytes the sample has at either end of the file, at most.
  private static let sampleSize: Int64 = 4096

  private static func sample(
    of file: borrowing SystemFile, _ size: Int64
  ) throws(FileError) -> [FileMoment.Stretch] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(sampleSize), alignment: 8)
    defer { buffer.deallocate() }
    var stretches: [FileMoment.Stretch] = []
    let first = 0..<min(sampleSize, size)
    for range in [first, max(first.upperBound, size - sampleSize)..<size] where !range.isEmpty {
      let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<range.count])
      let count = try file.read(into: bytes, at: range.lowerBound)
      guard count == range.count else {
        throw FileError(file.location, .shrunk(from: size, to: range.lowerBound + Int64(count)))
      }
      var sum = ContentSum()
      sum.add(UnsafeRawBufferPointer(bytes))
      stretches.append(
        FileMoment.Stretch(start: range.lowerBound, end: range.upperBound, sum: sum.digest))
    }
    return stretches
  }

  /// What is known about the reading so far, to save.
  package var moment: FileMoment { reading.withLock { $0.moment } }

  /// Whether the file may have been written to unnoticed.
  var isDoubtful: Bool { reading.withLock { $0.isDoubtful } }

  /// Whether the watch shows that nobody has written to the file since the reading began, even if its timestamps have
  /// changed.
  var isQuiet: Bool {
    guard let watch else { return false }
    // The order matters: a writer that closes the file after the first check had it open during that check.
    return file.isOpenForWriting() == false && watch.isQuiet
  }

  /// Whether ranges of the file are read in any order, several at the same time. If so, a new reading begins with
  /// ``begin(anew:)`` and ends with ``verify()``, not with the file's first and last bytes.
  package var isReadInAnyOrder: Bool {
    get { inAnyOrder.load(ordering: .sequentiallyConsistent) }
    set { inAnyOrder.store(newValue, ordering: .sequentiallyConsistent) }
  }

  // MARK: Reading

  /// Checks, before the file is read, that it has not changed since it was opened, and forgets what was read before if
  /// the reading begins anew.
  package func begin(anew: Bool) throws(FileError) {
    let look = try checked(file.look())
    if anew { reading.withLock { $0 = Reading(changed: look.changed) } }
    if !isDoubtful, look.identity != identity || file.mayBeWrittenTo {
      reading.withLock { $0.doubt() }
    }
  }

  /// Fills the target with the file's bytes at an offset, and adds them to the checksum.
  package func read(
    into target: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FileError) {
    try readAll(of: target, at: offset)
    reading.withLock { $0.add(UnsafeRawBufferPointer(target), at: offset) }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes. They are not added
  /// to the reading: this is for callers that only examine the content.
  package func peek(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FileError) -> Int {
    try file.read(into: buffer, at: offset)
  }

  /// Checks that a file whose size is 0 really has no content.
  func checkEmpty() throws(FileError) {
    if growth == nil { try file.checkEmpty() }
  }

  /// How many bytes the file has gained since it was opened, if it may; nil if none.
  package var growth: Int64? {
    guard mayGrow, let now = try? file.look().identity.size, now > identity.size else { return nil }
    return now - identity.size
  }

  private func readAll(
    of target: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FileError) {
    let count = try file.read(into: target, at: offset)
    guard count == target.count else {
      try check()
      // The system says that nothing changed, and yet the file ends early.
      throw FileError(location, .shrunk(from: identity.size, to: offset + Int64(count)))
    }
  }

  // MARK: Its identity

  /// Checks that the file has not changed, as far as its size and modification time show, other than by growing if it
  /// may.
  func check() throws(FileError) { _ = try checked(file.look()) }

  /// Checks that no other file has taken the place of the one being read. If there is no file at the path any more, it
  /// was moved or removed, which does not affect the reading.
  func checkPlace() throws(FileError) {
    var now: SystemFile.Look
    do throws(FileError) { now = try SystemFile.look(at: location) } catch {
      guard error.reason == .vanished else { throw error }
      now = try file.look()
    }
    _ = try checked(now)
  }

  private func checked(_ now: SystemFile.Look) throws(FileError) -> SystemFile.Look {
    var now = now
    if identity.change(to: now.identity) == .modified {
      // A write at the end of a file changes its time before its size.
      usleep(1000)
      now = try file.look()
    }
    let change = identity.change(to: now.identity)
    let isComparable = reading.withLock {
      if change != nil { $0.doubt() }
      $0.record(changed: now.changed)
      return $0.isSummed
    }
    guard let change else { return now }
    // A comparison in the end tells whether the beginning of a file that has grown is unchanged.
    if case .grown = change, mayGrow, isComparable { return now }
    throw FileError(location, change)
  }

  /// Whether the file's timestamps show every write.
  package var showsWrites: Bool { file.showsWrites }

  /// A stamp that a later check can compare with the file; nil if the file has changed since it was opened, or if it
  /// may be written to unnoticed.
  package var stamp: FileStamp? {
    guard let look = try? checked(file.look()), !isDoubtful else { return nil }
    return FileStamp(identity: identity, changed: look.changed)
  }

  /// Whether the file is as it was when it was opened, and no other file has taken its place.
  package var isCurrent: Bool { (try? checkPlace()) != nil }

  // MARK: The second reading

  /// Begins to read everything again. The first reading must have covered the whole range.
  func comparison(of range: Range<Int64>) throws(FileError) -> Comparison {
    guard moment.covers(range) else { throw FileError(location, .modified) }
    return begunComparison
  }

  /// A comparison of everything that was read.
  private var begunComparison: Comparison {
    var all = moment
    all.stretches?.append(contentsOf: sample)
    return Comparison(all)
  }

  /// Continues until `goal` bytes have been compared, or until the task is cancelled if it may be cut short.
  func compare(
    _ comparison: inout Comparison, to goal: Int64, isCancellable: Bool = false
  ) throws(FileError) {
    guard comparison.done < goal else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    while comparison.done < goal, let range = comparison.next {
      if isCancellable, Task.isCancelled { return }
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<min(buffer.count, Int(clamping: range.count))])
      try readAll(of: piece, at: range.lowerBound)
      guard comparison.add(UnsafeRawBufferPointer(piece)) else {
        throw FileError(location, .modified)
      }
    }
  }

  /// Checks, after the whole file was read, that it contained all these bytes at one moment. If only the content can
  /// tell, that takes as long as reading, unless the task is cancelled.
  package func verify() throws(FileError) {
    try checkPlace()
    guard isDoubtful else { return }
    var comparison = try comparison(of: 0..<identity.size)
    try compare(&comparison, to: .max, isCancellable: true)
    try checkPlace()
  }

  /// How to find out, before more is read, whether everything that was read is still in the file. `ranges` must have
  /// been read; if it is nil, all bytes up to the last one that was read.
  package func proof(of ranges: [Range<Int64>]? = nil) throws(FileError) -> Proof {
    let look = try checked(file.look())
    let known = moment
    if !known.isDoubtful { return .same }
    let end = known.stretches?.lazy.map(\.end).max() ?? 0
    guard (ranges ?? [0..<end]).allSatisfy(known.covers) else { return .none }
    // Some file systems always leave doubt. Reading everything again after each break would cost more than it gains,
    // since the check at the end decides anyway.
    return known.changed == look.changed && !file.showsWrites ? .same : .inContent
  }

  /// Compares everything that was read with the file, and returns whether the file still contains it. That takes as
  /// long as reading, unless the task is cancelled.
  package func compare() throws(FileError) -> Bool {
    let look = try checked(file.look())
    let isDoubtful = Reading(changed: look.changed).isDoubtful || file.mayBeWrittenTo
    var comparison = begunComparison
    do throws(FileError) {
      try compare(&comparison, to: .max, isCancellable: true)
    } catch {
      guard error.reason == .modified else { throw error }
      return false
    }
    // If the file changes during the comparison, the next look notices that.
    reading.withLock { $0.settle(changed: look.changed, isDoubtful: isDoubtful) }
    return comparison.next == nil
  }
}
