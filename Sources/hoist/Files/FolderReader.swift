import Foundation
import MultipartForm
import Screens

/// Reads folders for the list from which files are added.
enum FolderReader {
  /// What lies in a folder; nil means where the program was started.
  static func read(_ path: [UInt8]?) -> Folder {
    let path = path ?? Array(FileManager.default.currentDirectoryPath.utf8)
    let name = String(decoding: path, as: UTF8.self)
    let parent = parent(of: path)
    guard let stream = opendir(FileLocation(bytes: path)) else {
      return Folder(
        path: path, name: name, parent: parent,
        failure: "cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { closedir(stream) }
    var entries: [Folder.Entry] = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes == [0x2E] || bytes == [0x2E, 0x2E] { continue }
      let whole = (path == [0x2F] ? path : path + [0x2F]) + bytes
      var status = stat()
      // A link that leads nowhere is shown all the same; adding it says what is wrong.
      let isKnown = whole.withCString { stat($0, &status) } == 0
      let isFolder = isKnown && status.st_mode & S_IFMT == S_IFDIR
      entries.append(
        Folder.Entry(
          name: String(decoding: bytes, as: UTF8.self), path: whole, isFolder: isFolder,
          size: isKnown && !isFolder ? Int64(status.st_size) : 0))
    }
    return Folder(path: path, name: name, parent: parent, entries: entries)
  }

  private static func opendir(_ location: FileLocation) -> OpaquePointer? {
    location.bytes.withCString { Foundation.opendir($0) }
  }

  private static func parent(of path: [UInt8]) -> [UInt8]? {
    guard path != [0x2F], let slash = path.lastIndex(of: 0x2F) else { return nil }
    return slash == 0 ? [0x2F] : Array(path[..<slash])
  }
}

extension [UInt8] {
  /// Calls `body` with these bytes as a string of C.
  fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let characters = map { CChar(bitPattern: $0) } + [0]
    return characters.withUnsafeBufferPointer { buffer in
      // Never empty: it ends in a zero.
      buffer.baseAddress.map(body) ?? body([0])
    }
  }
}
