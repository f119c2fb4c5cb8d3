import Foundation
import MultipartForm

/// The files of a list, one on each line or between NULs, read as they come: a list from a pipe may
/// go on for as long as it likes. Names are bytes and need not be UTF-8. Empty lines are passed over.
package final class FileList: Sendable {
  /// How going through a list ended.
  package enum End: Equatable {
    /// There is no more, or no more was wanted.
    case over
    /// It was left while somebody may still have been writing to it.
    case left
    /// It cannot be read on; the value of `errno`.
    case failed(Int32)
  }

  /// What the list is called in messages.
  package let title: String
  private let descriptor: Int32
  private let separator: UInt8
  /// Whether it is a file, which has an end; a pipe may never come to one.
  private let hasEnd: Bool

  /// Opens a list; nil stands for standard input, whose descriptor is copied.
  /// - Throws: `InputError` if it cannot be read.
  package init(
    _ list: FileLocation?, isNULSeparated: Bool, standardInput: Int32 = STDIN_FILENO
  ) throws(InputError) {
    separator = isNULSeparated ? 0 : UInt8(ascii: "\n")
    title = list?.description ?? "standard input"
    descriptor = list?.withCString { open($0, O_RDONLY | O_CLOEXEC) } ?? dup(standardInput)
    var status = stat()
    let code = descriptor < 0 || fstat(descriptor, &status) != 0 ? errno : 0
    hasEnd = status.st_mode & S_IFMT == S_IFREG
    guard code == 0, status.st_mode & S_IFMT != S_IFDIR else {
      let why = code == 0 ? "it is a folder" : String(cString: strerror(code))
      throw InputError(description: "cannot read the list: \(why)")
    }
  }

  deinit { close(descriptor) }

  /// More bytes than a path has (PATH_MAX). What goes on for longer is no list, or has another separator.
  private static let longestPath = 64 << 10

  /// Hands over each file until `body` returns false or the list ends. Once `stop` is cancelled, what may
  /// have no end is left.
  package func forEach(until stop: CancellationToken, _ body: (FileLocation) -> Bool) -> End {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if !hasEnd, stop.isCancelled(waitingFor: descriptor) { return .left }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failed(errno) }
      guard count > 0 else { break }
      rest.append(contentsOf: buffer[..<count])
      var start = 0
      while let end = rest[start...].firstIndex(of: separator) {
        if end > start, !body(FileLocation(bytes: Array(rest[start..<end]))) { return .over }
        start = end + 1
      }
      rest.removeFirst(start)
      guard rest.count <= Self.longestPath else { return .failed(ENAMETOOLONG) }
    }
    if !rest.isEmpty { _ = body(FileLocation(bytes: rest)) }
    return .over
  }
}
