import ScalarText

/// What a target takes. Checked before anything is sent.
public struct UploadLimits: Hashable, Sendable {
  /// The largest file, in bytes; nil for any size.
  public var maxBytes: Int64?
  /// Whether files without content are taken.
  public var takesEmpty: Bool
  /// The media types that are taken; empty for any.
  public var types: [TypePattern]

  /// Limits like these; none unless said otherwise.
  public init(maxBytes: Int64? = nil, takesEmpty: Bool = true, types: [TypePattern] = []) {
    self.maxBytes = maxBytes
    self.takesEmpty = takesEmpty
    self.types = types
  }

  /// Why a file of this size and type is not taken; nil where it is.
  public func refusal(ofSize size: Int64, type: String) -> Failure.Cause? {
    if size == 0, !takesEmpty { return .empty }
    if let maxBytes, size > maxBytes { return .tooLarge(limit: maxBytes) }
    guard types.isEmpty || types.contains(where: { $0.matches(type) }) else {
      return .typeNotAllowed(type, allowed: types.map(\.description))
    }
    return nil
  }
}

/// A media type, or all of one kind: `image/jpeg`, `image/*` (RFC 9110 §12.5.1).
public struct TypePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern in lower case.
  public let description: String

  /// The pattern in `text`; nil where it is none.
  public init?(_ text: String) {
    let halves = text.lowercased().split(scalar: "/")
    let token = Set("!#$%&'+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }), halves[0] != "*",
      halves[0].utf8.allSatisfy(token.contains),
      halves[1] == "*" || halves[1].utf8.allSatisfy(token.contains)
    else { return nil }
    description = text.lowercased()
  }

  /// Whether a media type, with or without parameters, is one of these.
  public func matches(_ type: String) -> Bool {
    let type = type.lowercased().utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    if description.hasSuffix(scalars: "/*") {
      return type.starts(with: description.utf8.dropLast())
    }
    return type.elementsEqual(description.utf8)
  }
}
