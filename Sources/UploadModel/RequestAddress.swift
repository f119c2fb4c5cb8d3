import Foundation

extension Target {
  /// The address of a request in stretches that may be shown and such that may not: a URL's own query
  /// can hold a key as well.
  public func addressStretches(with values: Template.Values) -> [Template.Filled] {
    let whole = address?.stretches(with: values) ?? [.text(url.absoluteString)]
    var stretches: [Template.Filled] = []
    var isInQuery = false
    for stretch in whole {
      guard case .text(let text) = stretch, isInQuery || text.contains("?") else {
        stretches.append(stretch)
        continue
      }
      let start = isInQuery ? text.startIndex : text.firstIndex(of: "?") ?? text.endIndex
      stretches.append(.text(String(text[..<start])))
      isInQuery = true
      stretches += Self.hidden(String(text[start...]))
    }
    for (index, field) in query.enumerated() {
      let separator = index == 0 && !isInQuery ? "?" : "&"
      stretches.append(.text("\(separator)\(PercentEncoding.encode(field.name))="))
      stretches += field.value.stretches(with: values).map { stretch in
        switch stretch {
        case .text(let text): .text(PercentEncoding.encode(text))
        case .secret(let secret, let written):
          .secret(secret, written: PercentEncoding.encode(written))
        }
      }
    }
    return stretches
  }

  /// A query with the values kept from view that their names tell to be secrets.
  private static func hidden(_ query: String) -> [Template.Filled] {
    var stretches: [Template.Filled] = []
    for (index, item) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated()
    {
      let separator = index == 0 ? "" : "&"
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0].trimmingPrefix("?"))
      guard halves.count == 2, SecretName.matches(name.removingPercentEncoding ?? name) else {
        stretches.append(.text(separator + item))
        continue
      }
      let secret = Template.Secret(name: name, value: String(halves[1]), source: .literal)
      stretches.append(.text("\(separator)\(halves[0])="))
      stretches.append(.secret(secret, written: secret.value))
    }
    return stretches
  }
}

extension [Template.Filled] {
  /// The text as it may be shown, with `$NAME` for each secret.
  public var shown: String {
    map { stretch in
      switch stretch {
      case .text(let text): text
      case .secret(let secret, _): "$\(secret.variable)"
      }
    }.joined()
  }
}
