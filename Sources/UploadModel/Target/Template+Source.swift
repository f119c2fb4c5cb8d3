import ScalarText

// All text in here is Unicode scalars.

/// How a template is written in a configuration.
extension Template {
  /// The template as it would be written in a configuration, with secrets by name.
  package var source: String { source(isRevealing: false) }

  /// The template as it would be written in a configuration. Unless literal secrets are revealed, "…" stands for each.
  package func source(isRevealing: Bool) -> String {
    pieces.map { Self.source(of: $0, isRevealing) }.joined()
  }

  /// The text with a distinct character (`firstMark` and those after it) in place of each placeholder, and the
  /// placeholders as they would be written. The character for a JSON number is in quotation marks, so that the text
  /// stays JSON.
  package func marked(isRevealing: Bool) -> (text: String, slots: [String]) {
    var (text, slots) = ("", [String]())
    for piece in pieces {
      if case .text(let literal) = piece {
        text += literal
      } else if let mark = Unicode.Scalar(Self.firstMark + UInt32(slots.count)) {
        text += piece.isBare ? "\"\(mark)\"" : "\(mark)"
        slots.append(Self.source(of: piece, isRevealing))
      }
    }
    return (text, slots)
  }

  /// The first character of a plane that nobody uses (Unicode's Supplementary Private Use Area-B).
  package static let firstMark: UInt32 = 0x100000

  private static func source(of piece: Piece, _ isRevealing: Bool) -> String {
    switch piece {
    case .text(let text): braced(text)
    case .slot(let slot, let writing): "{\(slot.name)\(writing.source)}"
    case .secret(let secret, let writing):
      isRevealing && secret.source == .literal
        ? braced(secret.value) : secret.placeholder(written: writing.source)
    case .derived(let value, let writing): "{\(value.source)\(writing.source)}"
    }
  }

  /// The first placeholder in a text that is not a template, without its braces; nil if there is none. A
  /// shell's `${id}` is not one, nor is text between doubled braces.
  package static func firstPlaceholder(in text: String) -> String? {
    var rest = text.unicodeScalars[...]
    var last: Unicode.Scalar?
    while let scalar = rest.popFirst() {
      defer { last = scalar }
      guard scalar == "{", last != "$", last != "{", let close = rest.firstIndex(of: "}") else {
        continue
      }
      let name = String(rest[..<close].prefix { $0 != "|" })
      let isKnown =
        Placeholder(rawValue: name) != nil
        || (["env.", "secret.", "value."] + Placeholder.prefixes).contains {
          name.hasPrefix(scalars: $0)
        }
      if isKnown { return name }
    }
    return nil
  }

  /// Text as written in a template, where each brace is written twice.
  package static func braced(_ text: String) -> String {
    text.replacing(scalars: "{", with: "{{").replacing(scalars: "}", with: "}}")
  }
}
