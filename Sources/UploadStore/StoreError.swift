import UploadModel

/// Why the queue could not be read or written: the action, the file, and what to do next.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// The sentence without the path, for places with little space.
  package let brief: String

  package init(_ description: String) {
    self.description = description
    brief = description
  }

  /// `doing` is the action that failed: "opened", "written".
  init(_ error: any Error, doing: String, path: String) {
    let why = (error as? DatabaseError)?.reason(path) ?? "\(error)"
    description = "the queue \(path) cannot be \(doing): \(why)"
    brief = "the queue cannot be \(doing): \(why)"
  }
}

extension DatabaseError {
  fileprivate func reason(_ path: String) -> String {
    switch code {
    case Self.full: "the disk is full; free up some space and try again"
    case Self.inputOutput: "the disk may be full or disconnected (\(message))"
    case Self.corrupt, Self.notADatabase:
      "the file is damaged. Nothing was changed. Move it away to begin with an empty queue, or recover "
        + "its readable data with: sqlite3 \(ShellWord.quoted(path)) .recover"
    case Self.readOnly, Self.permission:
      "it is read-only; check its permissions and those of its folder"
    case Self.cannotOpen: "check that its folder can be written to"
    case Self.busy, Self.locked: "another program keeps it locked; try again"
    default: message
    }
  }
}
