/// What is known of a reading of a file, to decide whether the file held all of it at one moment.
///
/// If nobody has the file open for writing when it is opened, and its size and times are the same after the last byte
/// was read, nothing was written to it in between. Otherwise, or if that cannot be told, the file is read again after
/// the first reading. If both give the same, every byte was in the file at the moment between them.
///
/// Source: a writable mapping changes the times of a file when a page is first written to, and then no more
/// until the page has reached the disk (mmap(2)). Writing through it needs an open file description, which
/// the mapping keeps (fcntl(2), "Leases").
struct ChangeDetector {
  /// The sum of what was read.
  var sum = ContentSum()
  /// The time of the last change of anything about the file (`st_ctime`), in nanoseconds since 1970. Nobody
  /// can set it, unlike that of the content; a new permission, name or owner changes it too.
  var changed: Int64
  /// Whether the file may have been written to unnoticed.
  var isDoubtful: Bool
  /// The end of the content, held back while the file is read again, and the offset where it begins.
  var tail: (start: Int64, bytes: [UInt8])?
  /// How far the second reading has come, and its sum.
  var second = (offset: Int64(0), sum: ContentSum())

  /// A change that came less than this before the opening, in nanoseconds, may be followed by another one with the
  /// same time: file systems count in steps of up to two seconds.
  private static let coarsest: Int64 = 2_000_000_000

  /// Begins a reading of a file that was just opened and last changed at this time.
  init(changed: Int64) {
    self.changed = changed
    isDoubtful = changed > SystemFile.now() &- Self.coarsest
  }

  /// Asks whether anybody has the file open for writing that was just opened, for the first time or again, and
  /// whether a write would be seen at all.
  mutating func lookForWriters(of file: borrowing SystemFile) {
    if !isDoubtful, !file.showsWrites || file.isOpenForWriting() != false { isDoubtful = true }
  }

  /// Records the time of the last change of anything about the file.
  mutating func record(changed: Int64) {
    if changed != self.changed { isDoubtful = true }
  }
}
