import Foundation

// All text in here is Unicode scalars.

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
      var rest = text.unicodeScalars[...]
      if !isInQuery {
        guard let mark = rest.firstIndex(of: "?") else {
          copy.append(rest)
          continue
        }
        copy.append(rest[...mark])
        rest = rest[rest.index(after: mark)...]
        isInQuery = true
        name = copy.appendName(from: &rest)
      }
      // The text before the next "&" belongs to the value that the previous piece began.
      while true {
        let value = rest.prefix { $0 != "&" }
        rest = rest[value.endIndex...]
        if !value.isEmpty, SecretName.matches(name.removingPercentEncoding ?? name) {
          let secret = Secret(name: name, value: String(value), source: .literal)
          copy.pieces.append(.secret(secret, Writing()))
        } else {
          copy.append(value)
        }
        guard let separator = rest.popFirst() else { break }
        copy.append(String.UnicodeScalarView([separator])[...])
        name = copy.appendName(from: &rest)
      }
    }
    return copy
  }

  /// Moves the name of a query item and its "=" from `rest` to the template, and returns the name. An item without "="
  /// has only a value; its name is empty.
  private mutating func appendName(from rest: inout Substring.UnicodeScalarView) -> String {
    let item = rest.prefix { $0 != "&" }
    guard let equals = item.firstIndex(of: "=") else { return "" }
    append(item[...equals])
    rest = rest[rest.index(after: equals)...]
    return String(item[..<equals])
  }

  private mutating func append(_ text: Substring.UnicodeScalarView) {
    self = self + Template(literal: String(text))
  }
}
