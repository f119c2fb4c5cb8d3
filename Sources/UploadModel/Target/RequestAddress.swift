import Foundation
import ScalarText

extension Target {
  /// The address of a request in stretches that may be shown and such that may not: a URL's own query
  /// can hold a key as well.
  public func addressStretches(with values: Template.Values) -> [Template.Filled] {
    let whole = (address ?? Template(literal: url.absoluteString)).hidingQuery()
    var stretches = whole.stretches(with: values)
    let isInQuery = whole.sample("").contains(scalars: "?")
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
