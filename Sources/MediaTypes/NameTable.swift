import Foundation

/// A table from patterns of file names to media types.
///
/// Follows the shared-mime-info specification, section 2.5 ("The glob files"): the highest weight wins,
/// then the longest pattern; patterns match without regard to case unless they are marked `cs`.
public struct NameTable: Sendable {
  /// The name of the table for people, for example `mime.types`.
  public let title: String

  /// The best pattern and the first type that the table gives it. A nil type means that the name reveals nothing about
  /// the content.
  struct Match {
    var pattern: String
    var type: MediaType?
    var weight: Int
    /// Whether the table also gives the pattern other types.
    var isAmbiguous = false

    /// The higher, the better.
    var rank: (Int, Int) { (weight, pattern.utf8.count) }
  }

  /// Patterns such as `*.jpg` and `*.tar.gz`, which are nearly all of a table, by the hash of the text after the first
  /// dot. Each start of the program reads the whole table but looks up only a few names, so a row only refers to the
  /// table's text, and is decoded when it is found.
  private var suffixes: [UInt64: Row] = [:]
  private var text: [UInt8]

  // Kept small: every program that guesses holds thousands of rows in memory.
  private struct Row {
    /// The places of the suffix, without `*.`, and of its type in the table's text.
    var suffix: Part
    var type: Part?
    var weight: Int16
    var isCaseSensitive: Bool
    var isAmbiguous = false
  }

  private struct Part {
    let start: UInt32
    let count: UInt16

    /// Nil if the range is too large, which does not happen with a sensible table.
    init?(_ range: Range<Int>) {
      guard let start = UInt32(exactly: range.lowerBound), let count = UInt16(exactly: range.count)
      else { return nil }
      (self.start, self.count) = (start, count)
    }
  }

  /// Patterns without any wildcard, such as `makefile`.
  private var names: [Key: Match] = [:]
  /// All other patterns, such as `*.so.[0-9]*`. There are about a dozen, which are tried one after the other.
  private var globs: [Key: Match] = [:]
  private var longestSuffix = 0

  private struct Key: Hashable {
    let text: String
    let isCaseSensitive: Bool
    private let ends: FileName.Ends

    init(text: String, isCaseSensitive: Bool) {
      (self.text, self.isCaseSensitive) = (text, isCaseSensitive)
      ends = FileName.Ends(text)
    }

    /// Whether the pattern matches a name.
    func matches(_ name: FileName) -> Bool {
      let found = isCaseSensitive ? name.exactEnds : name.foldedEnds
      guard Self.fits(ends.first, found.first), Self.fits(ends.last, found.last) else {
        return false
      }
      let name = isCaseSensitive ? name.exact : name.folded
      // As an argument, the pattern would first be copied to an array.
      return text.withCString { pattern in name.withCString { fnmatch(pattern, $0, 0) } } == 0
    }

    /// Whether a byte at either end of a pattern allows this one at the same end of a name. Most patterns are ruled out
    /// by that, and `fnmatch` is slow.
    private static func fits(_ pattern: UInt8?, _ byte: UInt8?) -> Bool {
      guard let pattern, !isWildcard(pattern), !"]\\".utf8.contains(pattern) else { return true }
      return pattern == byte
    }
  }

  /// A table with this source, to which about `expected` patterns will be added.
  init(title: String, text: [UInt8] = [], expected: Int = 0) {
    self.title = title
    self.text = text
    suffixes.reserveCapacity(expected)
  }

  /// How many patterns the table contains.
  public var count: Int { suffixes.count + names.count + globs.count }

  mutating func add(
    pattern: String, type: MediaType?, weight: Int = usualWeight, isCaseSensitive: Bool = false
  ) {
    let pattern = isCaseSensitive ? pattern : pattern.lowercased()
    let wildcards = pattern.utf8.count { Self.isWildcard($0) }
    if wildcards == 0 {
      Self.merge(&names, pattern, type, weight, isCaseSensitive)
    } else if wildcards == 1, pattern.utf8.starts(with: "*.".utf8) {
      let suffix = append(pattern.utf8.dropFirst(2))
      add(
        suffix: suffix, type: type.map { append($0.description.utf8) }, weight: weight,
        isCaseSensitive: isCaseSensitive)
    } else {
      Self.merge(&globs, pattern, type, weight, isCaseSensitive)
    }
  }

  /// Adds the pattern `*.suffix`; the ranges say where the text contains the suffix and its type.
  mutating func add(
    suffix: Range<Int>, type: Range<Int>?, weight: Int = usualWeight, isCaseSensitive: Bool = false
  ) {
    guard let part = Part(suffix) else { return }
    let key = Self.hash(text[suffix], isCaseSensitive)
    let (type, weight) = (type.flatMap(Part.init), Int16(clamping: weight))
    longestSuffix = max(longestSuffix, suffix.count + 1)
    guard let known = suffixes[key], known.weight >= weight else {
      suffixes[key] = Row(
        suffix: part, type: type, weight: weight, isCaseSensitive: isCaseSensitive)
      return
    }
    if known.weight == weight, known.type.map(bytes) != type.map(bytes) {
      suffixes[key]?.isAmbiguous = true
    }
  }

  private mutating func append(_ bytes: some Collection<UInt8>) -> Range<Int> {
    let start = text.count
    text += bytes
    return start..<text.count
  }

  private func bytes(_ part: Part) -> ArraySlice<UInt8> {
    text[Int(part.start)...].prefix(Int(part.count))
  }

  /// FNV-1a, of the bytes in lower case unless case matters.
  private static func hash(_ bytes: some Sequence<UInt8>, _ isCaseSensitive: Bool) -> UInt64 {
    var hash: UInt64 = isCaseSensitive ? 0x8422_2325_CBF2_9CE4 : 0xCBF2_9CE4_8422_2325
    for byte in bytes {
      let byte = isCaseSensitive ? byte : MediaType.lowercased(byte)
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return hash
  }

  /// The pattern for the end of a name after a dot, which is in lower case unless case matters. Nil if the table has
  /// none, or its type is not valid.
  private func match(_ suffix: ArraySlice<UInt8>, isCaseSensitive: Bool) -> Match? {
    guard let row = suffixes[Self.hash(suffix, isCaseSensitive)],
      row.isCaseSensitive == isCaseSensitive
    else { return nil }
    // Two suffixes may have the same hash.
    let isSame = bytes(row.suffix).elementsEqual(suffix) { known, byte in
      byte == (isCaseSensitive ? known : MediaType.lowercased(known))
    }
    let type = row.type.flatMap { MediaType(String(decoding: bytes($0), as: UTF8.self)) }
    guard isSame, row.type == nil || type != nil else { return nil }
    return Match(
      pattern: "*.\(String(decoding: suffix, as: UTF8.self))", type: type,
      weight: Int(row.weight), isAmbiguous: row.isAmbiguous)
  }

  static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
  }

  private static func merge(
    _ table: inout [Key: Match], _ pattern: String, _ type: MediaType?, _ weight: Int,
    _ isCaseSensitive: Bool
  ) {
    let key = Key(text: pattern, isCaseSensitive: isCaseSensitive)
    guard let known = table[key], known.weight >= weight else {
      table[key] = Match(pattern: pattern, type: type, weight: weight)
      return
    }
    if known.weight == weight, known.type != type { table[key]?.isAmbiguous = true }
  }

  /// The best pattern for a name; nil if none matches.
  func match(_ name: FileName) -> Match? {
    var best: Match?
    func consider(_ candidate: Match?) {
      guard let candidate else { return }
      if let best, best.rank >= candidate.rank { return }
      best = candidate
    }
    // A whole name beats any wildcard.
    if let exact = wholeName(name) { return exact }
    for suffix in name.suffixes where suffix.exact.count < longestSuffix {
      consider(match(suffix.exact, isCaseSensitive: true))
      consider(match(suffix.folded, isCaseSensitive: false))
    }
    for (key, candidate) in globs where key.matches(name) { consider(candidate) }
    return best
  }

  /// Whether only the suffixes of a name decide what `match` finds for it.
  func goesBySuffix(_ name: FileName) -> Bool {
    wholeName(name) == nil && !globs.keys.contains { $0.matches(name) }
  }

  private func wholeName(_ name: FileName) -> Match? {
    if names.isEmpty { return nil }
    return names[Key(text: name.exact, isCaseSensitive: true)]
      ?? names[Key(text: name.folded, isCaseSensitive: false)]
  }
}
