import Foundation
import MultipartForm

/// Standard input as a file. A form's length is sent before its first byte, so the whole input is first stored on disk.
///
/// The file has no name, so it disappears when this process ends, for whatever reason.
package enum SpooledInput {
  /// The argument that stands for standard input.
  package static let argument = FileLocation("-")

  private static let folder = "/dev/fd/"

  package static func holds(_ location: FileLocation) -> Bool {
    location.bytes.starts(with: folder.utf8)
  }

  /// Copies a descriptor's input into a file in `directory` that nobody else may read, and returns the path at which it
  /// can be read; nil if `stop` is cancelled before the input ends. Throws for example when the disk is full.
  package static func keep(
    _ input: Int32, in directory: String, until stop: CancellationToken
  ) throws(InputError) -> FileLocation? {
    var template = Array("\(directory)/hoist-XXXXXX".utf8CString)
    // mkstemp(3) gives the file mode 0600.
    let file = mkstemp(&template)
    guard file >= 0 else { throw InputError("make a file in \(directory)", errno) }
    defer { close(file) }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if stop.isCancelled(waitingFor: input) { return nil }
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw InputError("read standard input", errno) }
      guard count > 0 else { break }
      let code = writeAll(buffer[..<count], to: file)
      guard code == 0 else { throw InputError("store standard input in \(directory)", code) }
    }
    // Read through a descriptor that is not open for writing. Otherwise the file would look as if it could still
    // change, and each attempt would read it twice.
    let kept = open("\(folder)\(file)", O_RDONLY | O_CLOEXEC)
    guard kept >= 0 else { throw InputError("read the stored input in \(directory)", errno) }
    return FileLocation("\(folder)\(kept)")
  }
}

/// Writes all bytes to a file, or to a pipe however long its reader takes. Returns zero, or the value of `errno`.
package func writeAll(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Int32 {
  var rest = bytes
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN {
      // Another process that shares a pipe has made it non-blocking.
      var polled = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
      _ = poll(&polled, 1, -1)
      continue
    }
    guard count > 0 else { return count == 0 ? ENOSPC : errno }
    rest = rest.dropFirst(count)
  }
  return 0
}
