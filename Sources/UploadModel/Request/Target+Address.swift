import Foundation
import ScalarText

extension Target {
  /// The address of a request with secrets marked. Not only the query items of the configuration but also the query of
  /// the URL itself can contain a key.
  package func addressStretches(with values: Template.Values) -> [Template.Filled] {
    // Most addresses have no placeholder, and no query that could contain a key.
    let text = url.absoluteString
    if address == nil, query.isEmpty, !text.utf8.contains(UInt8(ascii: "?")) {
      return [.text(text)]
    }
    return (address ?? Template(literal: text)).hidingQuery().address(with: values, query: query)
  }
}

extension Template {
  /// The address with its placeholders filled in and the query items added.
  func address(with values: Values, query: [Target.Field]) -> [Filled] {
    var stretches = stretches(with: values)
    guard !query.isEmpty else { return stretches }
    let address = stretches.written
    var separator = "?"
    if address.contains(scalars: "?") { separator = address.hasSuffix(scalars: "?") ? "" : "&" }
    for field in query {
      stretches.append(.text("\(separator)\(PercentEncoding.encode(field.name))="))
      stretches += field.value.stretches(with: values).map(\.encoded)
      separator = "&"
    }
    return stretches
  }
}

extension [Target.Field] {
  /// The fields as an `application/x-www-form-urlencoded` body with secrets marked.
  func encoded(with values: Template.Values) -> RequestHead.Text {
    enumerated().flatMap { index, field -> RequestHead.Text in
      [.text("\(index == 0 ? "" : "&")\(PercentEncoding.encode(field.name))=")]
        + field.value.stretches(with: values).map(\.encoded)
    }
  }
}

extension [Template.Filled] {
  /// The text as it is sent.
  package var written: String {
    // Most texts are a single piece.
    if count == 1, case .text(let text) = self[0] { return text }
    return map { stretch in
      switch stretch {
      case .text(let text): text
      case .secret(_, let written): written
      case .unfilled(let placeholder): placeholder
      }
    }.joined()
  }

  /// Whether the text contains no secrets and no unfilled placeholders.
  package var isPublic: Bool { allSatisfy { if case .text = $0 { true } else { false } } }

  /// The text as it may be shown, with `$NAME` for each secret.
  package var shown: String {
    map { stretch in
      switch stretch {
      case .text(let text): text
      case .secret(let secret, _): "$\(secret.variable)"
      case .unfilled(let placeholder): placeholder
      }
    }.joined()
  }
}
