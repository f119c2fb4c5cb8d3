import Foundation
import MultipartForm
import ScalarText

/// A file that goes with another one in the same request, such as the sidecar of a photo: what it is called beside that
/// file, and how it stands in the form.
package struct CompanionRule: Hashable, Sendable {
  /// Its path, as seen from the folder of the file that it goes with. The first of these that exists is sent.
  package var files: [Template] = []
  /// The form field that carries it; nil for that of the file that it goes with.
  package var field: Template?
  /// The media type that it is sent with.
  package var type = "application/octet-stream"

  /// A rule for no file.
  package init() {}

  /// The placeholders that `files` may have.
  package static let scope: [Template.Placeholder] = [.fileName, .fileStem, .fileExtension]

  /// What a companion of a file may be called, in the order in which it is looked for. A file is none of its own.
  ///
  /// - Parameter name: the name of the file that it goes with, on this machine.
  package func names(for name: String) -> [String] {
    let values = Template.Values(
      fileName: name, fileSize: 0, fileType: "", now: Date(timeIntervalSince1970: 0), uuid: UUID())
    return files.map { $0.filled(with: values) }.filter { !$0.hasSameScalars(as: name) }
  }
}

/// A file that goes with another one.
package struct Companion: Hashable, Sendable {
  /// The file.
  package let location: FileLocation
  /// The file as it was found.
  package let identity: FileIdentity
  /// The rule by which it goes.
  package let rule: CompanionRule

  /// A file that was found by a rule.
  package init(location: FileLocation, identity: FileIdentity, rule: CompanionRule) {
    (self.location, self.identity, self.rule) = (location, identity, rule)
  }
}

extension Companion {
  /// Why the file that it goes with cannot be sent.
  package func cause(of error: FileError) -> Failure.Cause {
    let why = Failure(Failure.Cause(error, wasSeen: true)).explanation
    return .unsendable("\(location.lastComponent), which goes with it, cannot be sent: \(why)")
  }
}

extension UploadItem {
  /// The companions of the file that are there, at most one for each rule.
  ///
  /// - Parameter look: what is at a place; nil if that is no file that can be sent.
  package func companions(
    by rules: [CompanionRule], _ look: (FileLocation) -> FileIdentity?
  ) -> [Companion] {
    guard !rules.isEmpty, let path = String(validating: self.location.bytes, as: UTF8.self) else {
      return []
    }
    let (folder, name) = Self.split(path)
    return rules.compactMap { rule in
      for other in rule.names(for: name) {
        let location = FileLocation(folder + other)
        guard let identity = look(location) else { continue }
        return Companion(location: location, identity: identity, rule: rule)
      }
      return nil
    }
  }

  /// The folder in a path, with its slash, and the name.
  private static func split(_ path: String) -> (folder: String, name: String) {
    let scalars = path.unicodeScalars
    let start = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
    return (String(scalars[..<start]), String(scalars[start...]))
  }
}
