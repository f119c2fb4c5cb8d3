import Foundation
import MultipartForm

/// Standard input as a file. A form says how long it is before its first byte is sent, so the input is
/// kept on the disk until it has ended.
///
/// The file has no name: it is gone with this process, however that ends.
package struct SpooledInput {
  /// Where it can be read.
  package let location: FileLocation

  /// What stands for standard input among files.
  package static let argument = FileLocation("-")

  private static let folder = "/dev/fd/"

  /// Whether a location is that of kept input.
  package static func holds(_ location: FileLocation) -> Bool {
    location.bytes.starts(with: folder.utf8)
  }

  /// Reads a descriptor to its end into a file in `directory`, which nobody else may read; nil where
  /// `stop` is cancelled before that end has come.
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
          throw SystemError(doing: "keep standard input in \(directory)", code: code)
        }
        written += step
      }
    }
    // Read through another descriptor: open for writing, it would be read twice at each attempt, for all
    // that anybody could tell.
    let kept = open("\(Self.folder)\(file)", O_RDONLY | O_CLOEXEC)
    let code = errno
    close(file)
    guard kept >= 0 else {
      throw SystemError(doing: "read what was kept in \(directory)", code: code)
    }
    location = FileLocation("\(Self.folder)\(kept)")
  }

  /// What the system refused.
  package struct SystemError: Error, CustomStringConvertible {
    let doing: String
    let code: Int32

    /// The refusal as a sentence without its full stop.
    package var description: String { "cannot \(doing): \(String(cString: strerror(code)))" }
  }
}
