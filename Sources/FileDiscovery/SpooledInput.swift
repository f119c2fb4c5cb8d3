import Foundation
import MultipartForm
import ScalarText
import Synchronization

/// An input that can be read only once, such as standard input or that of `<(command)`, as a file. A form's length is
/// sent before its first byte, so the whole input is first stored on disk.
///
/// The file has no name, so it disappears when this process ends, for whatever reason.
package enum SpooledInput {
  /// The argument that stands for standard input.
  package static let argument = FileLocation("-")

  private static let folder = "/dev/fd/"
  /// What the user called each stored input, by the path at which it can be read.
  private static let arguments = Mutex<[FileLocation: FileLocation]>([:])

  /// What the user called the input that is stored at a path; nil if that is any other file.
  package static func argument(at location: FileLocation) -> FileLocation? {
    guard location.bytes.starts(with: folder.utf8) else { return nil }
    return arguments.withLock { $0[location] }
  }

  package static func holds(_ location: FileLocation) -> Bool { argument(at: location) != nil }

  /// Whether a path that was recorded, perhaps by another process, is that of an input that could be read only once.
  package static func isInput(recordedAs path: FileLocation) -> Bool {
    path == argument
      || ["/dev/stdin", folder, "/proc/self/fd/"].contains {
        path.bytes.starts(with: $0.utf8)
      }
  }

  /// The number of the descriptor that an argument stands for: `-`, `/dev/stdin`, `/dev/fd/3`, `/proc/self/fd/3`, the
  /// `/dev/fd/63` that shells put in place of `<(command)`, or a link to one of these. Nil for any other path.
  ///
  /// Such a path leads to something else in every process, and what a pipe contains can be read only once.
  package static func descriptor(of argument: FileLocation) -> Int32? {
    if argument == Self.argument { return STDIN_FILENO }
    var path = argument.bytes
    // As many links as the system follows (path_resolution(7)).
    for _ in 0..<40 {
      let start = path.lastIndex(of: .slash).map { $0 + 1 } ?? 0
      let (folder, name) = (Array(path[..<start]), path[start...])
      if !name.isEmpty, name.allSatisfy(\.isDigit), isOfDescriptors(folder) {
        return Int32(String(decoding: name, as: UTF8.self))
      }
      var text = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = FileLocation(bytes: path).withCString { readlink($0, &text, text.count) }
      guard count > 0 else { return nil }
      let target = text[..<count].map { UInt8(bitPattern: $0) }
      path = target[0] == .slash ? target : folder + target
    }
    return nil
  }

  /// Whether a folder is that of this process's descriptors (proc(5)).
  private static func isOfDescriptors(_ folder: [UInt8]) -> Bool {
    guard let own = resolved(Array("/proc/self".utf8)), let path = resolved(folder) else {
      return false
    }
    let rest = path.dropFirst(own.count).split(separator: UInt8(ascii: "/"))
    return path.starts(with: own) && rest.last?.elementsEqual("fd".utf8) == true
      && (rest.count == 1 || rest.count == 3 && rest[0].elementsEqual("task".utf8))
  }

  private static func resolved(_ path: [UInt8]) -> [UInt8]? {
    FileLocation(bytes: path.isEmpty ? Array(".".utf8) : path).withCString { path in
      realpath(path, nil).map { text in
        defer { free(text) }
        return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
      }
    }
  }

  /// Whether this process got the descriptor from the one that started it, and did not open it itself.
  package static func isInherited(_ descriptor: Int32) -> Bool { inherited.contains(descriptor) }

  /// Must be called before the program opens anything that stays open.
  package static func noteInherited() { _ = inherited }

  private static let inherited = Set(
    descriptors().filter {
      // The folder's own descriptor is closed by now.
      let flags = fcntl($0, F_GETFD)
      return flags >= 0 && flags & FD_CLOEXEC == 0
    })

  private static func descriptors() -> [Int32] {
    let names = (try? Directory(FileLocation("/proc/self/fd")))?.names ?? []
    return names.compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
  }

  /// Copies a descriptor's input into a file in `directory` that nobody else may read, and returns the path at which it
  /// can be read; nil if `stop` is cancelled before the input ends. `argument` is what the user calls the input. Throws
  /// for example when the disk is full.
  package static func keep(
    _ input: Int32, as argument: FileLocation = argument, in directory: String,
    until stop: CancellationToken
  ) throws(InputError) -> FileLocation? {
    let title = argument == Self.argument ? "standard input" : argument.description
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
      guard count >= 0 else { throw InputError("read \(title)", errno) }
      guard count > 0 else { break }
      let code = writeAll(buffer[..<count], to: file)
      guard code == 0 else { throw InputError("store \(title) in \(directory)", code) }
    }
    // Read through a descriptor that is not open for writing. Otherwise the file would look as if it could still
    // change, and each attempt would read it twice.
    let kept = open("\(folder)\(file)", O_RDONLY | O_CLOEXEC)
    guard kept >= 0 else { throw InputError("read what was stored in \(directory)", errno) }
    let location = FileLocation("\(folder)\(kept)")
    arguments.withLock { $0[location] = argument }
    return location
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
