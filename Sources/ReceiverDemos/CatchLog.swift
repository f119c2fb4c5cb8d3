import Digests
import Foundation
import JSONText
import Receiver

/// A log of catches in the style of an old servlet: form fields must come in a fixed order, and every answer
/// has status 200 and reports failures in `rc`.
struct CatchLog {
  /// The fields of a catch in the order in which they must be sent, before the picture.
  static let fieldNames = [
    "catchDate", "locationId", "customLat", "customLng", "userId", "token", "fishId", "fishLength",
    "fishWeight", "comments", "id", "submitButton",
  ]

  /// A failure, with the code that reports it.
  struct Complaint: Error {
    let rc: Int
    let words: String

    static func form(_ words: String) -> Complaint { Complaint(rc: 1, words: words) }
    static let token = Complaint(rc: 2, words: "the token is wrong for this user")
    static let unknown = Complaint(rc: 3, words: "there is no such catch")
    static let action = Complaint(rc: 4, words: "the only action is list")
  }

  let records: Records

  static func answer(_ more: [String: JSONValue] = [:], rc: Int = 0, words: String = "") -> Reply {
    let members: [String: JSONValue] = ["rc": .integer(Int64(rc)), "descr": .string(words)]
    return .json(.object(["fishingResponse": .object(members.merging(more) { $1 })]))
  }

  /// Checks a form before its picture is stored.
  func check(_ form: ReceivedForm) throws {
    let (names, expected) = (form.order, Self.fieldNames + ["catchImage"])
    guard names == expected else {
      let wrong = zip(names, expected).first { $0 != $1 }
      throw Complaint.form(
        wrong.map { "expected \($0.1), found \($0.0)" }
          ?? "expected \(expected.count) parts, found \(names.count)")
    }
    guard form.files.count == 1, form.files[0].field == "catchImage" else {
      throw Complaint.form("catchImage is not a file")
    }
    guard form.files[0].type == "image/jpeg" else {
      throw Complaint.form("catchImage is not image/jpeg")
    }
    let fields = form.fields.compactMapValues(\.first)
    guard let date = fields["catchDate"].flatMap(Int64.init), date > 0 else {
      throw Complaint.form("catchDate is not a time in Unix seconds")
    }
    for name in ["customLat", "customLng", "fishLength", "fishWeight"] {
      let text = fields[name] ?? ""
      guard text.isEmpty || Double(text) != nil else {
        throw Complaint.form("\(name) is not a number")
      }
    }
    for name in ["userId", "token"] where fields[name]?.isEmpty != false {
      throw Complaint.form("\(name) is empty")
    }
    _ = try records.read { try Self.authorize(fields["userId"], fields["token"], $0) }
  }

  /// Records a catch whose picture is already stored. If the form has the `id` of one of the user's catches, it
  /// replaces that catch.
  func add(_ fields: [String: String], image: String) throws -> Reply {
    let (user, token) = (fields["userId"] ?? "", fields["token"] ?? "")
    let kept = fields.filter { !["token", "submitButton", "id", "userId"].contains($0.key) }
    let id = try records.change { content in
      if let id = fields["id"].flatMap(Int64.init),
        let index = content.catches.firstIndex(where: { $0.id == id && $0.user == user })
      {
        content.catches[index].fields = kept
        content.catches[index].image = image
        return id
      }
      let id = content.nextID()
      content.catches.append(
        Records.Catch(id: id, user: user, token: Self.hash(token), fields: kept, image: image))
      return id
    }
    return Self.answer(["id": .integer(id)])
  }

  func list(_ query: [URLQueryItem], url: (String) -> String) throws -> Reply {
    let values = Self.values(query)
    guard values["action"] == "list" else { throw Complaint.action }
    let items = try records.read { content in
      try Self.authorize(values["userid"], values["token"], content).map { row -> JSONValue in
        var members = row.fields.mapValues { JSONValue.string($0) }
        members["id"] = .integer(row.id)
        members["catchImage"] = .string(url(row.image))
        return .object(members)
      }
    }
    return Self.answer(["items": .array(items)])
  }

  /// Deletes a catch and returns the name of its picture.
  func delete(_ query: [URLQueryItem]) throws -> String {
    let values = Self.values(query)
    return try records.change { content in
      let own = try Self.authorize(values["userid"], values["token"], content)
      guard let row = own.first(where: { String($0.id) == values["id"] }) else {
        throw Complaint.unknown
      }
      content.catches.removeAll { $0.id == row.id }
      return row.image
    }
  }

  /// Returns a user's catches. The token sent with the first catch becomes the user's token.
  private static func authorize(
    _ user: String?, _ token: String?, _ content: Records.Content
  ) throws(Complaint) -> [Records.Catch] {
    guard let user, let token, !user.isEmpty, !token.isEmpty else { throw .token }
    let own = content.catches.filter { $0.user == user }
    guard own.allSatisfy({ $0.token == hash(token) }) else { throw .token }
    return own
  }

  private static func values(_ query: [URLQueryItem]) -> [String: String] {
    Dictionary(query.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
  }

  private static func hash(_ token: String) -> String { SHA256.hash(token.utf8).hexadecimal }
}
