import Foundation
import MultipartForm

/// A file that goes with another one in the same request, such as the sidecar of a photo: its name beside that file,
/// and how the form carries it.
package struct CompanionRule: Hashable, Sendable {
  /// Its possible names, in the folder of the file that it goes with. The first one that exists is sent.
  package var files: [Template] = []
  /// The form field that carries it; nil for that of the file that it goes with.
  package var field: Template?
  /// The media type that it is sent with.
  package var type = "application/octet-stream"

  /// A rule for no file.
  package init() {}

  /// The placeholders that `files` may have.
  package static let scope: [Template.Placeholder] = [.fileName, .fileStem, .fileExtension]

  /// The possible names of a file's companion, in the order in which they are looked for. A file is not its own
  /// companion, and one whose name is not text has none.
  ///
  /// - Parameter name: the name of the file that it goes with, on this machine.
  package func names(for name: [UInt8]) -> [[UInt8]] {
    guard let text = String(validating: name, as: UTF8.self) else { return [] }
    let values = Template.Values(
      fileName: text, fileSize: 0, fileType: "", now: Date(timeIntervalSince1970: 0), uuid: UUID())
    return files.map { Array($0.filled(with: values).utf8) }.filter { $0 != name }
  }
}

/// What is at the place where a companion may be.
package enum CompanionSight: Hashable, Sendable {
  /// Nothing, or something that is never sent, such as a folder.
  case nothing
  case file(FileIdentity)
  /// Something that cannot be examined.
  case unreadable(FileError)
}

/// A file that goes with another one.
package struct Companion: Hashable, Sendable {
  package let location: FileLocation
  /// The file as it was found.
  package let identity: FileIdentity
  /// The rule that it was found by.
  package let rule: CompanionRule

  package init(location: FileLocation, identity: FileIdentity, rule: CompanionRule) {
    (self.location, self.identity, self.rule) = (location, identity, rule)
  }

  /// Why the file that a companion goes with cannot be sent.
  package static func cause(of error: FileError) -> Failure.Cause {
    let why = Failure(Failure.Cause(error, wasSeen: true)).explanation
    return .unsendable("\(error.file.lastComponent), which goes with it, cannot be sent: \(why)")
  }
}

extension [CompanionRule] {
  /// The companions of a file, at most one for each rule.
  ///
  /// - Parameter look: tells what is at a place.
  /// - Throws: why one of them cannot be sent.
  package func companions(
    of file: FileLocation, _ look: (FileLocation) -> CompanionSight
  ) throws(FileError) -> [Companion] {
    let (folder, name) = file.split
    var found: [Companion] = []
    for rule in self {
      search: for other in rule.names(for: name) {
        let location = FileLocation(bytes: folder + other)
        switch look(location) {
        case .nothing: continue
        case .file(let identity):
          found.append(Companion(location: location, identity: identity, rule: rule))
        case .unreadable(let error): throw error
        }
        break search
      }
    }
    return found
  }

  /// The names of the files of a folder that go with others, each with the name of the file that it goes with. Every
  /// other file goes by itself, so that each is sent once.
  ///
  /// - Parameters:
  ///   - names: the names in the folder.
  ///   - look: tells what is in the folder under a name.
  package func owners(
    among names: [[UInt8]], _ look: ([UInt8]) -> CompanionSight
  ) -> [[UInt8]: [UInt8]] {
    // For each file, the files that it would take along, and the files that would take it along.
    var (taken, takers) = ([[UInt8]: [[UInt8]]](), [[UInt8]: [[UInt8]]]())
    for name in names {
      for rule in self {
        guard let other = rule.names(for: name).first(where: { look($0) != .nothing }) else {
          continue
        }
        // A folder takes nothing along.
        guard case .file = look(name) else { continue }
        taken[name, default: []].append(other)
        takers[other, default: []].append(name)
      }
    }
    if taken.isEmpty { return [:] }
    var owners: [[UInt8]: [UInt8]] = [:]
    var decided: Set<[UInt8]> = []
    func goesByItself(_ name: [UInt8]) {
      decided.insert(name)
      for other in taken[name] ?? [] where !decided.contains(other) {
        decided.insert(other)
        owners[other] = name
      }
    }
    var open = Set(taken.keys).union(takers.keys).sorted { $0.lexicographicallyPrecedes($1) }
    while !open.isEmpty {
      // A file goes by itself if all files that would take it along go with others.
      let free = open.filter { name in
        (takers[name] ?? []).allSatisfy { owners[$0] != nil }
      }
      // If files would take each other along, only the first one does.
      for name in free.isEmpty ? [open[0]] : free where !decided.contains(name) {
        goesByItself(name)
      }
      open.removeAll { decided.contains($0) }
    }
    return owners
  }
}

extension FileLocation {
  /// The folder, with its slash, and the name.
  package var split: (folder: [UInt8], name: [UInt8]) {
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return (Array(bytes[..<start]), Array(bytes[start...]))
  }
}
