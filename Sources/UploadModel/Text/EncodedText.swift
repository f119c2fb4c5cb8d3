import ScalarText

/// A text in which characters can be written as escapes, searched for secrets.
///
/// The spellings are those in which servers repeat what they were sent: percent-encoding (RFC 3986 §2.1, a
/// space as `+`), escapes of JSON (RFC 8259 §7) and of the languages around it (`\x2f`, `\u{2f}`), and
/// character references of HTML, named, decimal and hexadecimal. Capitals make no difference in them. An
/// escape may stand in another (`%252F`, `\\u002f`).
struct EncodedText {
  private let bytes: [UInt8]
  /// Escaped characters, by their start.
  private let units: [Int: [Unit]]
  /// Where something ends that was spelled in another way: the byte before is no letter of a word.
  private let ends: Set<Int>

  /// One to four bytes and where their spelling ends.
  struct Unit: Equatable {
    /// The bytes, the first one lowest.
    let packed: UInt32
    let count: Int
    let end: Int

    init(_ byte: UInt8, end: Int) { (packed, count, self.end) = (UInt32(byte), 1, end) }

    init(_ scalar: Unicode.Scalar, end: Int) {
      var (packed, count) = (UInt32(0), 0)
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        packed |= UInt32(byte) << (8 * UInt32(count))
        count += 1
      }
      (self.packed, self.count, self.end) = (packed, count, end)
    }

    /// The byte, where it is one.
    var byte: UInt8? { count == 1 ? UInt8(truncatingIfNeeded: packed) : nil }

    /// Whether its bytes stand at a place of a secret.
    func stands(in secret: [UInt8], at place: Int) -> Bool {
      place + count <= secret.count
        && (0..<count).allSatisfy {
          secret[place + $0] == UInt8(truncatingIfNeeded: packed >> (8 * UInt32($0)))
        }
    }
  }

  init(_ text: String) {
    let bytes = Array(text.utf8)
    let spelling = EscapeReader(bytes)
    var (units, ends) = ([Int: [Unit]](), Set<Int>())
    for position in bytes.indices where EscapeReader.begins(with: bytes[position]) {
      let itself = Unit(bytes[position], end: position + 1)
      let found = spelling.units(at: position).filter { $0 != itself }
      if found.isEmpty { continue }
      units[position] = found
      ends.formUnion(found.map(\.end))
    }
    (self.bytes, self.units, self.ends) = (bytes, units, ends)
  }

  /// Where a secret stands.
  ///
  /// - Parameters:
  ///   - asWord: whether it counts only where no letter or digit is beside it.
  ///   - leastAtEnd: how many bytes of it are enough where the text ends in its midst; nil where only all
  ///     of it counts.
  func ranges(of secret: [UInt8], asWord: Bool, leastAtEnd: Int?) -> [Range<Int>] {
    guard let first = secret.first else { return [] }
    var ranges: [Range<Int>] = []
    for start in bytes.indices
    where bytes[start] == first || EscapeReader.begins(with: bytes[start]) {
      if asWord, start > 0, Self.isOfWord(bytes[start - 1]), !ends.contains(start) { continue }
      guard let end = end(of: secret, from: start, leastAtEnd) else { continue }
      if asWord, end < bytes.count, Self.isOfWord(bytes[end]) { continue }
      ranges.append(start..<end)
    }
    return ranges
  }

  /// The text with other text in place of these ranges, those that overlap taken together.
  func replacing(_ ranges: [Range<Int>], with mark: String) -> String {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound < last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    var (kept, position) = ([UInt8](), 0)
    for range in merged {
      kept += bytes[position..<range.lowerBound] + mark.utf8
      position = range.upperBound
    }
    return String(decoding: kept + bytes[position...], as: UTF8.self)
  }

  /// The furthest end of a secret that begins at a position, if one does. Each pair of a place in the
  /// secret and one in the text is looked at once.
  private func end(of secret: [UInt8], from start: Int, _ leastAtEnd: Int?) -> Int? {
    var open = [(matched: 0, position: start)]
    var seen: Set<Int> = []
    var end: Int?
    while var (matched, position) = open.popLast() {
      // Most texts hold no escapes: straight on, as far as there is one way only.
      while matched < secret.count, position < bytes.count, units[position] == nil,
        bytes[position] == secret[matched]
      {
        (matched, position) = (matched + 1, position + 1)
      }
      if matched == secret.count {
        end = max(end ?? 0, position)
        continue
      }
      if let leastAtEnd, matched >= leastAtEnd, isCut(at: position) {
        end = bytes.count
        continue
      }
      guard position < bytes.count, let units = units[position],
        seen.insert(matched * bytes.count + position).inserted
      else { continue }
      if bytes[position] == secret[matched] { open.append((matched + 1, position + 1)) }
      for unit in units where unit.stands(in: secret, at: matched) {
        open.append((matched + unit.count, unit.end))
      }
    }
    return end
  }

  /// Whether the text ends here, or in the midst of an escape that begins here.
  private func isCut(at position: Int) -> Bool {
    position == bytes.count
      || bytes.count - position < EscapeReader.longest && EscapeReader.begins(with: bytes[position])
        && units[position] == nil
  }

  private static func isOfWord(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte >= 0x80 }
}
