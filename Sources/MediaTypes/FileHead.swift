import Foundation

/// The first bytes of a regular file, read as far as they are needed.
final class FileHead {
  struct Problem: Error { var reason: MediaTypeGuess.Reason }

  private(set) var bytes: [UInt8] = []
  /// The file's size before it was opened; 0 for some that the system makes as they are read.
  let size: Int
  private let descriptor: Int32

  /// Opens a file, and reads its first bytes.
  init(of path: [UInt8], upTo count: Int) throws(Problem) {
    guard !path.isEmpty, !path.contains(0) else { throw Problem(reason: .unreadable(ENOENT)) }
    // Opening a pipe would wait for its writer, and opening a device may have an effect, so check first.
    var status = stat()
    let cPath = path.map { CChar(truncatingIfNeeded: $0) } + [0]
    guard stat(cPath, &status) == 0 else { throw Problem(reason: .unreadable(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(reason: .notARegularFile) }
    size = Int(status.st_size)
    // Non-blocking, in case a pipe has taken the file's place.
    descriptor = open(cPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Problem(reason: .unreadable(errno)) }
    try read(upTo: count)
  }

  deinit { close(descriptor) }

  /// Reads on until there are `count` bytes, or the file ends.
  func read(upTo count: Int) throws(Problem) {
    var code: Int32 = 0
    let known = bytes
    bytes = [UInt8](unsafeUninitializedCapacity: max(count, known.count)) { buffer, filled in
      filled = buffer.update(fromContentsOf: known)
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { code = errno }
        guard got > 0 else { break }
        filled += got
      }
    }
    guard code == 0 else { throw Problem(reason: .unreadable(code)) }
  }
}
