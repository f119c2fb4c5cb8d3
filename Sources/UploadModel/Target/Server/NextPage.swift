// All text in here is Unicode scalars.

import Foundation
import JSONText
import ScalarText

/// How the pages after the first page of a list are requested.
package enum NextPage: Hashable, Sendable {
  /// The header field `Link` names the next page (RFC 8288).
  case link
  /// The reply contains the address of the next page.
  case address(JSONPointer)
  /// The reply contains a token for the rest of the list, which goes into this query item.
  case token(JSONPointer, query: String)
  /// This query item contains the number of the page. Numbers go up from the given one until a page is empty.
  case number(query: String, from: Int)

  /// How the request for a page differs from the one for the list.
  package enum Step: Hashable, Sendable {
    /// Another address.
    case address(URL)
    /// The list's address with one more query item.
    case query(name: String, value: String)
  }

  /// How the request for the first page differs from the one for the list; nil if it does not.
  package var first: Step? {
    guard case .number(let query, let from) = self else { return nil }
    return .query(name: query, value: "\(from)")
  }

  /// Whether this query item, if the user adds it, chooses a page.
  package func isChosen(by query: String) -> Bool {
    switch self {
    case .number(query, from: _), .token(_, query: query): true
    case .link, .address, .number, .token: false
    }
  }

  /// How to request the page after the one that `end` brought, which has `count` entries and is the last of `pages` so
  /// far; nil if there is no such page.
  package func step(after end: TransferEnd, count: Int, pages: Int) -> Step? {
    let document = JSONValue(text: end.reply.text)
    func text(_ pointer: JSONPointer) -> String? {
      pointer.text(in: document).flatMap { $0.isEmpty ? nil : $0 }
    }
    func address(_ text: String) -> Step? {
      URL(written: text, relativeTo: end.url).map { .address($0.absoluteURL) }
    }
    return switch self {
    case .link: end.headers["link"].flatMap(Self.nextLink).flatMap(address)
    case .address(let pointer): text(pointer).flatMap(address)
    case .token(let pointer, let query): text(pointer).map { .query(name: query, value: $0) }
    case .number(let query, let from):
      count == 0 ? nil : .query(name: query, value: "\(from + pages)")
    }
  }

  /// The target of the link whose relation is "next".
  private static func nextLink(_ field: String) -> String? {
    var rest = field.unicodeScalars[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = String(rest[rest.index(after: open)..<close])
      rest = rest[rest.index(after: close)...]
      // The parameters end at a comma outside of quotation marks.
      var isQuoted = false
      let parameters = rest.prefix { scalar in
        if scalar == "\"" { isQuoted.toggle() }
        return scalar != "," || isQuoted
      }
      rest = rest[parameters.endIndex...]
      let isNext = String(parameters).lowercased().split(scalar: ";").contains { parameter in
        let halves = parameter.split(scalar: "=", maxSplits: 1).map { $0.trimming(\.isWhiteSpace) }
        return halves.count == 2 && halves[0] == "rel"
          && halves[1].trimming { $0 == "\"" }.split(scalar: " ").contains("next")
      }
      if isNext { return target }
    }
    return nil
  }
}
