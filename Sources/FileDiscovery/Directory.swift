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
    /// Whether it is a link that leads nowhere.
    let isBroken: Bool
    /// The size in bytes; 0 for anything but a file.
    package let size: Int64
    /// The modification time, in seconds since 1970.
    package let modified: Int
    let place: FilePlace

    init(_ status: stat, isLink: Bool, isBroken: Bool = false) {
      kind =
        switch status.st_mode & S_IFMT {
        case S_IFDIR: .folder
        case S_IFREG: .file
        default: .other
        }
      (self.isLink, self.isBroken) = (isLink, isBroken)
      size = kind == .file ? Int64(status.st_size) : 0
      modified = status.st_mtim.tv_sec
      place = FilePlace(status)
    }
  }

  /// The names in the folder except `.` and `..`, in no particular order.
  package let names: [[UInt8]]
  /// The folder's path, without trailing slashes.
  private let location: FileLocation
  private let folder: OpenFolder

  /// Lists a folder, which may be given as a link.
  package init(_ location: FileLocation) throws(InputError) {
    self.location = location.withoutTrailingSlashes
    folder = try OpenFolder(location)
    let (names, trouble) = folder.names()
    if let trouble { throw trouble }
    self.names = names
  }

  /// The path of an entry.
  package func location(of name: [UInt8]) -> FileLocation {
    FileLocation(bytes: location.beginning + name)
  }

  /// The entry with this name; nil if it no longer exists or cannot be looked at.
  package func entry(_ name: [UInt8]) -> Entry? { try? folder.entry(name) }

  /// Why an entry cannot be sent, in a few words; nil if it can.
  package func obstacle(to entry: Entry, _ name: [UInt8]) -> String? {
    if entry.isBroken { return "broken" }
    if entry.kind == .other { return "no file" }
    return folder.mayRead(name, asFolder: entry.kind == .folder) ? nil : "no access"
  }

  /// Whether a path leads to a folder, possibly through a link.
  package static func isFolder(_ location: FileLocation) -> Bool {
    var status = stat()
    return location.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
