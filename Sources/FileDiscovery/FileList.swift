import Foundation
import MultipartForm

/// A list of files, separated by line breaks or NULs. It is read as it arrives, since a list from a pipe may
/// never end. Names are bytes and need not be UTF-8. Empty lines are skipped, as is a byte order mark. A line may end
/// with CR and LF: a CR belongs to the name only if there is such a file.
package final class FileList: Sendable {
  /// Why reading a list ended.
  package enum End: Equatable {
    /// The list has ended, or the caller wanted no more.
    case over
    /// Reading was cancelled while more could still arrive.
    case left
    /// The list cannot be read any further, for this reason.
    case failed(String)
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
    var isAtStart = true
    while true {
      if !hasEnd, stop.isCancelled(waitingFor: descriptor) { return .left }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failed(String(cString: strerror(errno))) }
      rest.append(contentsOf: buffer[..<count])
      if isAtStart {
        // A mark may arrive in parts.
        if count > 0,
          [Self.mark, [0xFF, 0xFE], [0xFE, 0xFF]].contains(where: { $0.starts(with: rest) })
        {
          continue
        }
        if separator != 0, rest.contains(0),
          rest.starts(with: [0xFF, 0xFE]) || rest.starts(with: [0xFE, 0xFF])
        {
          return .failed("it is written in UTF-16; save it as UTF-8")
        }
        rest = Array(Self.withoutMark(rest[...]))
        isAtStart = false
      }
      var start = 0
      while let end = rest[start...].firstIndex(of: separator) {
        if let end = take(rest[start..<end], body) { return end }
        start = end + 1
      }
      rest.removeFirst(start)
      guard count > 0 else { break }
      guard rest.count <= Self.longestPath else {
        return .failed(String(cString: strerror(ENAMETOOLONG)))
      }
    }
    return take(rest[...], body) ?? .over
  }

  /// Passes on the file of one entry. Returns how reading ends, if it does.
  private func take(_ entry: ArraySlice<UInt8>, _ body: (FileLocation) -> Bool) -> End? {
    var name = entry
    if separator != 0 {
      guard !name.contains(0) else {
        return .failed("its names are separated by NULs instead of line breaks; add -0")
      }
      if name.last == UInt8(ascii: "\r"), !Self.isThere(name) { name.removeLast() }
    }
    if name.isEmpty { return nil }
    return body(FileLocation(bytes: Array(name))) ? nil : .over
  }

  private static func isThere(_ name: ArraySlice<UInt8>) -> Bool {
    var status = stat()
    return FileLocation(bytes: Array(name)).withCString { lstat($0, &status) } == 0
  }

  /// The byte order mark of UTF-8, which some editors write at the start of a text.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func withoutMark(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.starts(with: mark) ? text.dropFirst(mark.count) : text
  }
}
