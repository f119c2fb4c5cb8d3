extension JSONValue {
  /// Reads a document (RFC 8259) in time linear in its length.
  ///
  /// A leading byte order mark is skipped (§8.1). The last of several members with the same name wins (§4 leaves that
  /// open). Half of a surrogate pair becomes U+FFFD (§8.2). A whole number that fits into `Int64` is an
  /// ``integer(_:)``, however it is written. A longer one keeps its digits (``longInteger(_:)``), unless it is written
  /// with a fraction or an exponent.
  ///
  /// - Throws: ``JSONError`` if the bytes are not JSON or exceed `limits`.
  package init(bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
      try JSONReader.document(bytes, limits)
    }
  }

  /// Reads the document in `text`; nil if it is not JSON or exceeds `limits`.
  package init?(text: String, limits: JSONLimits = JSONLimits()) {
    var text = text
    guard let value = text.withUTF8({ try? JSONReader.document($0, limits) }) else { return nil }
    self = value
  }
}

/// Reads one document from front to back, with no backtracking beyond six bytes.
private struct JSONReader {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var index = 0
  var values = 0

  static func document(
    _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
  ) throws(JSONError) -> JSONValue {
    var reader = JSONReader(bytes: bytes, limits: limits)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw reader.syntaxError() }
    return value
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    skipBlanks()
    values += 1
    guard values <= limits.values else { throw syntaxError(.tooManyValues(limit: limits.values)) }
    guard let byte = next else { throw syntaxError() }
    switch byte {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "["): return .array(try array(depth: try deeper(depth)))
    case UInt8(ascii: "{"): return .object(try object(depth: try deeper(depth)))
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw syntaxError()
    }
  }

  private func deeper(_ depth: Int) throws(JSONError) -> Int {
    guard depth < limits.depth else { throw syntaxError(.tooDeep(limit: limits.depth)) }
    return depth + 1
  }

  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    index += 1
    skipBlanks()
    if consume(UInt8(ascii: "]")) { return [] }
    var elements: [JSONValue] = []
    while true {
      elements.append(try value(depth: depth))
      skipBlanks()
      if consume(UInt8(ascii: "]")) { return elements }
      guard consume(UInt8(ascii: ",")) else { throw syntaxError() }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> [String: JSONValue] {
    index += 1
    skipBlanks()
    if consume(UInt8(ascii: "}")) { return [:] }
    var members: [String: JSONValue] = [:]
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw syntaxError() }
      let name = try string()
      skipBlanks()
      guard consume(UInt8(ascii: ":")) else { throw syntaxError() }
      members[name] = try value(depth: depth)
      skipBlanks()
      if consume(UInt8(ascii: "}")) { return members }
      guard consume(UInt8(ascii: ",")) else { throw syntaxError() }
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for offset in 0..<word.utf8CodeUnitCount {
      guard consume(word.utf8Start[offset]) else { throw syntaxError() }
    }
    return value
  }

  // MARK: Numbers

  /// Reads a number (RFC 8259 §6).
  private mutating func number() throws(JSONError) -> JSONValue {
    let start = index
    _ = consume(UInt8(ascii: "-"))
    if !consume(UInt8(ascii: "0")) { try digits() }
    var isWhole = true
    if consume(UInt8(ascii: ".")) {
      isWhole = false
      try digits()
    }
    if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
      isWhole = false
      if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
      try digits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole { return Int64(text).map { .integer($0) } ?? .longInteger(text) }
    guard let number = Double(text), number.isFinite else {
      throw JSONError(reason: .numberOutOfRange, offset: start)
    }
    // Up to 2^53, every whole Double stands for exactly one integer.
    if number.magnitude <= 0x1p53, let whole = Int64(exactly: number) { return .integer(whole) }
    return .number(number)
  }

  /// Consumes one or more digits.
  private mutating func digits() throws(JSONError) {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    guard index > start else { throw syntaxError() }
  }

  // MARK: Strings

  /// Reads a string (RFC 8259 §7).
  private mutating func string() throws(JSONError) -> String {
    let opening = index
    index += 1
    var start = index
    var decoded: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        // Without escapes, the usual case, bytes are copied only once, into the string itself.
        let text =
          decoded.isEmpty
          ? String(validating: bytes[start..<index], as: UTF8.self)
          : String(validating: decoded + bytes[start..<index], as: UTF8.self)
        index += 1
        guard let text else { throw JSONError(reason: .notUTF8, offset: opening) }
        return text
      case UInt8(ascii: "\\"):
        decoded += bytes[start..<index]
        index += 1
        try escape(into: &decoded)
        start = index
      case 0..<0x20: throw syntaxError()
      default: index += 1
      }
    }
    throw syntaxError()
  }

  private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
    guard let byte = next else { throw syntaxError() }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"):
      index += 1
      decoded += String(try scalar()).utf8
      return
    default: throw syntaxError()
    }
    index += 1
  }

  /// Reads what follows `\u`: four digits, and a second escape if they are the first half of a surrogate pair.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let first = try fourDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    let end = index
    if first < 0xDC00, consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) {
      let second = try fourDigits()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    // The second escape is read again on its own: at most six bytes.
    index = end
    return "\u{FFFD}"
  }

  private mutating func fourDigits() throws(JSONError) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw syntaxError()
      }
      number = number << 4 | UInt32(digit)
      index += 1
    }
    return number
  }

  // MARK: Bytes

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  private func syntaxError(_ reason: JSONError.Reason? = nil) -> JSONError {
    JSONError(reason: reason ?? next.map { .unexpected($0) } ?? .ended, offset: index)
  }
}
