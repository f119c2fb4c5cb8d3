/// A file that is about to be removed or moved, held open to make sure that it contains what was read from it earlier.
///
/// Its times are not enough: a program that has the file mapped writes to it without a trace. So nobody may have it open
/// for writing from the comparison until it is gone. A lease makes sure of that (fcntl(2)). Files that cannot have one,
/// such as those on some network file systems, are watched instead.
package final class LeavingFile {
  /// What a file contains.
  package enum Content: Hashable, Sendable {
    case same
    case other
    /// Nothing can tell.
    case unknown
  }

  private let file: SystemFile
  private let look: SystemFile.Look
  private let isLeased: Bool?
  private let watch: WriteWatch?

  /// Opens a file, which must have the expected identity.
  package init(_ location: FileLocation, expecting expected: FileIdentity) throws(FileError) {
    let file = try SystemFile(opening: location)
    isLeased = file.lease()
    watch = isLeased == nil ? file.localWatch() : nil
    look = try file.look()
    if let change = expected.change(to: look.identity) { throw FileError(location, change) }
    self.file = file
  }

  /// Whether a program has the file open for writing, or is about to, or may have written to it since it was opened here.
  package var isWrittenTo: Bool {
    if let isLeased { return !isLeased || !file.hasLease }
    return watch?.isQuiet == false || (try? file.look().identity) != look.identity
  }

  /// Whether the file contains what was read from it at a moment. That may take as long as reading it.
  package func content(since moment: FileMoment?) throws(FileError) -> Content {
    if look.identity.size == 0 {
      try file.checkEmpty()
      return .same
    }
    guard let moment else { return .unknown }
    if !moment.isDoubtful, moment.changed == look.changed, isLeased == true, file.showsWrites {
      return .same
    }
    guard moment.covers(0..<look.identity.size) else { return .unknown }
    var comparison = Comparison(moment)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    while let range = comparison.next {
      // A program that wants to write to the file waits for this to end.
      guard !isWrittenTo else { return .other }
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<min(buffer.count, Int(clamping: range.count))])
      guard try file.read(into: piece, at: range.lowerBound) == piece.count,
        comparison.add(UnsafeRawBufferPointer(piece))
      else { return .other }
    }
    return .same
  }
}
