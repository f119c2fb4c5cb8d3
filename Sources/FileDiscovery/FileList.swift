import Foundation
import MultipartForm

/// A list of files, separated by line breaks or NULs. It is read as it arrives, since a list from a pipe may
/// never end. Names are bytes and need not be UTF-8. Empty lines are skipped.
package final class FileList: Sendable {
  /// Why reading a list ended.
  package enum End: Equatable {
    /// The list has ended, or the caller wanted no more.
    case over
    /// Reading was cancelled while more could still arrive.
    case left
    /// The list cannot be read any further; the value of `errno`.
    case failed(Int32)
  }

  /// The list's name in messages.
  package let title: String
  private let descriptor: Int32
  private let separator: UInt8
  /// Whether the list is a regular file, which has an end; a pipe may never end.
  private let hasEnd: Bool

  /// Opens a list. Nil means standard input, whose descriptor is duplicated.
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

  /// More bytes than any path has (PATH_MAX). A longer entry means that this is not a list, or that it has another
  /// separator.
  private static let longestPath = 64 << 10

  /// Passes each file to `body` until that returns false or the list ends. Cancelling `stop` ends the reading
  /// of a list that may have no end.
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
