import Foundation
import MultipartForm

/// Standard input as a file. A form's length is sent before its first byte, so the whole input is first stored on disk.
///
/// The file has no name, so it disappears when this process ends, for whatever reason.
package struct SpooledInput {
  /// The path at which the input can be read.
  package let location: FileLocation

  /// The argument that stands for standard input.
  package static let argument = FileLocation("-")

  private static let folder = "/dev/fd/"

  package static func holds(_ location: FileLocation) -> Bool {
    location.bytes.starts(with: folder.utf8)
  }

  /// Copies a descriptor's input into a file in `directory` that nobody else may read; nil if `stop` is
  /// cancelled before the input ends.
  /// - Throws: `SystemError`, for example when the disk is full.
  package init?(
    _ input: Int32, in directory: String, until stop: CancellationToken
  ) throws(SystemError) {
    var template = Array("\(directory)/hoist-XXXXXX".utf8CString)
    // mkstemp(3) gives the file mode 0600.
    let file = mkstemp(&template)
    guard file >= 0 else { throw SystemError(doing: "make a file in \(directory)", code: errno) }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if stop.isCancelled(waitingFor: input) {
        close(file)
        return nil
      }
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        let code = errno
        close(file)
        throw SystemError(doing: "read standard input", code: code)
      }
      guard count > 0 else { break }
      var written = 0
      while written < count {
        let step = buffer.withUnsafeBytes {
          write(file, $0.baseAddress?.advanced(by: written), count - written)
        }
        if step < 0, errno == EINTR { continue }
        guard step > 0 else {
          let code = step == 0 ? ENOSPC : errno
          close(file)
          throw SystemError(doing: "store standard input in \(directory)", code: code)
        }
        written += step
      }
    }
    // Read through a descriptor that is not open for writing. Otherwise the file would look as if it could still
    // change, and each attempt would read it twice.
    let kept = open("\(Self.folder)\(file)", O_RDONLY | O_CLOEXEC)
    let code = errno
    close(file)
    guard kept >= 0 else {
      throw SystemError(doing: "read the stored input in \(directory)", code: code)
    }
    location = FileLocation("\(Self.folder)\(kept)")
  }

  /// A system call that failed.
  package struct SystemError: Error, CustomStringConvertible {
    let doing: String
    let code: Int32

    /// One sentence without its full stop.
    package var description: String { "cannot \(doing): \(String(cString: strerror(code)))" }
  }
}
