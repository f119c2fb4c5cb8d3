import FileDiscovery
import Foundation
import MediaTypes
import MultipartForm
import Screens

/// Reads folders for the list from which the user adds files.
enum FolderReader {
  /// The contents of a folder; nil means the folder where the program was started.
  static func read(_ path: [UInt8]?) -> Folder {
    let path = path ?? Array(FileManager.default.currentDirectoryPath.utf8)
    let name = String(decoding: path, as: UTF8.self)
    let directory: Directory
    do throws(InputError) {
      directory = try Directory(FileLocation(bytes: path))
    } catch {
      return Folder(
        path: path, name: name, parent: parent(of: path),
        failure: "cannot be read: \(error)")
    }
    let entries = directory.names.map { name in
      // A file that has just disappeared is still shown; adding it reports the problem.
      let entry = directory.entry(name)
      let isFolder = entry?.kind == .folder
      let obstacle = entry.flatMap { directory.obstacle(to: $0, name) }
      // By the name alone: reading the beginnings of all files would take too long.
      let type = isFolder || obstacle != nil ? nil : MediaTypeGuesser.system.guess(name: name)?.type
      return Folder.Entry(
        name: String(decoding: name, as: UTF8.self), path: directory.location(of: name).bytes,
        isFolder: isFolder, size: entry?.size ?? 0,
        kind: obstacle ?? (entry?.isLink == true ? "link" : ""),
        mediaType: type?.description, isSendable: obstacle == nil,
        modified: Double(entry?.modified ?? 0),
        time: entry.map { Date(timeIntervalSince1970: Double($0.modified)).localMinute } ?? "")
    }
    return Folder(path: path, name: name, parent: parent(of: path), entries: entries)
  }

  private static func parent(of path: [UInt8]) -> [UInt8]? {
    guard path != [0x2F], let slash = path.lastIndex(of: 0x2F) else { return nil }
    return slash == 0 ? [0x2F] : Array(path[..<slash])
  }
}
