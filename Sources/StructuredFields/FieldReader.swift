/// Reads structured header fields byte by byte (RFC 9651, section 4.2). Whatever is malformed gives nil.
struct FieldReader {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
    skip(" ")
  }

  /// Whether nothing but blanks is left.
  var isAtEnd: Bool { rest.allSatisfy { $0 == UInt8(ascii: " ") } }

  mutating func dictionary() -> [String: FieldValue]? {
    var members: [String: FieldValue] = [:]
    guard !isAtEnd else { return members }
    while true {
      guard let key = key() else { return nil }
      if take("=") {
        guard let value = take("(") ? innerList() : item() else { return nil }
        members[key] = value
      } else {
        guard parameters() else { return nil }
        members[key] = .boolean(true)
      }
      skip(" \t")
      if rest.isEmpty { return members }
      guard take(",") else { return nil }
      skip(" \t")
      // A comma with nothing behind it.
      guard !rest.isEmpty else { return nil }
    }
  }

  /// An item and its parameters.
  mutating func item() -> FieldValue? {
    guard let value = bareItem(), parameters() else { return nil }
    return value
  }

  /// What follows an opening parenthesis.
  private mutating func innerList() -> FieldValue? {
    while true {
      skip(" ")
      if take(")") { return parameters() ? .other : nil }
      guard item() != nil, let next = rest.first,
        next == UInt8(ascii: " ") || next == UInt8(ascii: ")")
      else { return nil }
    }
  }

  /// Reads parameters, if there are any, and says whether they are well formed.
  private mutating func parameters() -> Bool {
    while take(";") {
      skip(" ")
      guard key() != nil else { return false }
      if take("="), bareItem() == nil { return false }
    }
    return true
  }

  private mutating func key() -> String? {
    guard let first = rest.first, Self.isLower(first) || first == UInt8(ascii: "*") else {
      return nil
    }
    return String(decoding: takeAll { Self.isKey($0) }, as: UTF8.self)
  }

  private mutating func bareItem() -> FieldValue? {
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "?"):
      rest.removeFirst()
      return take("1") ? .boolean(true) : take("0") ? .boolean(false) : nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: ":"): return bytes()
    case UInt8(ascii: "@"):
      rest.removeFirst()
      return number()?.integer == nil ? nil : .other
    case UInt8(ascii: "%"):
      rest.removeFirst()
      return rest.first == UInt8(ascii: "\"") ? string() : nil
    case _ where Self.isLetter(first) || first == UInt8(ascii: "*"):
      takeAll { Self.isToken($0) }
      return .other
    default: return nil
    }
  }

  private mutating func number() -> FieldValue? {
    let isNegative = take("-")
    let digits = takeAll { Self.isDigit($0) }
    guard !digits.isEmpty else { return nil }
    if take(".") {
      let decimals = takeAll { Self.isDigit($0) }
      return digits.count <= 12 && (1...3).contains(decimals.count) ? .other : nil
    }
    guard digits.count <= 15, let number = Int64(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    return .integer(isNegative ? -number : number)
  }

  private mutating func string() -> FieldValue? {
    rest.removeFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return .other
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\")
        else { return nil }
      case 0x20..<0x7F: break
      default: return nil
      }
    }
    return nil
  }

  private mutating func bytes() -> FieldValue? {
    rest.removeFirst()
    takeAll { $0 != UInt8(ascii: ":") && Self.isToken($0) || $0 == UInt8(ascii: "=") }
    return take(":") ? .other : nil
  }

  // MARK: Bytes

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest.removeFirst()
    return true
  }

  @discardableResult
  private mutating func takeAll(_ belongs: (UInt8) -> Bool) -> Substring.UTF8View {
    let taken = rest.prefix(while: belongs)
    rest = rest.dropFirst(taken.count)
    return taken
  }

  private mutating func skip(_ blanks: String) { takeAll { blanks.utf8.contains($0) } }

  private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) && byte >= 0x41 }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isKey(_ byte: UInt8) -> Bool {
    isLower(byte) || isDigit(byte) || "_-.*".utf8.contains(byte)
  }
  private static func isToken(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "!#$%&'*+-.^_`|~:/".utf8.contains(byte)
  }
}
