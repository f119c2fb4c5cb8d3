import Foundation
import NIOHTTP1

/// Records in JSON with names in snake_case and dates in ISO 8601, listed by filter, sort and page.
struct Bookmarks {
  let records: Records

  /// `?name=value` filters, `_sort=a,-b` sorts (a minus sign backwards), `_page` and `_limit` cut.
  func list(_ query: [URLQueryItem]) throws -> Reply {
    var rows = try records.read { $0.bookmarks }
    var (sort, page, limit) = ([String](), 1, 100)
    for item in query {
      let value = item.value ?? ""
      switch item.name {
      case "_sort": sort = value.split(separator: ",").map(String.init)
      case "_page": page = try Self.count(value, of: "_page", most: .max)
      case "_limit": limit = try Self.count(value, of: "_limit", most: 1000)
      case let name where name.hasPrefix("_"):
        throw Refusal(.badRequest, "There is no \(name); there are _sort, _page and _limit.")
      case let name: rows = rows.filter { $0[name]?.text == value }
      }
    }
    for key in sort.reversed() {
      let (name, isBackwards) = key.hasPrefix("-") ? (String(key.dropFirst()), true) : (key, false)
      // Equal ones keep their places: Swift's sort is stable in fact, and the number makes it so.
      rows = rows.enumerated().sorted { a, b in
        let (x, y) = (a.element[name] ?? .null, b.element[name] ?? .null)
        if x.comes(before: y) { return !isBackwards }
        if y.comes(before: x) { return isBackwards }
        return a.offset < b.offset
      }.map(\.element)
    }
    let (start, isHuge) = (page - 1).multipliedReportingOverflow(by: limit)
    let cut = isHuge ? [] : Array(rows.dropFirst(start).prefix(limit))
    var reply = Reply.json(cut)
    reply.headers.append(("X-Total-Count", "\(rows.count)"))
    return reply
  }

  private static func count(_ text: String, of name: String, most: Int) throws -> Int {
    guard let number = Int(text), (1...most).contains(number) else {
      throw Refusal(.badRequest, "\(name) is a number from 1\(most == .max ? "" : " to \(most)").")
    }
    return number
  }

  /// Keeps a new record and gives it its number.
  func create(_ json: JSON, baseURL: String) throws -> Reply {
    guard case .object(var members) = json else {
      throw Refusal(.badRequest, "A bookmark is a JSON object.")
    }
    for (name, value) in members {
      guard name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil else {
        throw Refusal(.unprocessableEntity, "\"\(name)\" is not in snake_case.")
      }
      guard name != "id" else {
        throw Refusal(.unprocessableEntity, "A new bookmark gets its id here.")
      }
      if name.hasSuffix("_date") {
        guard case .string(let text) = value, (try? Date(text, strategy: .iso8601)) != nil else {
          throw Refusal(
            .unprocessableEntity, "\(name) is not a date such as 2026-11-20T22:15:00Z.")
        }
      }
    }
    let made = try records.change { content in
      let id = content.nextID()
      members["id"] = .integer(id)
      content.bookmarks.append(members)
      return (id, members)
    }
    var reply = Reply.json(made.1, status: .created)
    reply.headers.append(("Location", "\(baseURL)/bookmarks/\(made.0)"))
    return reply
  }

  func show(_ id: String) throws -> Reply {
    .json(try records.read { try $0.bookmarks[Self.index(of: id, in: $0)] })
  }

  func delete(_ id: String) throws -> Reply {
    try records.change { content in
      _ = content.bookmarks.remove(at: try Self.index(of: id, in: content))
    }
    return Reply(status: .noContent, headers: [], body: .bytes([]))
  }

  private static func index(of id: String, in content: Records.Content) throws -> Int {
    guard let index = content.bookmarks.firstIndex(where: { $0["id"]?.text == id }) else {
      throw Refusal(.notFound, "There is no bookmark of that id.")
    }
    return index
  }
}
