import Foundation

/// A table from patterns of file names to media types.
///
/// Follows the shared-mime-info specification, section 2.5 ("The glob files"): the highest weight wins,
/// then the longest pattern; patterns match without regard to case unless they are marked `cs`.
public struct NameTable: Sendable {
  /// What people know the table as, for example `mime.types`.
  public let title: String

  /// The best pattern and its type, the first in the table's order; nil if the name says nothing of the
  /// content.
  struct Match {
    var pattern: String
    var type: MediaType?
    var weight: Int
    /// Whether the table gives the pattern other types as well.
    var isAmbiguous = false
  }

  /// `.jpg` and `.tar.gz`: nearly all of a table, so found by hash. The key is the pattern's text
  /// without the star.
  private var suffixes: [Key: Match] = [:]
  /// `makefile`: patterns without any wildcard.
  private var names: [Key: Match] = [:]
  /// `*.so.[0-9]*`: about a dozen, tried one after the other.
  private var globs: [Key: Match] = [:]
  private var longestSuffix = 0

  private struct Key: Hashable {
    var text: String
    var isCaseSensitive: Bool
  }

  /// - Parameter expected: how many patterns will be added, or about as many.
  init(title: String, expected: Int = 0) {
    self.title = title
    suffixes.reserveCapacity(expected)
  }

  /// How many patterns the table holds.
  public var count: Int { suffixes.count + names.count + globs.count }

  /// Adds one pattern.
  mutating func add(
    pattern: String, type: MediaType?, weight: Int = usualWeight, isCaseSensitive: Bool = false
  ) {
    let pattern = isCaseSensitive ? pattern : pattern.lowercased()
    let wildcards = pattern.utf8.count { Self.isWildcard($0) }
    if wildcards == 0 {
      Self.merge(&names, pattern, pattern, type, weight, isCaseSensitive)
    } else if wildcards == 1, pattern.utf8.starts(with: "*.".utf8) {
      Self.merge(&suffixes, String(pattern.dropFirst()), pattern, type, weight, isCaseSensitive)
      longestSuffix = max(longestSuffix, pattern.utf8.count - 1)
    } else {
      Self.merge(&globs, pattern, pattern, type, weight, isCaseSensitive)
    }
  }

  private static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
  }

  private static func merge(
    _ table: inout [Key: Match], _ text: String, _ pattern: String, _ type: MediaType?,
    _ weight: Int,
    _ isCaseSensitive: Bool
  ) {
    let key = Key(text: text, isCaseSensitive: isCaseSensitive)
    guard let known = table[key], known.weight >= weight else {
      table[key] = Match(pattern: pattern, type: type, weight: weight)
      return
    }
    if known.weight == weight, known.type != type { table[key]?.isAmbiguous = true }
  }

  /// The best pattern for a name, nil if none matches.
  func match(_ name: FileName) -> Match? {
    var best: Match?
    func consider(_ candidate: Match?) {
      guard let candidate else { return }
      if let best,
        (best.weight, best.pattern.utf8.count) >= (candidate.weight, candidate.pattern.utf8.count)
      {
        return
      }
      best = candidate
    }
    // A whole name beats any wildcard.
    if let exact = names[Key(text: name.exact, isCaseSensitive: true)]
      ?? names[Key(text: name.folded, isCaseSensitive: false)]
    {
      return exact
    }
    for suffix in name.suffixes(upTo: longestSuffix) {
      consider(suffixes[Key(text: suffix.exact, isCaseSensitive: true)])
      consider(suffixes[Key(text: suffix.folded, isCaseSensitive: false)])
    }
    for (key, candidate) in globs {
      let text = key.isCaseSensitive ? name.exact : name.folded
      if fnmatch(key.text, text, 0) == 0 { consider(candidate) }
    }
    return best
  }
}
