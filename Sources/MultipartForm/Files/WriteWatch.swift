import Glibc

/// Notices whether anybody writes to a file from now on (inotify(7)).
///
/// A program that writes has to open the file for that. The system reports each write, and each end of such an opening;
/// a mapping ends only once nobody can write through it. So if nobody has the file open for writing before and after,
/// and nothing was reported meanwhile, nobody has written to it, whatever became of its names and permissions.
final class WriteWatch: Sendable {
  private let descriptor: Int32

  /// Watches a file on a local disk. Nil if the system has too many watches already.
  ///
  /// - Parameter file: the descriptor of the file, which may have lost its name.
  init?(_ file: Int32) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0,
      inotify_add_watch(descriptor, "/proc/self/fd/\(file)", UInt32(IN_MODIFY | IN_CLOSE_WRITE))
        >= 0
    else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
  }

  deinit { close(descriptor) }

  /// Whether nothing was reported so far.
  var isQuiet: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) == 0
  }
}
