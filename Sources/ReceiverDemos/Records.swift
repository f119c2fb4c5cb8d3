import JSONText
import Receiver

/// Bookmarks and catches, kept in one small file beside the stored files.
///
/// A file that cannot be read is an error. Treating it as empty would let the next change overwrite it.
struct Records: Sendable {
  struct Catch: Hashable, Sendable {
    var id: Int64
    var user: String
    /// SHA-256 of the token that the catch was logged with.
    var token: String
    /// The remaining form fields, without ID, user and token.
    var fields: [String: String]
    /// The picture's file name in the folder.
    var image: String
  }

  struct Content: Sendable {
    var lastID: Int64 = 0
    var bookmarks: [[String: JSONValue]] = []
    var catches: [Catch] = []

    mutating func nextID() -> Int64 {
      lastID += 1
      return lastID
    }
  }

  /// The file's name among the endpoints' files.
  static let file = "records.json"
  /// The most bytes of the file, which is read and written as a whole each time.
  static let mostBytes = 4 << 20

  let folder: ReceiverFolder

  func read<Result>(_ body: (Content) throws -> Result) throws -> Result {
    try body(Self.content(folder.contents(of: Self.file, atMost: Self.mostBytes)))
  }

  /// Changes the records, or leaves them unchanged if they cannot be read or written.
  func change<Result>(_ body: (inout Content) throws -> Result) throws -> Result {
    try folder.change(Self.file, atMost: Self.mostBytes) { bytes in
      var content = try Self.content(bytes)
      let result = try body(&content)
      bytes = Array(content.json.source.utf8)
      return result
    }
  }

  private static func content(_ bytes: [UInt8]?) throws(Refusal) -> Content {
    guard let bytes else { return Content() }
    // Records that were accepted one by one must be readable together.
    let limits = JSONLimits(depth: JSONLimits().depth + 4, values: mostBytes)
    guard let json = try? JSONValue(bytes: bytes, limits: limits), let content = Content(json)
    else { throw Refusal(500, "The records in .hoist-\(file) are damaged; move the file away.") }
    return content
  }
}

extension Records.Content {
  init?(_ json: JSONValue) {
    guard case .object(let members) = json, case .integer(let lastID)? = members["lastID"],
      case .array(let bookmarks)? = members["bookmarks"],
      case .array(let catches)? = members["catches"]
    else { return nil }
    self.lastID = lastID
    for bookmark in bookmarks {
      guard case .object(let members) = bookmark else { return nil }
      self.bookmarks.append(members)
    }
    for row in catches {
      guard let row = Records.Catch(row) else { return nil }
      self.catches.append(row)
    }
  }

  var json: JSONValue {
    .object([
      "lastID": .integer(lastID), "bookmarks": .array(bookmarks.map { .object($0) }),
      "catches": .array(catches.map(\.json)),
    ])
  }
}

extension Records.Catch {
  init?(_ json: JSONValue) {
    guard case .object(let members) = json, case .integer(let id)? = members["id"],
      case .string(let user)? = members["user"], case .string(let token)? = members["token"],
      case .object(let fields)? = members["fields"], case .string(let image)? = members["image"]
    else { return nil }
    self.init(id: id, user: user, token: token, fields: fields.mapValues(\.text), image: image)
  }

  var json: JSONValue {
    .object([
      "id": .integer(id), "user": .string(user), "token": .string(token),
      "fields": .object(fields.mapValues { .string($0) }), "image": .string(image),
    ])
  }
}
