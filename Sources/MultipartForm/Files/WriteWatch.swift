import Glibc
import Synchronization

/// Notices whether anybody writes to a file from now on (inotify(7)).
///
/// A program that writes has to open the file for that. The system reports each write, and each end of such an opening;
/// a mapping ends only once nobody can write through it. So if nobody has the file open for writing before and after,
/// and nothing was reported meanwhile, nobody has written to it, whatever became of its names and permissions.
final class WriteWatch: Sendable {
  /// Instances of inotify that are not used now. Closing one would take up to 16 ms.
  private static let spare = Mutex<[Int32]>([])

  private let instance: Int32
  private let number: Int32
  private let hasReported = Mutex(false)

  /// Watches a file on a local disk. Nil if the system has too many watches already.
  ///
  /// - Parameter file: the descriptor of the file, which may have lost its name.
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
    // Nothing of this file is left for the next one.
    _ = Self.takeReport(of: number, from: instance)
    Self.spare.withLock { $0.append(instance) }
  }

  /// Forgets what was reported so far.
  func forget() {
    hasReported.withLock {
      _ = Self.takeReport(of: number, from: instance)
      $0 = false
    }
  }

  /// Whether nothing was reported so far.
  var isQuiet: Bool {
    hasReported.withLock {
      $0 = Self.takeReport(of: number, from: instance) || $0
      return !$0
    }
  }

  /// Reads what was reported. Returns whether a file is named, or may be.
  private static func takeReport(of number: Int32, from instance: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      var isNamed = false
      while true {
        let count = read(instance, buffer.baseAddress, buffer.count)
        guard count > 0 else { return isNamed || count == 0 || errno != EAGAIN }
        var place = 0
        while place < count {
          let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          // A negative number stands for reports that were lost.
          if event.wd == number || event.wd < 0 { isNamed = true }
          place += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
  }
}
