import Foundation

// Text in here is split as UTF-8: in a Character, a separator may be one with a mark after it.

/// Secrets in the query of a URL.
extension Template {
  /// A copy of this template of a URL with the secrets in its query marked. The names of the query items tell which
  /// values are secrets.
  package func hidingQuery() -> Template {
    var (copy, isInQuery, name) = (Template(literal: ""), false, "")
    for piece in pieces {
      guard case .text(let text) = piece else {
        copy.pieces.append(piece)
        continue
      }
      var items = Self.split(text, at: isInQuery ? "&" : "?", most: isInQuery ? .max : 1)
      var separator = "&"
      if !isInQuery, items.count > 1 {
        items = [items[0]] + Self.split(items[1], at: "&")
        isInQuery = true
        separator = "?"
      }
      // The text before the first separator belongs to the path, or to the value that the previous piece began.
      for (index, item) in items.enumerated() {
        var value = item
        if index > 0 {
          // An item without "=" has only a value; its name is empty.
          let halves = Self.split(item, at: "=", most: 1)
          (name, value) = halves.count > 1 ? (halves[0], halves[1]) : ("", item)
          copy.append(halves.count > 1 ? "\(separator)\(name)=" : separator)
          separator = "&"
        }
        if !value.isEmpty, SecretName.matches(name.removingPercentEncoding ?? name) {
          copy.pieces.append(.secret(Secret(name: name, value: value, source: .literal), Writing()))
        } else {
          copy.append(value)
        }
      }
    }
    return copy
  }

  private static func split(_ text: String, at sign: Unicode.Scalar, most: Int = .max) -> [String] {
    text.utf8.split(
      separator: UInt8(ascii: sign), maxSplits: most, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
  }

  private mutating func append(_ text: String) { self = self + Template(literal: text) }
}
