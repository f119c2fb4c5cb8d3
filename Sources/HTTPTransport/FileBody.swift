import Foundation

/// A file's content as a body. The file's size at creation is the body's length.
struct FileBody: ExchangeBody {
  private let path: String
  let length: Int64

  init(_ url: URL) {
    path = url.path
    var status = stat()
    // If there is no regular file, a length of 1 makes the transport read the body, so that the reader reports the
    // error.
    let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    length = isFile ? Int64(status.st_size) : 1
  }

  func makeReader() -> any ExchangeBodyReader { Reader(self) }

  private final class Reader: ExchangeBodyReader {
    private let body: FileBody
    private var descriptor: Int32 = -1

    init(_ body: FileBody) { self.body = body }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      if descriptor < 0 { try openFile() }
      var filled = 0
      while filled < buffer.count, let start = buffer.baseAddress {
        let count = Glibc.read(descriptor, start + filled, buffer.count - filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure }
        // The file has become shorter than the announced length.
        guard count > 0 else { throw changed }
        filled += count
      }
      return filled
    }

    /// Opens the file, which must have the same size as when the task was made. O_NONBLOCK keeps a FIFO in its place
    /// from blocking the thread.
    private func openFile() throws {
      descriptor = open(body.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      var status = stat()
      guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw failure }
      guard status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == body.length
      else { throw changed }
    }

    private var changed: any Error {
      CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: body.path])
    }

    private var failure: any Error {
      let code: CocoaError.Code =
        switch errno {
        case ENOENT: .fileReadNoSuchFile
        case EACCES: .fileReadNoPermission
        default: .fileReadUnknown
        }
      return CocoaError(code, userInfo: [NSFilePathErrorKey: body.path])
    }
  }
}
