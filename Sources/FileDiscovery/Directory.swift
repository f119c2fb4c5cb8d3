import Foundation
import MultipartForm

/// A folder and its immediate contents. Names are bytes and need not be UTF-8.
package struct Directory {
  /// The kind of an entry, after following links.
  package enum Kind: Sendable {
    /// A regular file, or a broken link, which is reported as missing when it is opened.
    case file
    case folder
    /// A FIFO, a socket or a device.
    case other
  }

  package struct Entry {
    package let kind: Kind
    /// Whether the entry itself is a symbolic link.
    package let isLink: Bool
    /// The size in bytes; 0 for anything but a file.
    package let size: Int64
    /// The modification time, in seconds since 1970.
    package let modified: Int
    let place: FilePlace
  }

  /// The folder's path, without trailing slashes.
  private let folder: FileLocation
  /// The names in the folder except `.` and `..`, in no particular order.
  package internal(set) var names: [[UInt8]]
  let place: FilePlace

  /// Lists a folder, which may be given as a link.
  package init(_ location: FileLocation) throws(InputError) {
    var path = location.bytes
    while path.count > 1, path.last == .slash { path.removeLast() }
    folder = FileLocation(bytes: path)
    guard let stream = folder.withCString({ opendir($0) }) else {
      throw InputError(description: String(cString: strerror(errno)))
    }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0 else {
      throw InputError(description: String(cString: strerror(errno)))
    }
    place = FilePlace(status)
    names = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
  }

  /// The path of an entry.
  package func location(of name: [UInt8]) -> FileLocation {
    FileLocation(bytes: folder.beginning + name)
  }

  /// The entry with this name; nil if it no longer exists.
  package func entry(_ name: [UInt8]) -> Entry? {
    let location = location(of: name)
    var status = stat()
    guard location.withCString({ lstat($0, &status) }) == 0 else { return nil }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    if isLink, location.withCString({ stat($0, &status) }) != 0 {
      status.st_mode = S_IFREG
      status.st_size = 0
    }
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: .folder
      case S_IFREG: .file
      default: .other
      }
    return Entry(
      kind: kind, isLink: isLink, size: kind == .file ? Int64(status.st_size) : 0,
      modified: status.st_mtim.tv_sec, place: FilePlace(status))
  }

  /// Whether a path leads to a folder, possibly through a link.
  package static func isFolder(_ location: FileLocation) -> Bool {
    var status = stat()
    return location.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
