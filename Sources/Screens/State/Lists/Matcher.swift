/// Finds the names that match a text, which may be an abbreviation.
///
/// Each word of the text must be in the name: whole, or in pieces that begin where words of the name do ("rpdf" in
/// "report.pdf"). If the text contains a capital letter, case counts.
///
/// If the text is ASCII, bytes are compared, so that a hundred thousand names can be searched between two key presses.
/// Otherwise, Unicode scalars are compared.
struct Matcher: Hashable, Sendable {
  private let words: [[UInt32]]
  private let isASCII: Bool
  private let foldsCase: Bool

  init(_ text: String) {
    let folds = !text.unicodeScalars.contains(where: \.properties.isUppercase)
    words = text.unicodeScalars.split(whereSeparator: \.isBlank).map { word in
      word.map { folds ? Self.lower($0.value) : $0.value }
    }
    (foldsCase, isASCII) = (folds, text.utf8.allSatisfy { $0 < 0x80 })
  }

  var isEmpty: Bool { words.isEmpty }

  func matches(_ text: String) -> Bool { rank(text) != nil }

  /// Whether each word is in one of the two texts.
  func matches(_ text: String, or other: String) -> Bool {
    if matches(text) { return true }
    return !other.isEmpty && words.allSatisfy { isIn(text, $0) || isIn(other, $0) }
  }

  private func isIn(_ text: String, _ word: [UInt32]) -> Bool {
    guard isASCII else { return find(word, in: text.unicodeScalars.map(\.value), false) != nil }
    var text = text
    return text.withUTF8 { find(word, in: $0, false) != nil }
  }

  /// Whether a text of this rank is just what was typed.
  fileprivate func isAll(of rank: Rank) -> Bool {
    words.count == 1 && rank.kind == .beginning && rank.length == words[0].count
  }

  /// How well a text matches; the best rank is the lowest.
  struct Rank: Comparable, Sendable {
    /// The kind of the worst match among the words.
    enum Kind: Comparable {
      /// The text begins with the word.
      case beginning
      /// A word of the text begins with it.
      case wordStart
      case inside
      /// The text contains it in pieces that begin where words do.
      case pieces
      /// The text contains its characters in their order.
      case scattered
    }

    var kind: Kind
    /// How many pieces all the words are found in.
    var pieces: Int
    /// How long the text is.
    var length: Int

    static func < (one: Rank, other: Rank) -> Bool {
      (one.kind, one.pieces, one.length) < (other.kind, other.pieces, other.length)
    }
  }

  /// How well the text matches; nil if it does not. If `isLoose`, it is enough that the text contains the characters
  /// in their order, which suits a short list that shows the best match first.
  func rank(_ text: String, isLoose: Bool = false) -> Rank? {
    if words.isEmpty { return Rank(kind: .beginning, pieces: 0, length: 0) }
    guard isASCII else { return rank(of: text.unicodeScalars.map(\.value), isLoose) }
    var text = text
    return text.withUTF8 { rank(of: $0, isLoose) }
  }

  /// The positions of the glyphs that match; empty unless all words match.
  func places(in glyphs: [Glyph], isLoose: Bool = false) -> [Int] {
    let units = glyphs.map(\.base.value)
    var places: Set<Int> = []
    for word in words {
      guard let match = find(word, in: units, isLoose) else { return [] }
      for piece in match.pieces { places.formUnion(piece) }
    }
    return places.sorted()
  }

  private func rank(of units: some CodeUnits, _ isLoose: Bool) -> Rank? {
    var rank = Rank(kind: .beginning, pieces: 0, length: units.count)
    for word in words {
      guard let match = find(word, in: units, isLoose) else { return nil }
      rank.kind = max(rank.kind, match.kind)
      rank.pieces += match.pieces.count
    }
    return rank
  }

  private typealias Match = (kind: Rank.Kind, pieces: [Range<Int>])

  private func find(_ word: [UInt32], in units: some CodeUnits, _ isLoose: Bool) -> Match? {
    // This comes first, since most names do not even contain the word's characters.
    guard let scattered = scattered(word, in: units) else { return nil }
    var inside: Int?
    var start = 0
    while start + word.count <= units.count {
      if word.indices.allSatisfy({ folded(units[start + $0]) == word[$0] }) {
        if start == 0 { return (.beginning, [0..<word.count]) }
        if Self.isWordStart(start, of: units) { return (.wordStart, [start..<start + word.count]) }
        inside = inside ?? start
      }
      start += 1
    }
    if let inside { return (.inside, [inside..<inside + word.count]) }
    if let pieces = pieces(word, in: units) { return (.pieces, pieces) }
    return isLoose ? (.scattered, scattered) : nil
  }

  /// The place of each character: where it first occurs after the place of the previous character.
  private func scattered(_ word: [UInt32], in units: some CodeUnits) -> [Range<Int>]? {
    var (pieces, place) = ([Range<Int>](), 0)
    for unit in word {
      while place < units.count, folded(units[place]) != unit { place += 1 }
      guard place < units.count else { return nil }
      if let last = pieces.last, last.upperBound == place {
        pieces[pieces.count - 1] = last.lowerBound..<place + 1
      } else {
        pieces.append(place..<place + 1)
      }
      place += 1
    }
    return pieces
  }

  /// Pieces that begin where words do, each at the start of the next word after the previous piece.
  private func pieces(_ word: [UInt32], in units: some CodeUnits) -> [Range<Int>]? {
    // Nobody types more than this, and only malicious names are longer.
    guard word.count <= 64, units.count <= 1024 else { return nil }
    let starts = units.indices.filter { Self.isWordStart($0, of: units) }
    var tried: Set<Int> = []
    /// The pieces of the word from `done` on; the first begins at one of `places`.
    func rest(_ done: Int, at places: some Sequence<Int>) -> [Range<Int>]? {
      for start in places {
        var length = 0
        while done + length < word.count, start + length < units.count,
          folded(units[start + length]) == word[done + length]
        {
          length += 1
        }
        while length > 0 {
          let (next, end) = (done + length, start + length)
          if next == word.count { return [start..<end] }
          if tried.insert(next << 16 | end).inserted, let rest = rest(next, at: following(end)) {
            return [start..<end] + rest
          }
          length -= 1
        }
      }
      return nil
    }
    /// Where the next word begins, and the places before it that are neither letters nor digits.
    func following(_ end: Int) -> ArraySlice<Int> {
      let after = starts[(starts.firstIndex { $0 >= end } ?? starts.count)...]
      let count = after.firstIndex { Letter(units[$0]) != .none }.map { $0 + 1 } ?? after.endIndex
      return after[..<count]
    }
    return rest(0, at: starts)
  }

  private func folded(_ unit: some FixedWidthInteger) -> UInt32 {
    let value = UInt32(truncatingIfNeeded: unit)
    return foldsCase ? Self.lower(value) : value
  }

  private static func lower(_ value: UInt32) -> UInt32 {
    if value < 0x80 { return (0x41...0x5A).contains(value) ? value | 0x20 : value }
    guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenLowercased else {
      return value
    }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    return lower.count == 1 ? lower.first?.value ?? value : value
  }

  /// Whether a word begins here: at the first character, at each that is neither a letter nor a digit, and wherever the
  /// kind of character (digit, capital or small letter) changes, except from a capital letter to a small one.
  private static func isWordStart(_ place: Int, of units: some CodeUnits) -> Bool {
    guard place > 0 else { return true }
    let (before, here) = (Letter(units[place - 1]), Letter(units[place]))
    return here == .none || before != here && !(before == .capital && here == .small)
  }

  private enum Letter {
    case none, digit, capital, small

    init(_ unit: some FixedWidthInteger) {
      switch unit {
      case 0x30...0x39: self = .digit
      case 0x41...0x5A: self = .capital
      case 0x61...0x7A: self = .small
      default: self = UInt32(truncatingIfNeeded: unit) < 0x80 ? .none : .small
      }
    }
  }
}

/// The bytes or the Unicode scalars of a text.
private protocol CodeUnits: RandomAccessCollection where Element: FixedWidthInteger, Index == Int {}
extension UnsafeBufferPointer: CodeUnits where Element == UInt8 {}
extension Array: CodeUnits where Element == UInt32 {}

extension Sequence {
  /// The elements that match in one of their texts, the best first; equally good ones keep their order. One with a text
  /// that is just what was typed comes first; otherwise, a match in an earlier text ranks above one in a later text. The first text, unlike the others, also matches if it only contains
  /// the characters in their order.
  func ranked(by matcher: Matcher, _ texts: (Element) -> [String]) -> [Element] {
    guard !matcher.isEmpty else { return Array(self) }
    let found = compactMap {
      element -> (isPart: Int, text: Int, rank: Matcher.Rank, element: Element)? in
      let ranks = texts(element).enumerated().compactMap { text, words in
        matcher.rank(words, isLoose: text == 0).map { (text: text, rank: $0) }
      }
      let whole = ranks.first { matcher.isAll(of: $0.rank) }
      return (whole ?? ranks.first).map { (whole == nil ? 1 : 0, $0.text, $0.rank, element) }
    }
    // `sorted` is stable.
    return found.sorted { ($0.isPart, $0.text, $0.rank) < ($1.isPart, $1.text, $1.rank) }.map(
      \.element)
  }
}
