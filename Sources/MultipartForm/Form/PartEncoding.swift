/// The bytes in front of a part's content, according to the "multipart/form-data encoding algorithm" of the WHATWG HTML
/// standard.
struct PartEncoding {
  let part: FormPart
  let index: Int
  let strictness: FormData.Strictness

  /// Appends Content-Disposition, Content-Type and custom headers, and the empty line after them.
  func writeHeader(to bytes: inout [UInt8]) throws(BodyError) {
    bytes.reserveCapacity(bytes.count + 256)
    bytes += "Content-Disposition: form-data; name=\"".utf8
    try escape(normalized(part.nameBytes, in: .name), in: .name, to: &bytes)
    bytes.append(ASCII.quote)
    if let fileName = part.fileNameBytes {
      bytes += "; filename=\"".utf8
      // Line breaks are normalised in names but not in file names.
      try escape(fileName, in: .fileName, to: &bytes)
      bytes.append(ASCII.quote)
    }
    bytes += "\r\n".utf8
    if let contentType = part.contentType {
      try check(contentType, in: .contentType)
      bytes += "Content-Type: ".utf8
      bytes += contentType.utf8
      bytes += "\r\n".utf8
    }
    for header in part.headers {
      try check(header)
      bytes += "\(header.name): \(header.value)\r\n".utf8
    }
    bytes += "\r\n".utf8
  }

  /// The bytes of a text, with each lone CR and each lone LF as CRLF.
  func normalized(_ bytes: [UInt8], in place: FormError.Place) throws(BodyError) -> [UInt8] {
    guard bytes.contains(where: { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }) else {
      return bytes
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    for (position, byte) in bytes.enumerated() {
      let isLone =
        byte == ASCII.carriageReturn
        ? bytes[(position + 1)...].first != ASCII.lineFeed
        : byte == ASCII.lineFeed && (position == 0 || bytes[position - 1] != ASCII.carriageReturn)
      if isLone {
        try refuseIfStrict(byte, in: place)
        result += "\r\n".utf8
      } else {
        result.append(byte)
      }
    }
    return result
  }

  /// Appends bytes with `"`, CR and LF escaped with percent signs. NUL is refused: it has no escape, and would end the
  /// header in receivers written in C. Other controls, `%` and `\` are sent as they are.
  private func escape(
    _ bytes: [UInt8], in place: FormError.Place, to result: inout [UInt8]
  ) throws(BodyError) {
    for byte in bytes {
      switch byte {
      case 0: throw .form(.illegalByte(byte, in: place, part: index))
      case ASCII.quote, ASCII.carriageReturn, ASCII.lineFeed:
        try refuseIfStrict(byte, in: place)
        result += Self.escape(byte)
      default: result.append(byte)
      }
    }
  }

  private static func escape(_ byte: UInt8) -> String.UTF8View {
    switch byte {
    case ASCII.quote: "%22".utf8
    case ASCII.carriageReturn: "%0D".utf8
    default: "%0A".utf8
    }
  }

  private func check(_ header: FormPart.Header) throws(BodyError) {
    let name = header.name.utf8
    if name.isEmpty { throw .form(.emptyHeaderName(part: index)) }
    if let bad = name.first(where: { !ASCII.isToken($0) }) {
      throw .form(.illegalByte(bad, in: .headerName(header.name), part: index))
    }
    if header.isNamed("Content-Disposition") || header.isNamed("Content-Type") {
      throw .form(.reservedHeader(header.name, part: index))
    }
    try check(header.value, in: .headerValue(header.name))
  }

  private func check(_ value: String, in place: FormError.Place) throws(BodyError) {
    if let bad = value.utf8.first(where: { !ASCII.isFieldValue($0) }) {
      throw .form(.illegalByte(bad, in: place, part: index))
    }
  }

  private func refuseIfStrict(_ byte: UInt8, in place: FormError.Place) throws(BodyError) {
    if strictness == .strict { throw .form(.illegalByte(byte, in: place, part: index)) }
  }
}
