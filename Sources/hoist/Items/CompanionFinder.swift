import Foundation
import MultipartForm
import ScalarText
import Synchronization
import UploadModel

/// Finds out which files go with another one of the same folder, so that they are not sent by themselves as well.
final class CompanionFinder: Sendable {
  private let rules: [CompanionRule]
  /// The folder that was looked at last. Files of one folder mostly come one after the other.
  private let last = Mutex<Folder?>(nil)

  private struct Folder {
    let path: String
    /// When it was last written to, in nanoseconds since 1970.
    let changed: Int64
    /// The file that each companion in it goes with, by their names.
    let owners: [String: String]
  }

  init(_ rules: [CompanionRule]) { self.rules = rules }

  /// The name of the file that a file goes with; nil if it goes by itself.
  func owner(of file: FileLocation) -> String? {
    guard !rules.isEmpty, let path = String(validating: file.bytes, as: UTF8.self) else {
      return nil
    }
    let scalars = path.unicodeScalars
    let start = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
    return owners(in: start == scalars.startIndex ? "." : String(scalars[..<start]))[
      String(scalars[start...])]
  }

  private func owners(in path: String) -> [String: String] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [:] }
    let changed = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    return last.withLock { last in
      if let last, last.path == path, last.changed == changed { return last.owners }
      let folder = Folder(path: path, changed: changed, owners: look(in: path))
      last = folder
      return folder.owners
    }
  }

  private func look(in path: String) -> [String: String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [:] }
    let known = Set(names)
    var (owners, taking) = ([String: String](), Set<String>())
    // Of two files that would go with each other, the first one takes the other along.
    for name in names.sorted() where owners[name] == nil {
      for rule in rules {
        if let companion = rule.names(for: name).first(where: known.contains),
          !taking.contains(companion)
        {
          owners[companion] = name
          taking.insert(name)
        }
      }
    }
    return owners
  }
}
