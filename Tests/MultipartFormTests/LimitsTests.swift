import MultipartForm
import MultipartOracle
import Testing

/// Each limit is met exactly, passed by one, and has its own error with its number.
@Suite struct LimitsTests {
  static let disposition = "Content-Disposition: form-data; name=\"a\""

  private func parse(_ body: String, _ limits: FormLimits) throws -> Parsed {
    let boundary = try Boundary("B")
    let whole = Parsed(Array(body.utf8), boundary: boundary, limits: limits)
    for size in [1, 2, 3, 64] {
      #expect(Parsed(Array(body.utf8), boundary: boundary, limits: limits) { size } == whole)
    }
    return whole
  }

  private func fields(_ contents: [String], suffix: String = "") -> String {
    contents.map { "--B\r\n\(Self.disposition)\(suffix)\r\n\r\n\($0)\r\n" }.joined() + "--B--\r\n"
  }

  @Test("header bytes of a part, its empty line included")
  func headerBytes() throws {
    let size = Self.disposition.utf8.count + 4
    #expect(try parse(fields(["x"]), FormLimits(headerBytes: size)).error == nil)
    #expect(
      try parse(fields(["x"]), FormLimits(headerBytes: size - 1)).error
        == .headerTooLong(part: 0, limit: size - 1))
    // It is a part's limit, not all parts'.
    #expect(try parse(fields(["x", "y", "z"]), FormLimits(headerBytes: size)).error == nil)
  }

  @Test("a header without end is refused at the limit, one long line or many short ones")
  func endlessHeader() throws {
    for body in [
      "--B\r\nX: " + String(repeating: "x", count: 20_000),
      "--B\r\n" + String(repeating: "X: y\r\n", count: 5_000),
      "--B\r\n" + String(repeating: "X: y\r\n folded\r\n", count: 5_000),
    ] {
      #expect(try parse(body, FormLimits()).error == .headerTooLong(part: 0, limit: 16_384))
    }
  }

  @Test("number of parts")
  func parts() throws {
    let body = fields(["x", "y", "z"])
    #expect(try parse(body, FormLimits(parts: 3)).error == nil)
    let parsed = try parse(body, FormLimits(parts: 2))
    #expect(parsed.error == .tooManyParts(limit: 2))
    #expect(parsed.parts.map(\.ended) == [true, true])
    #expect(try parse("--B--", FormLimits(parts: 0)).error == nil)
    #expect(try parse(body, FormLimits(parts: 0)).error == .tooManyParts(limit: 0))
  }

  @Test("bytes of a field, which are passed on up to the limit")
  func fieldBytes() throws {
    let body = fields(["123", "12345"])
    #expect(try parse(body, FormLimits(fieldBytes: 5)).error == nil)
    let parsed = try parse(body, FormLimits(fieldBytes: 4))
    #expect(parsed.error == .fieldTooLong(part: 1, limit: 4))
    #expect(parsed.parts.map(\.content) == [Array("123".utf8), Array("1234".utf8)])
    // Bytes that resemble a delimiter count as well.
    #expect(
      try parse(fields(["\r\n--Bx"]), FormLimits(fieldBytes: 5)).error
        == .fieldTooLong(part: 0, limit: 5))
  }

  @Test("bytes of all fields and headers; the content of files does not count")
  func allFieldBytes() throws {
    let headers = Int64(2 * (Self.disposition.utf8.count + 4))
    #expect(try parse(fields(["123", "45"]), FormLimits(allFieldBytes: headers + 5)).error == nil)
    let parsed = try parse(fields(["123", "45"]), FormLimits(allFieldBytes: headers + 4))
    #expect(parsed.error == .fieldsTooLong(limit: headers + 4))
    #expect(parsed.parts.map(\.content) == [Array("123".utf8), Array("4".utf8)])
    let files = fields(["123", "45"], suffix: "; filename=f")
    let theirs = headers + 24
    #expect(try parse(files, FormLimits(fieldBytes: 0, allFieldBytes: theirs)).error == nil)
    #expect(
      try parse(files, FormLimits(fieldBytes: 0, allFieldBytes: theirs - 1)).error
        == .fieldsTooLong(limit: theirs - 1))
  }

  @Test("a thousand long names are too much, each within its own limit")
  func longNames() throws {
    let name = String(repeating: "n", count: 16_000)
    let piece = Array("--B\r\nContent-Disposition: form-data; name=\(name)\r\n\r\n".utf8)
    for suffix in ["", "; filename=f"] {
      let part = piece.dropLast(4) + Array("\(suffix)\r\n\r\n".utf8)
      var parser = FormParser(
        boundary: try Boundary("B"), limits: FormLimits(parts: 1_000, allFieldBytes: 1 << 20))
      var began = 0
      #expect(throws: ParserError.fieldsTooLong(limit: 1 << 20)) {
        try Array(part).withUnsafeBytes { part in
          for _ in 0..<998 { try parser.push(part) { if case .partBegan = $0 { began += 1 } } }
        }
      }
      #expect(began == 65)
    }
  }

  @Test("bytes of a file; fields do not count")
  func fileBytes() throws {
    let files = fields(["123", "12345"], suffix: "; filename=f")
    #expect(try parse(files, FormLimits(fileBytes: 5)).error == nil)
    #expect(try parse(files, FormLimits(fileBytes: 4)).error == .fileTooLong(part: 1, limit: 4))
    #expect(try parse(fields(["12345"]), FormLimits(fileBytes: 0)).error == nil)
  }

  @Test("bytes in all, preamble and epilogue among them")
  func bodyBytes() throws {
    for body in [fields(["x"]), "preamble\r\n--B--", "--B--\r\nepilogue"] {
      let size = Int64(body.utf8.count)
      #expect(try parse(body, FormLimits(bodyBytes: size)).error == nil)
      #expect(
        try parse(body, FormLimits(bodyBytes: size - 1)).error == .bodyTooLong(limit: size - 1))
    }
  }

  @Test("a million tiny parts end at the limit")
  func millionParts() throws {
    let boundary = try Boundary("B")
    let piece = Array(
      String(repeating: "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n", count: 1000).utf8)
    var parser = FormParser(boundary: boundary)
    var began = 0
    #expect(throws: ParserError.tooManyParts(limit: 1_000)) {
      try piece.withUnsafeBytes { piece in
        for _ in 0..<1000 {
          try parser.push(piece) { if case .partBegan = $0 { began += 1 } }
        }
      }
    }
    #expect(began == 1_000)
  }

  @Test("the defaults are those that the documentation names")
  func defaults() {
    #expect(
      FormLimits()
        == FormLimits(
          headerBytes: 16_384, parts: 1_000, fieldBytes: 1_048_576, allFieldBytes: 4_194_304,
          fileBytes: 104_857_600, bodyBytes: 1_073_741_824))
  }
}
