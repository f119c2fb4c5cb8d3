import JSONText
import ScalarText

/// Writes values in TOML syntax (https://toml.io/en/v1.0.0).
enum TOMLText {
  /// A key, without quotation marks if possible.
  static func key(_ name: String) -> String { isBare(name) ? name : string(name) }

  /// Whether a key needs no quotation marks.
  static func isBare(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || "-_".utf8.contains($0) }
  }

  /// A single-line string: in single quotes if it needs escapes in double quotes but not in single ones.
  static func string(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let hasControl = scalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    if !hasControl, !scalars.contains(where: { $0 == "\"" || $0 == "\\" }) { return "\"\(text)\"" }
    if !hasControl, !scalars.contains("'") { return "'\(text)'" }
    // The same escapes as in JSON, except that TOML also requires one for DEL.
    return "\"\(JSONValue.escaped(text).replacing(scalars: "\u{7F}", with: "\\u007f"))\""
  }

  /// `[ a, b ]`.
  static func array(_ values: [String]) -> String {
    values.isEmpty ? "[]" : "[ \(values.joined(separator: ", ")) ]"
  }

  /// The entries of a table; those without a value are omitted.
  typealias Entries = [(key: String, value: String?)]

  /// `{ a = 1, b = 2 }`.
  static func table(_ entries: Entries) -> String {
    let parts = lines(entries)
    return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
  }

  /// `a = 1`, for each entry with a value.
  static func lines(_ entries: Entries) -> [String] {
    entries.compactMap { entry in entry.value.map { "\(key(entry.key)) = \($0)" } }
  }

  /// Seconds in the syntax of the configuration: `"60s"`, `"500ms"`.
  static func seconds(_ seconds: Double) -> String {
    if let whole = Int(exactly: seconds) { return "\"\(whole)s\"" }
    return Int(exactly: seconds * 1000).map { "\"\($0)ms\"" } ?? "\(seconds)"
  }

  /// A JSON value as TOML. Strings and names pass through `text` first.
  static func json(_ value: JSONValue, _ text: (String) -> String = { $0 }) -> String {
    switch value {
    // TOML has no null, and the configuration never has one.
    case .null: "\"\""
    case .bool(let flag): String(flag)
    case .integer(let number): String(number)
    // TOML has no such number either.
    case .longInteger(let digits): string(digits)
    case .number(let number): "\(number)"
    case .string(let string): self.string(text(string))
    case .array(let values): array(values.map { json($0, text) })
    case .object(let members):
      table(members.sorted { $0.key < $1.key }.map { (text($0.key), json($0.value, text)) })
    }
  }
}
