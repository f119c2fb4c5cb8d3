import Foundation
import TestSupport
import Testing

/// A line of `hoist push --json`.
struct PushEvent {
  /// Everything in it, by name.
  let fields: [String: any Sendable]

  var event: String { text("event") ?? "" }
  var path: String { text("path") ?? "" }

  func text(_ name: String) -> String? { fields[name] as? String }
  func number(_ name: String) -> Int? { (fields[name] as? NSNumber)?.intValue }

  /// What the server answered, as JSON.
  func reply() throws -> [String: Any] {
    let data = Data(try #require(text("reply")).utf8)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}

extension Program.Outcome {
  /// The lines of `--json`, each of which has to be one object.
  func events(sourceLocation: SourceLocation = #_sourceLocation) throws -> [PushEvent] {
    try output.split(separator: "\n").map { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
      let fields = try #require(
        object as? [String: any Sendable], "not an object: \(line)", sourceLocation: sourceLocation)
      return PushEvent(fields: fields)
    }
  }
}

extension [PushEvent] {
  /// What happened to one file, in order.
  func about(_ path: String) -> [PushEvent] { filter { $0.path == path } }

  /// The last thing that happened to one file.
  func end(of path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PushEvent {
    try #require(about(path).last, "nothing about \(path)", sourceLocation: sourceLocation)
  }
}
