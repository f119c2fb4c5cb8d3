import FileDiscovery
import Foundation
import MultipartForm
import Synchronization

/// Writes to a descriptor whose reader may not be reading, such as a pipe whose reader sleeps or a terminal stopped
/// with `^s`.
///
/// A blocking write would delay the handling of signals. So each write first waits for room, for as long as it takes.
/// Once a signal has asked the program to end, a write gives up on a reader that takes nothing for a second.
package enum InterruptibleWrite {
  /// How long a reader may take nothing once the program has been asked to end, in milliseconds.
  private static let patience: Int32 = 1000

  /// Milliseconds between two tries if there is room, but not enough.
  private static let interval: Int32 = 10

  private static let end = CancellationToken()
  private static let readers = Mutex<[Int32: Reader]>([:])

  /// The reader at the other end of a descriptor.
  private struct Reader {
    /// Nil if it is unknown.
    let place: FilePlace?
    let kind: mode_t
    /// The same pipe or terminal, opened a second time so that no write blocks; -1 if that is not
    /// possible. `O_NONBLOCK` on the descriptor that hoist was given would affect everyone who shares it,
    /// including the shell.
    var own: Int32 = -1
    /// Whether hoist has given up on this reader.
    var isAbandoned = false
  }

  /// Limits the time to wait for readers from now on. Can be called from any thread.
  static func hurry() { end.cancel() }

  /// Writes all of the bytes. Returns zero, or the value of `errno`; `EPIPE` also if the reader has been abandoned.
  package static func write(_ bytes: [UInt8], to file: Int32) -> Int32 {
    let reader = reader(of: file)
    if reader.isAbandoned { return EPIPE }
    let target = reader.own >= 0 ? reader.own : file
    var rest = bytes[...]
    var left = patience
    while !rest.isEmpty {
      guard left > 0, waitsForRoom(in: target, reader.kind) else {
        readers.withLock { $0[file]?.isAbandoned = true }
        return EPIPE
      }
      let most = reader.own >= 0 ? .max : most(for: reader.kind)
      let count = rest.prefix(most).withUnsafeBytes { chunk in
        reader.kind == S_IFSOCK
          ? send(target, chunk.baseAddress, chunk.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
          : Foundation.write(target, chunk.baseAddress, chunk.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // A terminal may have room for a character, but not for a line break.
        _ = poll(nil, 0, interval)
        if end.isCancelled { left -= interval }
        continue
      }
      guard count > 0 else { return count == 0 ? ENOSPC : errno }
      rest = rest.dropFirst(count)
      left = patience
    }
    return 0
  }

  private static func reader(of file: Int32) -> Reader {
    var status = stat()
    guard fstat(file, &status) == 0 else { return Reader(place: nil, kind: S_IFREG) }
    var reader = Reader(place: FilePlace(status), kind: status.st_mode & S_IFMT)
    return readers.withLock { readers in
      if let known = readers[file] {
        if known.place == reader.place { return known }
        if known.own >= 0 { close(known.own) }
      }
      if reader.kind == S_IFIFO || reader.kind == S_IFCHR {
        reader.own = open("/proc/self/fd/\(file)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      }
      readers[file] = reader
      return reader
    }
  }

  /// How much may be written at once to a descriptor that has room but could still block.
  private static func most(for kind: mode_t) -> Int {
    switch kind {
    // A pipe that has room accepts this many bytes without blocking (PIPE_BUF on Linux).
    case S_IFIFO: 4096
    // A terminal that has room most likely accepts this many.
    case S_IFCHR: 256
    default: .max
    }
  }

  /// Waits until there is room. Returns false if the reader takes nothing for too long once the program should end.
  private static func waitsForRoom(in file: Int32, _ kind: mode_t) -> Bool {
    guard kind == S_IFIFO || kind == S_IFCHR || kind == S_IFSOCK else { return true }
    if !end.isCancelled(waitingFor: file, POLLOUT) { return true }
    var polled = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    var count: Int32
    repeat { count = poll(&polled, 1, patience) } while count < 0 && errno == EINTR
    return count != 0
  }
}
