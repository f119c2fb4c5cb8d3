import Foundation
import Synchronization

/// Bookmarks and catches, kept in one small file beside what arrives. Every change is written whole, to
/// a new file that takes the old one's place.
final class Records: Sendable {
  /// What was caught.
  struct Catch: Codable, Hashable, Sendable {
    var id: Int64
    var user: String
    /// SHA-256 of the token that it was logged with.
    var token: String
    /// The form's own fields.
    var fields: [String: String]
    /// The name of the picture in the folder.
    var image: String
  }

  struct Content: Codable, Sendable {
    var lastID: Int64 = 0
    var bookmarks: [[String: JSON]] = []
    var catches: [Catch] = []

    mutating func nextID() -> Int64 {
      lastID += 1
      return lastID
    }
  }

  /// The file's name; it begins with a dot, so that it is neither listed nor fetched.
  static let fileName = ".hoist-records.json"

  private let path: String
  private let content: Mutex<Content?>

  init(folder: String) {
    path = folder + "/" + Self.fileName
    content = Mutex(nil)
  }

  /// Looks at what is there.
  func read<Result>(_ body: (Content) throws -> Result) throws -> Result {
    try content.withLock { content in
      let known = try content ?? load()
      content = known
      return try body(known)
    }
  }

  /// Changes what is there. Nothing is changed where it cannot be written.
  func change<Result>(_ body: (inout Content) throws -> Result) throws -> Result {
    try content.withLock { content in
      var changed = try content ?? load()
      let result = try body(&changed)
      do {
        try JSONEncoder().encode(changed).write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        throw Refusal(.internalServerError, "The records cannot be written.")
      }
      content = changed
      return result
    }
  }

  private func load() throws -> Content {
    guard let data = FileManager.default.contents(atPath: path) else { return Content() }
    guard let content = try? JSONDecoder().decode(Content.self, from: data) else {
      throw Refusal(
        .internalServerError, "The records in \(Self.fileName) are damaged; move the file away.")
    }
    return content
  }
}
