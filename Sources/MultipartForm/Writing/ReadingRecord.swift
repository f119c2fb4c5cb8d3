import Synchronization

/// Keeps what is known about the last complete reading of a file.
final class ReadingRecord: Sendable {
  private let last = Mutex<FileMoment?>(nil)

  var moment: FileMoment? {
    get { last.withLock { $0 } }
    set { last.withLock { $0 = newValue } }
  }
}
