import Foundation
import MultipartForm

extension Failure.Cause {
  /// A link at the file's path leads nowhere.
  package static let brokenLink = Failure.Cause.notAFile(kind: "a broken link")

  /// The failure cause for an error in a body; `wasSeen` says whether the file had been looked at before, so that its
  /// absence is a change and not a mistyped path.
  package init(_ error: BodyError, wasSeen: Bool) {
    switch error {
    case .form(let error): self = .unsendable(String(describing: error))
    case .file(let error): self.init(error, wasSeen: wasSeen)
    }
  }

  /// The failure cause for an error of a file; `wasSeen` has the same meaning as above.
  package init(_ error: FileError, wasSeen: Bool) {
    switch error.reason {
    case .vanished: self = wasSeen ? .changed(.vanished) : .missing
    case .shrunk, .rangeOutsideFile: self = .changed(.shrank)
    case .grown: self = .changed(.grew)
    case .replaced: self = .changed(.replaced)
    case .modified: self = .changed(.modified)
    case .unreadable(let code, _) where Self.isShortage(code):
      self = .shortage(String(cString: strerror(code)))
    case .unreadable(let code, _): self = .unreadable(String(cString: strerror(code)))
    case .notARegularFile(let kind): self = .notAFile(kind: kind.words)
    case .notAFileURL: self = .unreadable("it is not the URL of a file on this machine")
    case .sizeUnknown: self = .unreadable("its size cannot be known before it is read")
    }
  }

  /// Whether this `errno` means a shortage of something that will be released again.
  package static func isShortage(_ code: Int32) -> Bool {
    code == EMFILE || code == ENFILE || code == ENOMEM
  }
}

extension FileError.Kind {
  fileprivate var words: String {
    switch self {
    case .directory: "a folder"
    case .fifo: "a FIFO"
    case .device: "a device"
    case .socket: "a socket"
    case .other: "not a regular file"
    }
  }
}
