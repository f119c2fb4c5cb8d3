import FileDiscovery
import Foundation
import MultipartForm
import Synchronization
import UploadEngine
import UploadModel

/// Finds out which files accompany another file in the same folder, so that they are not also sent on their own.
final class CompanionFinder: Sendable {
  private let rules: [CompanionRule]
  /// The folder that was read last, kept because files in the same folder mostly arrive one after another.
  private let last = Mutex<Folder?>(nil)

  private struct Folder {
    let path: [UInt8]
    /// When the folder was last written to, in nanoseconds since 1970.
    let changed: Int64
    /// The name of the file that each companion goes with, by the companion's name.
    let owners: [[UInt8]: [UInt8]]
  }

  init(_ rules: [CompanionRule]) { self.rules = rules }

  /// The name of the file that `file` accompanies; nil if `file` is sent on its own.
  func owner(of file: FileLocation) -> String? {
    if rules.isEmpty { return nil }
    let (folder, name) = file.split
    let owner = owners(in: folder.isEmpty ? Array(".".utf8) : folder)[name]
    return owner.map { String(decoding: $0, as: UTF8.self) }
  }

  private func owners(in path: [UInt8]) -> [[UInt8]: [UInt8]] {
    var status = stat()
    guard FileLocation(bytes: path).withCString({ stat($0, &status) }) == 0 else { return [:] }
    // Overflows after the year 2262, which does no harm: it is only compared.
    let changed = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    return last.withLock { last in
      if let last, last.path == path, last.changed == changed { return last.owners }
      let folder = Folder(path: path, changed: changed, owners: look(in: path))
      last = folder
      return folder.owners
    }
  }

  private func look(in path: [UInt8]) -> [[UInt8]: [UInt8]] {
    guard let folder = try? Directory(FileLocation(bytes: path)) else { return [:] }
    let known = Set(folder.names)
    return rules.owners(among: folder.names) { name in
      known.contains(name) ? CompanionSight(at: folder.location(of: name)) : .nothing
    }
  }
}
