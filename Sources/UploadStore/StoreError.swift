import Foundation
import GRDB
import UploadModel

/// Why the queue could not be read or written: the action, the file, and what to do next.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence for the user.
  package let description: String
  /// The same without the path, for where space is short.
  package let brief: String

  init(_ description: String) {
    self.description = description
    brief = description
  }

  /// A SQLite error. `doing` is the action that failed: "opened", "written".
  init(_ error: any Error, doing: String, path: String) {
    let why = (error as? DatabaseError)?.reason(path) ?? "\(error)"
    description = "the queue \(path) cannot be \(doing): \(why)"
    brief = "the queue cannot be \(doing): \(why)"
  }
}

extension DatabaseError {
  fileprivate func reason(_ path: String) -> String {
    switch resultCode {
    case .SQLITE_FULL: "the disk is full; free up some space and try again"
    case .SQLITE_IOERR: "the disk may be full or gone (\(message ?? "input/output error"))"
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      "the file is damaged. Nothing was changed. Move it away to begin with an empty queue, or save "
        + "what can be saved with: sqlite3 \(path) .recover"
    case .SQLITE_READONLY, .SQLITE_PERM:
      "it is read-only; check its permissions and those of its folder"
    case .SQLITE_CANTOPEN: "check that its folder can be written to"
    case .SQLITE_BUSY, .SQLITE_LOCKED: "another program keeps it locked; try again"
    default: message ?? String(describing: resultCode)
    }
  }
}
