/// The headers of a part as received: lines that end with CRLF, without the empty line after them.
struct HeaderBlock {
  fileprivate var fields: [(name: String, value: [UInt8])] = []

  init(_ block: ArraySlice<UInt8>) throws(ParserError.HeaderFault) {
    var rest = block
    while let end = rest.firstIndex(of: ASCII.lineFeed) {
      // Each line ends with CRLF, so there is a CR in front of the LF.
      let line = rest[..<(end - 1)]
      rest = rest[(end + 1)...]
      if let bad = line.first(where: { $0 == 0 || $0 == ASCII.carriageReturn }) {
        throw .illegalByte(bad)
      }
      if let first = line.first, ASCII.isBlank(first) {
        guard !fields.isEmpty else { throw .notAHeader }
        let unfolded = fields[fields.count - 1].value + [ASCII.space] + ASCII.trimmed(line)
        fields[fields.count - 1].value = Array(ASCII.trimmed(unfolded[...]))
        continue
      }
      let name = line.prefix { $0 != ASCII.colon }
      guard !name.isEmpty, name.endIndex < line.endIndex, name.allSatisfy(ASCII.isToken) else {
        throw .notAHeader
      }
      let value = Array(ASCII.trimmed(line[(name.endIndex + 1)...]))
      fields.append((String(decoding: name, as: UTF8.self), value))
    }
  }

  fileprivate func only(_ name: String) throws(ParserError.HeaderFault) -> [UInt8]? {
    let found = fields.filter { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }
    guard found.count < 2 else { throw .duplicate(name) }
    return found.first?.value
  }
}

extension PartHeader {
  /// The header of a part, checked against RFC 7578 §4.
  init(_ block: HeaderBlock, index: Int) throws(ParserError.HeaderFault) {
    guard let disposition = try block.only("Content-Disposition") else { throw .missingDisposition }
    guard let form = ParameterizedValue(disposition) else { throw .malformedDisposition }
    guard ASCII.equalIgnoringCase(form.value, "form-data".utf8) else { throw .notFormData }
    guard let name = try form.only("name") else { throw .missingName }
    if let encoding = try block.only("Content-Transfer-Encoding"),
      !["binary", "8bit", "7bit"].contains(where: { ASCII.equalIgnoringCase(encoding, $0.utf8) })
    {
      throw .transferEncoding(String(decoding: encoding, as: UTF8.self))
    }
    self.index = index
    nameBytes = name
    self.name = String(decoding: name, as: UTF8.self)
    fileNameBytes = try Self.fileName(form)
    fileName = fileNameBytes.map { String(decoding: $0, as: UTF8.self) }
    contentType = try block.only("Content-Type").map { String(decoding: $0, as: UTF8.self) }
    headers = block.fields.map {
      FormPart.Header($0.name, String(decoding: $0.value, as: UTF8.self))
    }
  }

  /// `filename`, or else `filename*`, which RFC 7578 §4.2 forbids but some libraries send alone, or else the name in
  /// several parts (RFC 2231 §3). If `filename*` is in a charset other than UTF-8, the name is unknown (RFC 8187 §3.2.1),
  /// but the part is still a file. .NET sends a name that is not ASCII in both: as an encoded word of mail (RFC 2047),
  /// which has no meaning here, and as `filename*`, which then counts.
  private static func fileName(
    _ form: ParameterizedValue
  ) throws(ParserError.HeaderFault) -> [UInt8]? {
    let extended = try form.only("filename*")
    if let plain = try form.only("filename") {
      return isEncodedWord(plain) ? extended.flatMap(ExtendedValue.decode) ?? plain : plain
    }
    guard let extended else { return try form.joined("filename") }
    if ExtendedValue.isInOtherCharset(extended) { return [] }
    guard let decoded = ExtendedValue.decode(extended) else { throw .malformedDisposition }
    return decoded
  }

  private static func isEncodedWord(_ name: [UInt8]) -> Bool {
    name.starts(with: "=?".utf8) && name.suffix(2).elementsEqual("?=".utf8)
  }
}
