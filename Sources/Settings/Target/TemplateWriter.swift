import JSONText
import UploadModel

/// Writes texts with placeholders to the configuration: the counterpart of `TemplateReader`.
struct TemplateWriter: Sendable {
  /// Whether literal secrets in the configuration are written out rather than as "…".
  let isRevealing: Bool
  let showsDefaults: Bool

  var withoutDefaults: TemplateWriter {
    TemplateWriter(isRevealing: isRevealing, showsDefaults: false)
  }

  func source(_ template: Template) -> String { template.source(isRevealing: isRevealing) }

  func string(_ template: Template) -> String { TOMLText.string(source(template)) }

  func pairs(_ fields: [Target.Field]) -> String? {
    table(fields.map { (Template.braced($0.name), string($0.value)) })
  }

  /// A table; nil if it has no entries.
  func table(_ entries: TOMLText.Entries) -> String? {
    entries.contains { $0.value != nil } ? TOMLText.table(entries) : nil
  }

  /// JSON text as a TOML value; nil if reading that value would not give the same text. TOML has no null and no
  /// whole number beyond `Int64`, and the reader produces only one spelling of JSON.
  func json(_ template: Template) -> String? {
    // Replace placeholders by marks. All marks are inside strings: those that stand for numbers get quotation marks.
    let (text, slots) = template.marked(isRevealing: isRevealing)
    guard let value = JSONValue(text: text), value.source == text, !value.isBeyondTOML else {
      return nil
    }
    return TOMLText.json(value) { text in
      text.unicodeScalars.map { scalar -> String in
        let index = Int(scalar.value) - Int(Template.firstMark)
        return slots.indices.contains(index) ? slots[index] : Template.braced(String(scalar))
      }.joined()
    }
  }
}

extension JSONValue {
  fileprivate var isBeyondTOML: Bool {
    switch self {
    case .null, .longInteger: true
    case .array(let values): values.contains(where: \.isBeyondTOML)
    case .object(let members): members.values.contains(where: \.isBeyondTOML)
    case .bool, .integer, .number, .string: false
    }
  }
}
