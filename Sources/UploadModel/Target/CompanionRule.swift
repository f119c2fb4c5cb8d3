import Foundation
import MultipartForm

/// How to find and send a companion: a file that goes with another one in the same request, such as the sidecar of a
/// photo.
package struct CompanionRule: Hashable, Sendable {
  /// The companion's possible names, in the folder of the file that it goes with. The first that exists is sent.
  package var files: [Template] = []
  /// The form field that carries the companion; nil for the field of the file that it goes with.
  package var field: Template?
  /// The media type that the companion is sent with.
  package var type = "application/octet-stream"

  package init() {}

  /// The placeholders that `files` may have.
  package static let scope: [Template.Placeholder] = [.fileName, .fileStem, .fileExtension]

  /// The possible names of a file's companion, in the order in which they are looked for. A file is never its own
  /// companion. A file whose name is not UTF-8 has no companion.
  package func names(for name: [UInt8]) -> [[UInt8]] {
    guard let text = String(validating: name, as: UTF8.self) else { return [] }
    let values = Template.Values(fileName: text, now: Date(timeIntervalSince1970: 0), uuid: UUID())
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

/// A file that is sent along with another one.
package struct Companion: Hashable, Sendable {
  package let location: FileLocation
  /// The file as it was found.
  package let identity: FileIdentity
  /// The rule by which it was found.
  package let rule: CompanionRule

  /// Why a file cannot be sent, given the error of its companion.
  package static func cause(of error: FileError) -> Failure.Cause {
    let why = Failure(Failure.Cause(error, wasSeen: true)).explanation
    return .unsendable("\(error.file.lastComponent), which goes with it, cannot be sent: \(why)")
  }
}

extension [CompanionRule] {
  /// The companions of a file, at most one for each rule. Throws the error of one that cannot be examined.
  package func companions(
    of file: FileLocation, _ look: (FileLocation) -> CompanionSight
  ) throws(FileError) -> [Companion] {
    let (folder, name) = file.split
    var found: [Companion] = []
    rules: for rule in self {
      for other in rule.names(for: name) {
        let location = FileLocation(bytes: folder + other)
        switch look(location) {
        case .nothing: break
        case .file(let identity):
          found.append(Companion(location: location, identity: identity, rule: rule))
          continue rules
        case .unreadable(let error): throw error
        }
      }
    }
    return found
  }

  /// Maps the name of each companion in a folder to the name of the file that it goes with. All other files go by
  /// themselves, so that each file is sent once. `look` tells what is in the folder under a name.
  package func owners(
    among names: [[UInt8]], _ look: ([UInt8]) -> CompanionSight
  ) -> [[UInt8]: [UInt8]] {
    // For each file, the files that it would take along, and the files that would take it along.
    var (taken, takers) = ([[UInt8]: [[UInt8]]](), [[UInt8]: [[UInt8]]]())
    for name in names {
      for rule in self {
        // A folder takes nothing along.
        guard let other = rule.names(for: name).first(where: { look($0) != .nothing }),
          case .file = look(name)
        else { continue }
        taken[name, default: []].append(other)
        takers[other, default: []].append(name)
      }
    }
    var owners: [[UInt8]: [UInt8]] = [:]
    var decided: Set<[UInt8]> = []
    var open = Set(taken.keys).union(takers.keys).sorted { $0.lexicographicallyPrecedes($1) }
    while !open.isEmpty {
      // A file goes by itself if all files that would take it along go with others.
      let free = open.filter { name in (takers[name] ?? []).allSatisfy { owners[$0] != nil } }
      // If only files that would take each other along are left, the first one by name goes by itself.
      for name in free.isEmpty ? [open[0]] : free where !decided.contains(name) {
        decided.insert(name)
        for other in taken[name] ?? [] where !decided.contains(other) {
          decided.insert(other)
          owners[other] = name
        }
      }
      open.removeAll { decided.contains($0) }
    }
    return owners
  }
}

extension FileLocation {
  /// The folder with its trailing slash, and the file's name.
  package var split: (folder: [UInt8], name: [UInt8]) {
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return (Array(bytes[..<start]), Array(bytes[start...]))
  }
}
