import Glibc
import Synchronization

/// Watches for writes to a file (inotify(7)).
///
/// A program must open a file to write to it. The system reports each write, and each close of a file that was open for
/// writing; a mapping delays that close until nobody can write through it. So if nobody has the file open for writing
/// at two moments, and nothing was reported between them, nobody has written to it in that time, whatever happened to
/// its names and permissions.
final class WriteWatch: Sendable {
  /// Idle inotify instances, kept because closing one takes up to 16 ms.
  private static let spare = Mutex<[Int32]>([])

  private let instance: Int32
  private let number: Int32
  private let hasReported = Mutex(false)

  /// Watches a file on a local disk by its descriptor, since it may no longer have a name. Nil if the system has too
  /// many watches already.
  init?(_ file: Int32) {
    let spare = Self.spare.withLock { $0.popLast() }
    instance = spare ?? inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard instance >= 0 else { return nil }
    number = inotify_add_watch(
      instance, "/proc/self/fd/\(file)", UInt32(IN_MODIFY | IN_CLOSE_WRITE))
    guard number >= 0 else {
      Self.spare.withLock { [instance] in $0.append(instance) }
      return nil
    }
  }

  deinit {
    inotify_rm_watch(instance, number)
    // Discard the remaining reports, so that the next watch gets none about this file.
    _ = takeReport()
    Self.spare.withLock { $0.append(instance) }
  }

  /// Discards all reports so far.
  func forget() {
    hasReported.withLock {
      _ = takeReport()
      $0 = false
    }
  }

  /// Whether nothing has been reported so far.
  var isQuiet: Bool {
    hasReported.withLock {
      $0 = takeReport() || $0
      return !$0
    }
  }

  /// Reads all reports. Returns whether any is, or may be, about the watched file.
  private func takeReport() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      var isNamed = false
      while true {
        let count = read(instance, buffer.baseAddress, buffer.count)
        guard count > 0 else { return isNamed || count == 0 || errno != EAGAIN }
        var place = 0
        while place < count {
          let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          // A negative number means that reports were lost.
          if event.wd == number || event.wd < 0 { isNamed = true }
          place += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
  }
}
