import ScalarText

/// The name by which an item knows its target: the target's own name or address, and the options that were given with
/// it, such as `--form album`. The values of these options may be secrets, so they are not stored: to send the
/// item again, they have to be given again.
package struct TargetName: Hashable, Sendable {
  /// The name of the target alone.
  package let base: String
  /// The options, sorted.
  package let options: [String]

  private static let opening = " (with --"

  package init(_ base: String, with options: [String]) {
    (self.base, self.options) = (base, options.sorted())
  }

  /// Reads `text`.
  package init(_ text: String) {
    let scalars = text.unicodeScalars
    guard text.hasSuffix(scalars: ")"), let start = text.range(scalars: Self.opening)?.lowerBound
    else {
      self.init(text, with: [])
      return
    }
    let list = String(scalars[start...].dropFirst(Self.opening.unicodeScalars.count).dropLast())
    self.init(String(scalars[..<start]), with: Self.split(list).map { "--\($0)" })
  }

  /// How an item stores it: "desk (with --form album, --header X-Key)".
  package var text: String {
    options.isEmpty ? base : "\(base) (with \(options.joined(separator: ", ")))"
  }

  /// The option for an address whose query is not stored.
  package static let query = "--to with its query"

  /// What has to be given again, for a sentence: "--to and --form album".
  package static func words(_ options: [String]) -> String {
    let all = options.contains(query) ? options : ["--to"] + options
    let last = all.count > 1 ? " and \(all[all.count - 1])" : ""
    return all.prefix(max(1, all.count - 1)).joined(separator: ", ") + last
  }

  /// How the stored name of this target begins if it has options.
  package var beginning: String { base + Self.opening }

  /// The options that `other` lacks.
  package func options(notIn other: TargetName) -> [String] {
    // Both are compared as they would be read.
    var rest = TargetName(other.text).options
    return TargetName(text).options.filter { option in
      guard let place = rest.firstIndex(of: option) else { return true }
      rest.remove(at: place)
      return false
    }
  }

  private static func split(_ list: String) -> [String] {
    var parts: [String] = []
    var rest = list
    while let next = rest.range(scalars: ", --") {
      parts.append(String(rest[..<next.lowerBound]))
      rest = String(rest[next.upperBound...])
    }
    return parts + [rest]
  }
}
