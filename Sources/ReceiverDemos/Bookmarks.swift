import Foundation
import JSONText
import Receiver
import ScalarText

/// JSON records with names in snake_case and dates in ISO 8601, listed with filters, sorting and paging.
struct Bookmarks {
  /// The most bookmarks that are kept.
  private static let most = 10_000

  let records: Records

  /// Lists bookmarks: `?name=value` filters, `_sort=a,-b` sorts (a minus sign means descending), `_order=desc`
  /// reverses every direction, `_page` and `_limit` select a page.
  func list(_ query: [URLQueryItem]) throws -> Reply {
    var rows = try records.read { $0.bookmarks }
    var (sort, page, limit) = ([String](), 1, 100)
    var isDescending = false
    for item in query {
      let value = item.value ?? ""
      switch item.name {
      case "_sort": sort = value.split(scalar: ",").filter { !$0.isEmpty }
      case "_order":
        guard ["asc", "desc"].contains(value) else {
          throw Refusal(400, "_order must be asc or desc.")
        }
        isDescending = value == "desc"
      case "_page": page = try Self.count(value, of: "_page", most: .max)
      case "_limit": limit = try Self.count(value, of: "_limit", most: 1000)
      case let name where name.hasPrefix(scalars: "_"):
        throw Refusal(400, "There is no parameter \(name), only _sort, _order, _page and _limit.")
      case let name: rows = rows.filter { $0[name]?.text.hasSameScalars(as: value) == true }
      }
    }
    for key in sort.reversed() {
      let (name, hasMinus) = key.removingPrefix(scalars: "-").map { ($0, true) } ?? (key, false)
      let isBackwards = hasMinus != isDescending
      // The sort is stable: equal records keep their order.
      rows.sort { a, b in
        let (x, y) = (a[name] ?? .null, b[name] ?? .null)
        return isBackwards ? y.comes(before: x) : x.comes(before: y)
      }
    }
    let (start, isHuge) = (page - 1).multipliedReportingOverflow(by: limit)
    let cut = isHuge ? [] : Array(rows.dropFirst(start).prefix(limit))
    var reply = Reply.json(.array(cut.map { .object($0) }))
    reply.headers.append(("X-Total-Count", "\(rows.count)"))
    return reply
  }

  private static func count(_ text: String, of name: String, most: Int) throws -> Int {
    guard let number = Int(text), (1...most).contains(number) else {
      throw Refusal(400, "\(name) must be a number from 1\(most == .max ? "" : " to \(most)").")
    }
    return number
  }

  /// Stores a new record and assigns its ID.
  func create(_ json: JSONValue, at location: (String) -> String) throws -> Reply {
    guard case .object(var members) = json else {
      throw Refusal(400, "A bookmark must be a JSON object.")
    }
    for (name, value) in members {
      guard Self.isSnakeCase(name) else { throw Refusal(422, "\"\(name)\" is not in snake_case.") }
      guard name != "id" else { throw Refusal(422, "Leave out \"id\": the server assigns it.") }
      if name.hasSuffix(scalars: "_date") {
        guard case .string(let text) = value, (try? Date(text, strategy: .iso8601)) != nil else {
          throw Refusal(422, "\(name) is not a date such as 2026-11-20T22:15:00Z.")
        }
      }
    }
    let id = try records.change { content in
      guard content.bookmarks.count < Self.most else {
        throw Refusal(507, "At most \(Self.most) bookmarks are kept.")
      }
      let id = content.nextID()
      members["id"] = .integer(id)
      content.bookmarks.append(members)
      return id
    }
    var reply = Reply.json(.object(members), status: 201)
    reply.headers.append(("Location", location("/bookmarks/\(id)")))
    return reply
  }

  func show(_ id: String) throws -> Reply {
    .json(.object(try records.read { try $0.bookmarks[Self.index(of: id, in: $0)] }))
  }

  func delete(_ id: String) throws -> Reply {
    try records.change { content in
      _ = content.bookmarks.remove(at: try Self.index(of: id, in: content))
    }
    return Reply(status: 204)
  }

  private static func index(of id: String, in content: Records.Content) throws -> Int {
    let index = content.bookmarks.firstIndex { $0["id"]?.text.hasSameScalars(as: id) == true }
    guard let index else { throw Refusal(404, "There is no bookmark with that id.") }
    return index
  }

  /// Whether the name consists of words of `a` to `z` and digits, separated by single `_` and starting with a letter.
  private static func isSnakeCase(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return name.utf8.first.map(letters.contains) == true
      && name.split(scalar: "_").allSatisfy { word in
        !word.isEmpty && word.utf8.allSatisfy { letters.contains($0) || $0.isDigit }
      }
  }
}

extension JSONValue {
  /// Whether this value sorts before another: numbers by size, everything else by its text.
  fileprivate func comes(before other: JSONValue) -> Bool {
    if let a = size, let b = other.size { return a < b }
    return text < other.text
  }

  private var size: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .longInteger(let digits): Double(digits)
    case .number(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }
}
