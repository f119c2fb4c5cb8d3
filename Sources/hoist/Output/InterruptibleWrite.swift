import FileDiscovery
import Foundation
import Synchronization

/// Writes to a descriptor whose reader may not be reading: a pipe whose reader sleeps, a terminal stopped
/// with `^s`.
///
/// A blocking write would delay the handling of signals. So each write first waits for room, for as long as
/// it takes. Once a signal has asked the program to end, a reader that takes nothing for a second is given
/// up.
enum InterruptibleWrite {
  /// The time that a reader has after the program was asked to end, in milliseconds.
  private static let patience: Int32 = 1000

  /// The bytes that a pipe with room accepts without blocking (PIPE_BUF on Linux).
  private static let mostForPipe = 4096

  /// The bytes that a terminal with room most likely accepts without blocking.
  private static let mostForTerminal = 256

  private static let end = CancellationToken()
  private static let abandoned = Mutex<Set<Int32>>([])

  /// From now on, waits a limited time for readers. Can be called from any thread.
  static func hurry() { end.cancel() }

  /// Writes all of the bytes.
  /// - Returns: zero, or the value of `errno`; `EPIPE` also where the reader was given up.
  static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
    var rest = bytes[...]
    let kind = kind(of: file)
    while !rest.isEmpty {
      guard let most = room(in: file, kind) else { return EPIPE }
      let count = rest.prefix(most).withUnsafeBytes { chunk in
        kind == S_IFSOCK
          ? send(
            file, chunk.baseAddress, chunk.count,
            Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
          : Foundation.write(file, chunk.baseAddress, chunk.count)
      }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return count == 0 ? ENOSPC : errno }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  private static func kind(of file: Int32) -> mode_t {
    var status = stat()
    return fstat(file, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
  }

  /// Waits for room and returns how many bytes can be written at once; nil if the reader was given up.
  private static func room(in file: Int32, _ kind: mode_t) -> Int? {
    switch kind {
    case S_IFIFO: isWritable(file) ? mostForPipe : nil
    case S_IFCHR: isWritable(file) ? mostForTerminal : nil
    case S_IFSOCK: isWritable(file) ? .max : nil
    default: .max
    }
  }

  private static func isWritable(_ file: Int32) -> Bool {
    if abandoned.withLock({ $0.contains(file) }) { return false }
    if end.isCancelled(waitingForRoomIn: file), !hasRoom(file, within: patience) {
      abandoned.withLock { _ = $0.insert(file) }
      return false
    }
    return true
  }

  private static func hasRoom(_ file: Int32, within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    while true {
      let count = poll(&polled, 1, milliseconds)
      if count < 0, errno == EINTR { continue }
      return count != 0
    }
  }
}
