/// Lays out JSON for reading: a member or element on each line, two spaces for each level.
///
/// Nothing is interpreted: only the white space between tokens changes; numbers, escapes and the order of
/// members stay the same. Text that is not JSON is left unchanged.
enum JSONText {
  /// `text` laid out; `nil` if it is not a JSON object or array, is cut off, or is nested so deeply that it would
  /// become many times as long.
  static func pretty(_ text: String) -> String? {
    var result = String.UnicodeScalarView()
    var open: [Unicode.Scalar] = []
    var isInString = false
    var isEscaped = false
    var isEmpty = true  // Nothing has followed the opening bracket.
    // Short texts may grow more in proportion than long ones.
    var room = 4 * text.utf8.count + 4096
    func newLine() {
      room -= 1 + 2 * open.count
      result.append("\n")
      result.append(contentsOf: String(repeating: "  ", count: open.count).unicodeScalars)
    }
    for scalar in text.unicodeScalars {
      guard room > 0 else { return nil }
      room -= 1
      if isInString {
        result.append(scalar)
        isInString = isEscaped || scalar != "\""
        isEscaped = !isEscaped && scalar == "\\"
        continue
      }
      switch scalar {
      case " ", "\t", "\n", "\r": continue
      case "{", "[":
        if !open.isEmpty, isEmpty { newLine() }
        guard open.count < 64 else { return nil }
        result.append(scalar)
        open.append(scalar)
        isEmpty = true
      case "}", "]":
        guard open.popLast() == (scalar == "}" ? "{" : "[") else { return nil }
        if !isEmpty { newLine() }
        result.append(scalar)
        isEmpty = false
      case ",":
        guard !open.isEmpty, !isEmpty else { return nil }
        result.append(scalar)
        newLine()
      case ":":
        guard open.last == "{" else { return nil }
        result.append(contentsOf: ": ".unicodeScalars)
      default:
        guard !open.isEmpty else { return nil }
        if isEmpty { newLine() }
        isEmpty = false
        isInString = scalar == "\""
        result.append(scalar)
      }
    }
    return open.isEmpty && !isInString && !result.isEmpty ? String(result) : nil
  }
}
