import ScalarText
import UploadModel

// All text in here is Unicode scalars.

/// Changes a .NET regular expression so that the wanted group is the first one that it captures, since hoist uses that
/// one.
struct CapturedGroup {
  private struct Group {
    /// The range of `(` or `(?<name>`.
    var opening: Range<Int>
    var name: String?
  }

  private let expression: String
  private let source: [Unicode.Scalar]
  private let groups: [Group]

  init(_ expression: String) {
    (self.expression, source) = (expression, Array(expression.unicodeScalars))
    groups = Self.groups(in: source)
  }

  /// The pattern whose value is this group, given by its name or number; nil or 0 stands for the whole match.
  func pattern(of group: String?) throws(InvalidInput) -> Pattern {
    let pattern = try Pattern(expression)
    guard let group, !group.isEmpty, group != "0" else {
      return pattern.groups == 0 ? pattern : try rewritten(pattern, "(\(expression))")
    }
    guard let wanted = position(of: group) else {
      throw InvalidInput("the regular expression has no group \(group)")
    }
    if wanted == 0 { return pattern }
    var result: [Unicode.Scalar] = []
    var end = 0
    for (position, group) in groups.enumerated() where position <= wanted {
      result += source[end..<group.opening.lowerBound]
      result += (position == wanted ? "(" : "(?:").unicodeScalars
      end = group.opening.upperBound
    }
    return try rewritten(pattern, String(String.UnicodeScalarView(result + source[end...])))
  }

  /// Parses `text`, the expression with its groups changed. The original, `pattern`, must not refer to its own groups,
  /// and PCRE2 must find as many groups in the original as `groups` has.
  private func rewritten(_ pattern: Pattern, _ text: String) throws(InvalidInput) -> Pattern {
    guard !pattern.refersBack, pattern.groups == groups.count else {
      throw InvalidInput(
        "hoist uses the first group of a regular expression; rewrite it so that the first group is "
          + "the one you want"
      )
    }
    return try Pattern(text)
  }

  /// The index of a group by its name, or by its number in .NET, where unnamed groups come first
  /// (https://learn.microsoft.com/dotnet/standard/base-types/grouping-constructs-in-regular-expressions).
  private func position(of group: String) -> Int? {
    guard let number = Int(group) else { return groups.firstIndex { $0.name == group } }
    let order =
      groups.indices.filter { groups[$0].name == nil }
      + groups.indices.filter { groups[$0].name != nil }
    return number >= 1 && number <= order.count ? order[number - 1] : nil
  }

  private static func groups(in source: [Unicode.Scalar]) -> [Group] {
    var groups: [Group] = []
    var index = 0
    while index < source.count {
      switch source[index] {
      case "\\": index += 2
      case "[": index = endOfSet(source, from: index)
      case "(":
        let rest = source[(index + 1)...]
        if rest.first != "?" {
          groups.append(Group(opening: index..<(index + 1)))
        } else if let group = named(source, at: index) {
          groups.append(group)
        }
        index += 1
      default: index += 1
      }
    }
    return groups
  }

  /// The index after `[…]`. A `]` at the beginning of the set stands for itself.
  private static func endOfSet(_ source: [Unicode.Scalar], from start: Int) -> Int {
    var index = start + 1
    if index < source.count, source[index] == "^" { index += 1 }
    if index < source.count, source[index] == "]" { index += 1 }
    while index < source.count, source[index] != "]" { index += source[index] == "\\" ? 2 : 1 }
    return index + 1
  }

  /// `(?<name>` or `(?'name'`.
  private static func named(_ source: [Unicode.Scalar], at index: Int) -> Group? {
    let rest = source[(index + 2)...]
    guard let open = rest.first, open == "<" || open == "'",
      let next = rest.dropFirst().first, next != "=", next != "!",
      let end = rest.dropFirst().firstIndex(of: open == "<" ? ">" : "'")
    else { return nil }
    let name = source[(index + 3)..<end].map(String.init).joined()
    return Group(opening: index..<(end + 1), name: name)
  }
}
