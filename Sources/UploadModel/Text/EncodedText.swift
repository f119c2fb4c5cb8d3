import ScalarText

/// A text in which characters can be written as escapes, searched for secrets.
///
/// It knows the spellings in which servers repeat what they were sent: percent-encoding (RFC 3986 §2.1, with a space as
/// `+`), escapes of JSON (RFC 8259 §7) and related languages (`\x2f`, `\u{2f}`), and HTML character references, named,
/// decimal and hexadecimal. Upper and lower case make no difference in escapes. Escapes may be nested (`%252F`,
/// `\\u002f`).
struct EncodedText {
  private let bytes: [UInt8]
  /// Escaped characters, by their start.
  private let units: [Int: [Unit]]
  /// Where escapes end. The byte before such a position belongs to the escape, not to a word.
  private let ends: Set<Int>

  /// One to four bytes that a text spells, and where this spelling ends.
  struct Unit: Equatable {
    /// The bytes, with the first one in the lowest bits.
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

    /// The byte, if there is just one.
    var byte: UInt8? { count == 1 ? UInt8(truncatingIfNeeded: packed) : nil }

    /// Whether the secret has the unit's bytes at this place.
    func matches(_ secret: [UInt8], at place: Int) -> Bool {
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

  /// Where a secret occurs; as a word, it counts only if there is no letter or digit beside it. `leastAtEnd` is how
  /// many bytes of it are enough if the text ends in the middle of it; nil if only the whole secret counts.
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

  /// The text with `mark` in place of each range. Overlapping ranges are merged.
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

  /// The furthest end of the secret, if the secret begins at this position. Each pair of a place in the secret and a
  /// position in the text is visited once.
  private func end(of secret: [UInt8], from start: Int, _ leastAtEnd: Int?) -> Int? {
    var open = [(matched: 0, position: start)]
    var seen: Set<Int> = []
    var end: Int?
    while var (matched, position) = open.popLast() {
      // Most texts have no escapes: continue without branching while there is only one reading.
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
      for unit in units where unit.matches(secret, at: matched) {
        open.append((matched + unit.count, unit.end))
      }
    }
    return end
  }

  /// Whether the text ends here, or in the middle of an escape that begins here.
  private func isCut(at position: Int) -> Bool {
    position == bytes.count
      || bytes.count - position < EscapeReader.longest && EscapeReader.begins(with: bytes[position])
        && units[position] == nil
  }

  private static func isOfWord(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte >= 0x80 }
}
