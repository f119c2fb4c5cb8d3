import Foundation

/// A file's content as a body, as long as the file is when the body is made.
struct FileBody: ExchangeBody {
  private let path: String
  let length: Int64

  init(_ url: URL) {
    path = url.path
    var status = stat()
    // The reader says why it cannot be opened.
    length = stat(path, &status) == 0 ? Int64(status.st_size) : 1
  }

  func makeReader() -> any ExchangeBodyReader { Reader(path) }

  private final class Reader: ExchangeBodyReader {
    private let path: String
    private var descriptor: Int32 = -1

    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw failure }
      var filled = 0
      while filled < buffer.count, let start = buffer.baseAddress {
        let count = Glibc.read(descriptor, start + filled, buffer.count - filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure }
        // The file has become shorter than what was announced.
        guard count > 0 else {
          throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: path])
        }
        filled += count
      }
      return filled
    }

    private var failure: any Error {
      CocoaError(
        errno == ENOENT ? .fileReadNoSuchFile : .fileReadUnknown,
        userInfo: [NSFilePathErrorKey: path])
    }
  }
}
