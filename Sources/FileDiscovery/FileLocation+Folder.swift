import Foundation
import MultipartForm
import ScalarText

extension FileLocation {
  /// The path with a slash at its end: how the path of everything in this folder begins.
  var beginning: [UInt8] { bytes.last == .slash ? bytes : bytes + [.slash] }

  /// Whether there is a link at the path, even one that leads nowhere.
  package var isLink: Bool {
    var status = stat()
    return withCString { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  package var withoutTrailingSlashes: FileLocation {
    var path = bytes
    while path.count > 1, path.last == .slash { path.removeLast() }
    return FileLocation(bytes: path)
  }

  /// The absolute path of the file. A relative path is taken to start at `folder`.
  ///
  /// Two paths to a file give the same text if they differ only in `.`, repeated slashes, or `..` after a folder that is
  /// not a link. After a link, `..` leads elsewhere (path_resolution(7)), so it stays.
  package func absolute(in folder: String) -> FileLocation {
    let whole = bytes.first == .slash ? bytes : Array("\(folder)/".utf8) + bytes
    let needsWork = zip(whole, whole.dropFirst()).contains {
      $0 == .slash && ($1 == .slash || $1 == UInt8(ascii: "."))
    }
    guard needsWork else { return FileLocation(bytes: whole) }
    var names: [ArraySlice<UInt8>] = []
    for name in whole.split(separator: .slash) where !name.elementsEqual(".".utf8) {
      if name.elementsEqual("..".utf8), Self.isPlainFolder(names) {
        names.removeLast()
      } else {
        names.append(name)
      }
    }
    // Only a folder may be followed by a slash.
    let end = whole.last == .slash && !names.isEmpty ? [UInt8.slash] : []
    return FileLocation(bytes: Self.path(names) + end)
  }

  private static func path(_ names: [ArraySlice<UInt8>]) -> [UInt8] {
    names.isEmpty ? [.slash] : names.flatMap { [.slash] + $0 }
  }

  /// Whether the path leads to a folder by its own name, and not through a link there.
  private static func isPlainFolder(_ names: [ArraySlice<UInt8>]) -> Bool {
    guard let last = names.last, !last.elementsEqual("..".utf8) else { return false }
    var status = stat()
    return FileLocation(bytes: path(names)).withCString { lstat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The path relative to `folder` if the file is below it; otherwise, the path unchanged.
  package func relative(to folder: String) -> FileLocation {
    let beginning = Array("\(folder)/".utf8)
    return bytes.starts(with: beginning)
      ? FileLocation(bytes: Array(bytes.dropFirst(beginning.count))) : self
  }

  /// The folders between `root` and the file, each followed by a slash; empty if the file is not below `root`. Bytes
  /// that are not UTF-8 are kept (`String.init(rawBytes:)`).
  package func folder(below root: FileLocation) -> String {
    var beginning = root.bytes
    while beginning.last == .slash { beginning.removeLast() }
    beginning.append(.slash)
    guard bytes.starts(with: beginning), let end = bytes.lastIndex(of: .slash),
      end >= beginning.count
    else { return "" }
    return String(rawBytes: bytes[beginning.count...end])
  }
}

extension UInt8 {
  /// What separates the names in a path.
  static var slash: UInt8 { UInt8(ascii: "/") }
}
