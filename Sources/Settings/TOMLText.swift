import JSONText
import ScalarText

/// Writes values the way TOML wants them (https://toml.io/en/v1.0.0).
enum TOMLText {
  /// A key, bare if possible.
  static func key(_ name: String) -> String {
    isBare(name) ? name : string(name)
  }

  /// Whether a key needs no quotation marks.
  static func isBare(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || "-_".utf8.contains($0) }
  }

  /// A string on one line, in the literal form if the other would need escapes.
  static func string(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let hasControl = scalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    if !hasControl, !scalars.contains(where: { $0 == "\"" || $0 == "\\" }) { return "\"\(text)\"" }
    if !hasControl, !scalars.contains("'") { return "'\(text)'" }
    // As in JSON, and DEL as well.
    return "\"\(JSONValue.escaped(text).replacing(scalars: "\u{7F}", with: "\\u007f"))\""
  }

  /// `[ a, b ]`.
  static func array(_ values: [String]) -> String {
    values.isEmpty ? "[]" : "[ \(values.joined(separator: ", ")) ]"
  }

  /// The entries of a table; those without a value are left out.
  typealias Entries = [(key: String, value: String?)]

  /// `{ a = 1, b = 2 }`.
  static func table(_ entries: Entries) -> String {
    let parts = lines(entries)
    return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
  }

  /// `a = 1`, for each entry that has a value.
  static func lines(_ entries: Entries) -> [String] {
    entries.compactMap { entry in entry.value.map { "\(key(entry.key)) = \($0)" } }
  }

  /// Seconds as the configuration has them: `"60s"`, `"500ms"`.
  static func seconds(_ seconds: Double) -> String {
    if seconds == seconds.rounded() { return "\"\(Int(seconds))s\"" }
    let milliseconds = seconds * 1000
    return milliseconds == milliseconds.rounded() ? "\"\(Int(milliseconds))ms\"" : "\(seconds)"
  }

  /// A value of JSON; strings and names pass `text` first.
  static func json(_ value: JSONValue, _ text: (String) -> String = { $0 }) -> String {
    switch value {
    // TOML has no null, and no configuration of ours either.
    case .null: "\"\""
    case .bool(let flag): String(flag)
    case .integer(let number): String(number)
    case .number(let number): "\(number)"
    case .string(let string): self.string(text(string))
    case .array(let values): array(values.map { json($0, text) })
    case .object(let members):
      table(members.sorted { $0.key < $1.key }.map { (text($0.key), json($0.value, text)) })
    }
  }
}
