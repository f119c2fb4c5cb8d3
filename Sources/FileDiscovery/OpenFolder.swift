import Foundation
import MultipartForm

/// A folder that is held open. What is in it is found by its descriptor, so its path may be of any length, and nothing
/// is mistaken for something that takes its place.
final class OpenFolder: Sendable {
  let descriptor: Int32
  let place: FilePlace

  /// Opens a folder by its path, which may be that of a link and longer than the system takes at once (PATH_MAX).
  convenience init(_ location: FileLocation) throws(InputError) {
    var rest = location.bytes[...]
    var folder: OpenFolder?
    while rest.count > Self.longestPath,
      let end = rest.prefix(Self.longestPath).lastIndex(of: .slash), end > rest.startIndex
    {
      folder = try OpenFolder(FileLocation(bytes: Array(rest[..<end])), in: folder)
      rest = rest[end...].drop { $0 == .slash }
    }
    // A slash at the end has nothing after it.
    try self.init(FileLocation(bytes: rest.isEmpty ? Array(".".utf8) : Array(rest)), in: folder)
  }

  /// The most bytes of a path that one system call takes, without the NUL at its end.
  private static let longestPath = Int(PATH_MAX) - 1

  /// Opens a folder by its path from another one, or else from the working directory.
  init(
    _ path: FileLocation, in folder: OpenFolder?, followsLink: Bool = true
  ) throws(InputError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    var descriptor: Int32
    repeat {
      descriptor = path.withCString { openat(folder?.descriptor ?? AT_FDCWD, $0, flags) }
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw InputError(errno) }
    self.descriptor = descriptor
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw InputError(code)
    }
    place = FilePlace(status)
  }

  deinit { close(descriptor) }

  /// The names in the folder except `.` and `..`, in no particular order, and why others may be missing.
  func names() -> (found: [[UInt8]], trouble: InputError?) {
    // Closing the stream closes its descriptor.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      return ([], InputError(code))
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        return (names, errno == 0 ? nil : InputError(errno))
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
  }

  /// The entry with this name; nil if it no longer exists. Throws if it cannot be looked at, for example because the
  /// folder may be listed but not searched.
  func entry(_ name: [UInt8]) throws(InputError) -> Directory.Entry? {
    var status = stat()
    let name = FileLocation(bytes: name)
    func look(_ flags: Int32) -> Int32 {
      name.withCString { fstatat(descriptor, $0, &status, flags) } == 0 ? 0 : errno
    }
    switch look(AT_SYMLINK_NOFOLLOW) {
    case 0: break
    case ENOENT: return nil
    case let code: throw InputError(code)
    }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    let trouble = isLink ? look(0) : 0
    if trouble != 0 {
      status.st_mode = S_IFREG
      status.st_size = 0
    }
    return Directory.Entry(
      status, isLink: isLink, isBroken: [ENOENT, ENOTDIR, ELOOP].contains(trouble))
  }

  /// Whether a file in the folder may be read, or a folder listed and searched, as far as the system says.
  func mayRead(_ name: [UInt8], asFolder: Bool) -> Bool {
    FileLocation(bytes: name).withCString {
      faccessat(descriptor, $0, asFolder ? R_OK | X_OK : R_OK, AT_EACCESS)
    } == 0 || errno != EACCES
  }

  /// The content of a regular file in the folder; nil if no file has this name.
  func content(of name: [UInt8]) throws(InputError) -> [UInt8]? {
    let file = FileLocation(bytes: name).withCString {
      // Opening a FIFO must not wait for a writer.
      openat(descriptor, $0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard file >= 0 else {
      if errno == ENOENT || errno == ENXIO { return nil }
      throw InputError(errno)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw InputError(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw InputError(errno) }
      guard count > 0 else { return content }
      content += buffer[..<count]
    }
  }
}
