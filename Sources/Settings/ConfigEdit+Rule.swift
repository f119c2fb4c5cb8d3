import ScalarText
import UploadModel

/// Adds rules that judge replies, line by line.
extension ConfigEdit {
  /// The text with `rule` before all others that say when a reply means failure for the target called `name`.
  package func writing(_ rule: FailureRule, to name: String) throws(ConfigError) -> String {
    var wanted = try meaning(with: name)
    wanted.targets[name]?.response.failures.insert(rule, at: 0)
    let list = TargetText.of([rule])
    return try checked(
      adding(list, to: name), means: wanted,
      or:
        "write fail_when = \(list) into the response table of targets.\(TOMLText.key(name)) yourself"
    )
  }

  /// The text stays as it is if it has no place for the rule that is easy to recognise.
  private func adding(_ list: String, to name: String) -> String {
    var lines = rows
    let (places, entry) = (KeyLocator(text), "fail_when = \(list)")
    func row(_ keys: String...) -> Int? {
      places.line(ofExactly: ["targets", name] + keys).map { $0 - 1 }
    }
    func insert(_ line: String, after row: Int) {
      let ending = lines.first?.unicodeScalars.last == "\r" ? "\r" : ""
      lines.insert(line + ending, at: row + 1)
    }
    func isHeader(_ row: Int) -> Bool {
      lines[row].trimming(\.isWhiteSpace).hasPrefix(scalars: "[")
    }
    if let row = row("response", "fail_when") ?? row("response"),
      let line = Self.extending(lines[row], with: list)
    {
      lines[row] = line
    } else if let row = row("response"), isHeader(row) {
      insert(entry, after: row)
    } else if let row = row("response"), let open = Self.inlineTable(lines[row]) {
      let isEmpty = lines[row].unicodeScalars[open...].drop { $0 == " " }.first == "}"
      lines[row].unicodeScalars.insert(
        contentsOf: " \(entry)\(isEmpty ? " " : ",")".unicodeScalars, at: open)
    } else if let row = row(), isHeader(row) {
      insert("response.\(entry)", after: row)
    }
    return lines.joined(separator: "\n")
  }

  /// The place after the brace of a line such as `response = { url = "/url" }`; nil for any other line.
  private static func inlineTable(_ line: String) -> String.Index? {
    line.firstMatch(of: /response\s*=\s*\{/)?.range.upperBound
  }

  /// The line with the rules of `list` before its own; nil if they cannot be told.
  private static func extending(_ line: String, with list: String) -> String? {
    guard let open = line.firstMatch(of: /fail_when\s*=\s*\[/)?.range.upperBound,
      let rules = list.removingPrefix(scalars: "[")
    else { return nil }
    let text = String(rules.unicodeScalars.dropLast()).trimming(\.isWhiteSpace)
    let rest = line[open...]
    let isEmpty = rest.unicodeScalars.drop { $0 == " " }.first == "]"
    let comma = rest.unicodeScalars.first.map(\.isWhiteSpace) == false ? ", " : ","
    return "\(line[..<open]) \(text)\(isEmpty ? " " : comma)\(rest)"
  }
}
