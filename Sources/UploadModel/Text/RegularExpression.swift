import CPCRE2

/// A regular expression in Perl's syntax (pcre2pattern(3)).
///
/// `\d`, `\w`, `\s` and `\b` mean ASCII unless the expression starts with `(*UCP)`; `(?i)` ignores case in all of
/// Unicode. Lines end with CR, LF or CRLF: `.` matches neither character, and `$` also matches before a line ending at
/// the end of the text.
///
/// Unchecked: `code` is never changed once compiled; several threads may then match with it (pcre2api(3),
/// "Multithreading"). All state that changes during a search belongs to that search.
package final class RegularExpression: @unchecked Sendable {
  private let code: OpaquePointer

  /// How many groups the expression captures, not counting the whole match.
  package let groups: Int
  /// Whether the expression has back references.
  package let refersBack: Bool

  static let mostBytes = 4000

  package init(_ source: String) throws(Mistake) {
    guard source.utf8.count <= Self.mostBytes else {
      throw Mistake("is longer than \(Self.mostBytes) bytes")
    }
    // For each \X, PCRE2 looks back through the text, which counts as one step however far it looks.
    guard !Self.hasEscape("X", in: source) else { throw Mistake("has \\X, which can take forever") }
    let context = pcre2_compile_context_create_8(nil)
    defer { pcre2_compile_context_free_8(context) }
    guard let context else { throw Mistake("cannot be compiled: out of memory") }
    // PCRE2's default line ending depends on how the library was built.
    pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_ANYCRLF))
    // `SearchBudget` counts the automatic callouts. \C could cut a character in two.
    let options = PCRE2_UTF | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C
    var (error, place) = (Int32(0), 0)
    let bytes = Array(source.utf8)
    guard let code = pcre2_compile_8(bytes, bytes.count, options, &error, &place, context) else {
      let character = String(decoding: bytes.prefix(place), as: UTF8.self).unicodeScalars.count
      throw Mistake("is invalid near character \(max(character, 1)): \(Self.words(error))")
    }
    self.code = code
    groups = Int(Self.number(PCRE2_INFO_CAPTURECOUNT, of: code))
    refersBack = Self.number(PCRE2_INFO_BACKREFMAX, of: code) > 0
  }

  deinit { pcre2_code_free_8(code) }

  /// The leftmost match and its captured groups; nil if there is no match. Takes at most this many steps.
  package func firstMatch(
    in text: String, steps: Int = SearchBudget.steps
  ) throws(SearchEnded) -> [String?]? {
    try text.utf8.span.withUnsafeBufferPointer { (text) throws(SearchEnded) in
      var budget = SearchBudget(steps: steps, countsGroups: refersBack)
      return try search(text, from: 0, &budget).map { Self.captures(in: text, $0) }
    }
  }

  /// The text with the first match, or all matches, replaced by the words for the match and its captured groups.
  package func replacing(
    all: Bool, in text: String, steps: Int = SearchBudget.steps, with words: ([String?]) -> String
  ) throws(SearchEnded) -> String {
    try text.utf8.span.withUnsafeBufferPointer { (text) throws(SearchEnded) in
      var budget = SearchBudget(steps: steps, countsGroups: refersBack)
      var (result, copied, start) = ([UInt8](), 0, 0)
      while start <= text.count, let places = try search(text, from: start, &budget) {
        // With \K in a lookaround, a match may lie before the place where the search began.
        guard let match = places[0], match.lowerBound >= copied else { break }
        result += text[copied..<match.lowerBound]
        result += words(Self.captures(in: text, places)).utf8
        copied = match.upperBound
        if !all { break }
        start = copied
        // After an empty match, the search continues after the next character.
        if match.isEmpty {
          start += 1
          while start < text.count, text[start] & 0xC0 == 0x80 { start += 1 }
        }
      }
      return String(decoding: result + text[copied...], as: UTF8.self)
    }
  }

  /// The ranges of the leftmost match from `start` on and of its groups; nil if there is no match.
  private func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, _ budget: inout SearchBudget
  ) throws(SearchEnded) -> [Range<Int>?]? {
    let (data, context) = (
      pcre2_match_data_create_from_pattern_8(code, nil), pcre2_match_context_create_8(nil)
    )
    defer {
      pcre2_match_data_free_8(data)
      pcre2_match_context_free_8(context)
    }
    guard let data, let context else { throw SearchEnded() }
    let status = withUnsafeMutablePointer(to: &budget) { budget in
      pcre2_set_callout_8(context, SearchBudget.spend, budget)
      pcre2_set_heap_limit_8(context, SearchBudget.kibibytes)
      return pcre2_match_8(code, text.baseAddress, text.count, start, 0, data, context)
    }
    switch status {
    case PCRE2_ERROR_NOMATCH: return nil
    case ..<0: throw SearchEnded()
    default: return Self.places(in: text, data)
    }
  }

  private static func places(
    in text: UnsafeBufferPointer<UInt8>, _ data: OpaquePointer
  ) -> [Range<Int>?] {
    let count = Int(pcre2_get_ovector_count_8(data))
    let places = UnsafeBufferPointer(start: pcre2_get_ovector_pointer_8(data), count: 2 * count)
    return stride(from: 0, to: places.count, by: 2).map { index in
      let (start, end) = (places[index], places[index + 1])
      // PCRE2_UNSET, if the group captured nothing, is -1 as an Int.
      return 0 <= start && start <= end && end <= text.count ? start..<end : nil
    }
  }

  private static func captures(
    in text: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>?]
  ) -> [String?] {
    places.enumerated().map { index, place in
      // In a lookahead, \K can put the start of a match after its end. That still counts as a match.
      place.map { String(decoding: text[$0], as: UTF8.self) } ?? (index == 0 ? "" : nil)
    }
  }

  private static func hasEscape(_ letter: Unicode.Scalar, in source: String) -> Bool {
    var isEscaped = false
    for scalar in source.unicodeScalars {
      if isEscaped, scalar == letter { return true }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return false
  }

  private static func number(_ property: Int32, of code: OpaquePointer) -> UInt32 {
    var number: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(property), &number)
    return number
  }

  private static func words(_ error: Int32) -> String {
    var text = [UInt8](repeating: 0, count: 256)
    pcre2_get_error_message_8(error, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Why something is not a regular expression, to be read after "the regular expression".
  package struct Mistake: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
  }

  /// A search ran out of steps or memory before it was known whether there is a match.
  package struct SearchEnded: Error {}
}
