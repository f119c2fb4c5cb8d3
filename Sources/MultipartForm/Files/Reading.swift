/// What is known about a reading of a file, to decide whether the file contained everything at one moment.
///
/// If nobody has the file open for writing when it is opened, and its size and timestamps are the same after the last
/// byte has been read, nothing was written to it in between. Otherwise, or if that is unknown, the file is read a
/// second time. If both readings give the same bytes, every byte was in the file at the moment between them.
///
/// A large file is watched instead if possible, since checksums would account for a tenth of the time.
///
/// A reading may break off, continue, go back to an earlier byte, or proceed at several places at once, since each stretch
/// has a checksum of its own. Unless the file is read in any order, going back to the first byte begins a new reading.
///
/// Source: a writable mapping changes a file's timestamps when a page is first written to, and then not again until the
/// page has reached the disk (mmap(2)). Writing through it needs an open file description, which the mapping keeps
/// (fcntl(2), "Leases").
struct Reading {
  private var known: FileMoment
  /// The stretches that are being read, the most recent one last: several if the file is read at several places at
  /// once.
  private var open: [(start: Int64, end: Int64, sum: ContentSum)] = []
  /// How many stretches may be open at once: more than the number of pieces that are sent at once.
  private static let mostOpen = 24

  /// How long after a change a second change may still get the same timestamp, in nanoseconds. Some file systems store
  /// whole seconds. On the others, timestamps advance with the clock's ticks (up to 10 ms), which a virtual machine may
  /// delay.
  private static func step(of time: Int64) -> Int64 {
    time % 1_000_000_000 == 0 ? 2_000_000_000 : 200_000_000
  }
  /// The most finished stretches that are kept. There is one for each time that the reading went back, and one for each
  /// piece that is not read right after its predecessor.
  private static let mostStretches = 12_000

  /// Begins a reading of a file that was last changed at this time. If it is summed, it keeps checksums, so that the
  /// content can be compared with the file later.
  init(changed: Int64, isSummed: Bool = true) {
    known = FileMoment(
      changed: changed, isDoubtful: changed > SystemFile.now() &- Self.step(of: changed),
      stretches: isSummed ? [] : nil)
  }

  /// Continues an earlier reading.
  init(_ moment: FileMoment) { known = moment }

  /// Whether the file may have been written to unnoticed.
  var isDoubtful: Bool { known.isDoubtful }

  /// Whether there are checksums of all that was read.
  var isSummed: Bool { known.stretches != nil }

  /// What is known so far.
  var moment: FileMoment {
    var moment = known
    moment.stretches?.append(contentsOf: open.map(Self.stretch))
    return moment
  }

  private static func stretch(
    _ open: (start: Int64, end: Int64, sum: ContentSum)
  ) -> FileMoment.Stretch {
    FileMoment.Stretch(start: open.start, end: open.end, sum: open.sum.digest)
  }

  mutating func doubt() { known.isDoubtful = true }

  /// Records the time of the last change to the file's content or metadata.
  mutating func record(changed: Int64) { if changed != known.changed { doubt() } }

  /// Adds what was read at an offset in the file.
  mutating func add(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard !bytes.isEmpty, known.stretches != nil else { return }
    if let place = open.lastIndex(where: { $0.end == offset }) {
      open.append(open.remove(at: place))
    } else {
      if open.count == Self.mostOpen {
        known.stretches?.append(Self.stretch(open.removeFirst()))
        // From then on, only the file's timestamps can show whether it has changed.
        if known.stretches?.count ?? 0 > Self.mostStretches { known.stretches = nil }
      }
      open.append((offset, offset, ContentSum()))
    }
    let last = open.count - 1
    open[last].sum.add(bytes)
    open[last].end += Int64(bytes.count)
  }

  /// Records that the file, as last changed at this time, still contains everything that was read.
  mutating func settle(changed: Int64, isDoubtful: Bool) {
    (known.changed, known.isDoubtful) = (changed, isDoubtful)
  }
}

/// The second reading: reads all stretches of the first one again.
struct Comparison {
  /// The stretches that have not been read again to their end.
  private var stretches: ArraySlice<FileMoment.Stretch>
  /// How many bytes of the first of them have been read again, and their checksum.
  private var taken: Int64 = 0
  private var sum = ContentSum()
  /// How many bytes have been read again, and how many must be in all.
  private(set) var done: Int64 = 0
  let total: Int64

  init(_ moment: FileMoment) {
    stretches = (moment.stretches ?? []).filter { $0.start < $0.end }[...]
    total = stretches.reduce(0) { $0 &+ ($1.end - $1.start) }
  }

  /// The range of the next bytes in the file, if any are left.
  var next: Range<Int64>? { stretches.first.map { ($0.start + taken)..<$0.end } }

  /// Adds the next bytes. Returns false if they complete a stretch that differs from the first reading.
  mutating func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
    sum.add(bytes)
    done += Int64(bytes.count)
    taken += Int64(bytes.count)
    guard next?.isEmpty == true else { return true }
    let isSame = sum.digest == stretches.removeFirst().sum
    taken = 0
    sum = ContentSum()
    return isSame
  }
}
