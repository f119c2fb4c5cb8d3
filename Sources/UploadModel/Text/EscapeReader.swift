import ScalarText

/// Reads escapes in a text (`EncodedText` has the list).
struct EscapeReader {
  typealias Unit = EncodedText.Unit

  /// Roughly how many bytes an escape may have, for recognising an escape that was cut off.
  static let longest = 24

  /// How deep nested escapes are decoded. This is enough for secrets that servers repeat inadvertently. A server that
  /// wants to hide a secret can always encode it differently.
  private static let depth = 2

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether a byte may begin an escape.
  static func begins(with byte: UInt8) -> Bool {
    byte == percent || byte == backslash || byte == ampersand || byte == plus
  }

  /// Everything that the text may mean at a position: the byte itself, and what an escape stands for.
  func units(at position: Int) -> [Unit] { units(at: position, depth: Self.depth) }

  private static let percent = UInt8(ascii: "%")
  private static let backslash = UInt8(ascii: "\\")
  private static let ampersand = UInt8(ascii: "&")
  private static let plus = UInt8(ascii: "+")

  private func units(at position: Int, depth: Int) -> [Unit] {
    guard position < bytes.count else { return [] }
    var found = [Unit(bytes[position], end: position + 1)]
    guard depth > 0, Self.begins(with: bytes[position]) else { return found }
    if bytes[position] == Self.plus { return found + [Unit(0x20, end: position + 1)] }
    // The character that begins an escape may itself be escaped, and so may the characters after it.
    for lead in units(at: position, depth: depth - 1) {
      let escaped: Unit? =
        switch lead.byte {
        case Self.percent: octet(at: lead.end, depth - 1)
        case Self.backslash: escape(at: lead.end, depth - 1)
        case Self.ampersand: reference(at: lead.end, depth - 1)
        default: nil
        }
      for case let unit? in [lead, escaped] where !found.contains(unit) { found.append(unit) }
    }
    return found
  }

  /// A byte in two hexadecimal digits.
  private func octet(at position: Int, _ depth: Int) -> Unit? {
    number(at: position, digits: 2...2, radix: 16, depth)
      .map { Unit(UInt8(truncatingIfNeeded: $0.value), end: $0.end) }
  }

  private static let shortEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
    UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]

  /// Reads the rest of an escape after its backslash.
  private func escape(at position: Int, _ depth: Int) -> Unit? {
    guard let next = byte(at: position, depth) else { return nil }
    if let short = Self.shortEscapes[next.value] { return Unit(short, end: next.end) }
    switch next.value {
    case UInt8(ascii: "u"), UInt8(ascii: "U"): return scalar(at: next.end, depth)
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return octet(at: next.end, depth)
    default: return next.value.isAlphanumeric ? nil : Unit(next.value, end: next.end)
    }
  }

  /// Reads the rest of an escape after `\u`: four digits, a second escape if they are a high surrogate, or one to six
  /// digits in braces.
  private func scalar(at position: Int, _ depth: Int) -> Unit? {
    if let open = byte(at: position, depth), open.value == UInt8(ascii: "{"),
      let (value, end) = number(at: open.end, digits: 1...6, radix: 16, depth),
      let close = byte(at: end, depth), close.value == UInt8(ascii: "}")
    {
      return Self.unit(value, end: close.end)
    }
    guard let (high, end) = number(at: position, digits: 4...4, radix: 16, depth)
    else { return nil }
    guard (0xD800..<0xDC00).contains(high) else { return Self.unit(high, end: end) }
    guard let lead = byte(at: end, depth), lead.value == Self.backslash,
      let letter = byte(at: lead.end, depth), letter.value | 0x20 == UInt8(ascii: "u"),
      let (low, last) = number(at: letter.end, digits: 4...4, radix: 16, depth),
      (0xDC00..<0xE000).contains(low)
    else { return nil }
    return Self.unit(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), end: last)
  }

  /// Reads the rest of a character reference after its ampersand (HTML §13.5). The semicolon may be missing.
  private func reference(at position: Int, _ depth: Int) -> Unit? {
    func closed(_ number: (value: UInt32, end: Int)) -> Unit? {
      let next = byte(at: number.end, depth).flatMap { $0.value == UInt8(ascii: ";") ? $0 : nil }
      return Self.unit(number.value, end: next?.end ?? number.end)
    }
    guard let first = byte(at: position, depth) else { return nil }
    if first.value == UInt8(ascii: "#") {
      if let next = byte(at: first.end, depth), next.value | 0x20 == UInt8(ascii: "x") {
        return number(at: next.end, digits: 1...9, radix: 16, depth).flatMap(closed)
      }
      return number(at: first.end, digits: 1...9, radix: 10, depth).flatMap(closed)
    }
    var (name, end) = ([UInt8](), position)
    while name.count < HTMLNames.longest, let next = byte(at: end, depth),
      next.value.isAlphanumeric
    {
      name.append(next.value)
      end = next.end
    }
    return HTMLNames.scalar(String(decoding: name, as: UTF8.self)).flatMap { closed(($0, end)) }
  }

  /// The byte at a position, decoded if it is an escape for a single byte.
  private func byte(at position: Int, _ depth: Int) -> (value: UInt8, end: Int)? {
    guard position < bytes.count else { return nil }
    guard depth > 0, Self.begins(with: bytes[position]), bytes[position] != Self.plus
    else { return (bytes[position], position + 1) }
    // Take the longest unit, so that an escape takes precedence over the character that begins it.
    let unit = units(at: position, depth: depth).filter { $0.count == 1 }.max { $0.end < $1.end }
    return unit.flatMap { unit in unit.byte.map { ($0, unit.end) } }
  }

  private func number(
    at position: Int, digits: ClosedRange<Int>, radix: UInt32, _ depth: Int
  ) -> (value: UInt32, end: Int)? {
    var (value, end, count) = (UInt32(0), position, 0)
    while count < digits.upperBound, let next = byte(at: end, depth),
      let digit = Character(Unicode.Scalar(next.value)).hexDigitValue, digit < radix
    {
      (value, end, count) = (value &* radix &+ UInt32(digit), next.end, count + 1)
    }
    return digits.contains(count) ? (value, end) : nil
  }

  private static func unit(_ value: UInt32, end: Int) -> Unit? {
    Unicode.Scalar(value).map { Unit($0, end: end) }
  }
}
