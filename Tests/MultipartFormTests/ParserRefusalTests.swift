import MultipartForm
import MultipartOracle
import Testing

/// Bodies that are refused, each with the error that the documentation names for it.
@Suite struct ParserRefusalTests {
  static let disposition = "Content-Disposition: form-data; name=\"a\""
  static let start = "--B\r\n\(disposition)\r\n\r\n"
  static let end = "\r\n--B--\r\n"

  struct Case: CustomTestStringConvertible {
    var name: String
    var body: String
    var error: ParserError
    var testDescription: String { name }

    init(_ name: String, _ body: String, _ error: ParserError) {
      self.name = name
      self.body = body
      self.error = error
    }

    /// A body with one part with these headers.
    init(_ name: String, headers: String, _ fault: ParserError.HeaderFault) {
      self.init(name, "--B\r\n\(headers)\r\n\r\nx\(end)", .header(fault, part: 0))
    }
  }

  static let frames: [Case] = [
    Case("nothing", "", .truncated(in: .preamble)),
    Case("only a line end", "\r\n", .truncated(in: .preamble)),
    Case("only a preamble", "hello", .truncated(in: .preamble)),
    Case(
      "another boundary", "--C\r\n\(disposition)\r\n\r\nx\r\n--C--\r\n", .truncated(in: .preamble)),
    Case(
      "a longer boundary", "--BB\r\n\(disposition)\r\n\r\nx\r\n--BB--", .truncated(in: .preamble)),
    Case(
      "boundary in other case", "--b\r\n\(disposition)\r\n\r\nx\r\n--b--", .truncated(in: .preamble)
    ),
    Case(
      "boundary without dashes", "B\r\n\(disposition)\r\n\r\nx\r\nB--\r\n",
      .truncated(in: .preamble)),
    Case("one dash", "-B\r\n\(disposition)\r\n\r\nx\r\n-B--\r\n", .truncated(in: .preamble)),
    Case("first delimiter within a line", "x--B\r\n\(disposition)", .truncated(in: .preamble)),
    Case("delimiter cut off", "--B", .truncated(in: .delimiter)),
    Case("delimiter's line cut off", "--B\r", .truncated(in: .delimiter)),
    Case("delimiter's blanks cut off", "--B  ", .truncated(in: .delimiter)),
    Case("final delimiter cut off", "\(start)x\r\n--B-", .truncated(in: .delimiter)),
    Case("headers cut off", "--B\r\nContent-Dis", .truncated(in: .header)),
    Case("headers without their empty line", "--B\r\n\(disposition)\r\n", .truncated(in: .header)),
    Case("headers with half an empty line", "--B\r\n\(disposition)\r\n\r", .truncated(in: .header)),
    Case("no content", start, .truncated(in: .content)),
    Case("no final delimiter", "\(start)x\r\n", .truncated(in: .content)),
    Case("a delimiter within a line", "\(start)x--B--\r\n", .truncated(in: .content)),
    Case("a final delimiter behind LF", "\(start)x\n--B--\r\n", .truncated(in: .content)),
    Case("a final delimiter behind CR", "\(start)x\r--B--\r\n", .truncated(in: .content)),
    Case("another part begins and ends the body", "\(start)x\r\n--B\r\n", .truncated(in: .header)),
    Case("LF only", "--B\n\(disposition)\n\nx\n--B--\n", .bareLineFeed(in: .delimiter)),
    Case("LF before the first delimiter", "\n\(start)x\(end)", .bareLineFeed(in: .delimiter)),
    Case(
      "LF before a delimiter after a preamble", "p\n\(start)x\(end)", .bareLineFeed(in: .delimiter)),
    Case(
      "LF before a later delimiter", "\(start)x\n\(start)y\(end)", .bareLineFeed(in: .delimiter)),
    Case(
      "LF before a later delimiter with blanks", "\(start)x\n--B \r\n\(disposition)\r\n\r\ny\(end)",
      .bareLineFeed(in: .delimiter)),
    Case(
      "LF before a delimiter after the end", "\(start)x\(end)e\n\(start)y\(end)",
      .bareLineFeed(in: .delimiter)),
    Case(
      "LF alone in a part without content", "\(start)\n\(start)y\(end)",
      .bareLineFeed(in: .delimiter)),
    Case("LF behind blanks", "--B \n", .bareLineFeed(in: .delimiter)),
    Case("LF behind a later delimiter", "\(start)x\r\n--B\n", .bareLineFeed(in: .delimiter)),
    Case("LF behind the final delimiter", "\(start)x\r\n--B--\n", .bareLineFeed(in: .delimiter)),
    Case("text behind blanks", "--B x\r\n", .malformedDelimiter(0x78)),
    Case("CR within blanks", "--B \r\t\r\n", .malformedDelimiter(0x09)),
    Case("text behind the final delimiter", "\(start)x\r\n--B--x", .malformedDelimiter(0x78)),
    Case("dash behind the final delimiter", "\(start)x\r\n--B---\r\n", .malformedDelimiter(0x2D)),
    Case("CR without LF behind the end", "\(start)x\r\n--B--\rx", .malformedDelimiter(0x78)),
    Case("another end", "\(start)x\(end)--B--\r\n", .delimiterAfterEnd),
    Case("a part behind the end", "\(start)x\(end)\(start)y\(end)", .delimiterAfterEnd),
    Case("a file with its own end in it", "\(start)x\(end)the rest\(end)", .delimiterAfterEnd),
    Case("an end that begins again and is cut off", "\(start)x\(end)--B", .delimiterAfterEnd),
  ]

  static let headers: [Case] = [
    Case("no headers at all", "--B\r\n\r\nx\(end)", .header(.missingDisposition, part: 0)),
    Case("no Content-Disposition", headers: "Content-Type: a/b", .missingDisposition),
    Case("two", headers: "\(disposition)\r\n\(disposition)", .duplicate("Content-Disposition")),
    Case(
      "two in other case", headers: "\(disposition)\r\ncontent-DISPOSITION: form-data; name=b",
      .duplicate("Content-Disposition")),
    Case(
      "two types", headers: "\(disposition)\r\nContent-Type: a/b\r\nContent-type: c/d",
      .duplicate("Content-Type")),
    Case("LF within", "--B\r\n\(disposition)\nX: y\r\n\r\nx\(end)", .bareLineFeed(in: .header)),
    Case("LF for the empty line", "--B\r\n\(disposition)\r\n\nx\(end)", .bareLineFeed(in: .header)),
    Case("CR within", headers: "\(disposition)\rX: y", .illegalByte(0x0D)),
    Case("CR within a name", headers: "\(disposition)\r\nX\rY: z", .illegalByte(0x0D)),
    Case("two CRs", headers: "\(disposition)\r", .illegalByte(0x0D)),
    Case(
      "NUL in a name", headers: "Content-Disposition: form-data; name=\"a\0b\"", .illegalByte(0)),
    Case("NUL in a header", headers: "\(disposition)\r\nX: \0", .illegalByte(0)),
    Case("no colon", headers: "\(disposition)\r\nnonsense", .notAHeader),
    Case("no name", headers: "\(disposition)\r\n: value", .notAHeader),
    Case("blank before the colon", headers: "Content-Disposition : form-data; name=a", .notAHeader),
    Case("not ASCII in a header's name", headers: "\(disposition)\r\nƏ: b", .notAHeader),
    Case("a delimiter among the headers", headers: "--B\r\n\(disposition)", .notAHeader),
    Case("folded from the start", headers: " folded\r\n\(disposition)", .notAHeader),
    Case("empty disposition", headers: "Content-Disposition:", .malformedDisposition),
    Case("no type", headers: "Content-Disposition: ; name=a", .malformedDisposition),
    Case("open quotes", headers: "Content-Disposition: form-data; name=\"a", .malformedDisposition),
    Case("text behind quotes", headers: "\(disposition)b", .malformedDisposition),
    Case("no equals sign", headers: "Content-Disposition: form-data; name", .malformedDisposition),
    Case("no parameter's name", headers: "\(disposition); =b", .malformedDisposition),
    Case("two parameters in one", headers: "\(disposition) filename=\"f\"", .malformedDisposition),
    Case("attachment", headers: "Content-Disposition: attachment; name=\"a\"", .notFormData),
    Case("not quite form-data", headers: "Content-Disposition: form-dat; name=\"a\"", .notFormData),
    Case("no name parameter", headers: "Content-Disposition: form-data", .missingName),
    Case("only a file name", headers: "Content-Disposition: form-data; filename=f", .missingName),
    Case("name*", headers: "Content-Disposition: form-data; name*=UTF-8''a", .missingName),
    Case("two names", headers: "\(disposition); name=\"b\"", .duplicateParameter("name")),
    Case("two names, one case", headers: "\(disposition); NAME=b", .duplicateParameter("name")),
    Case(
      "two file names", headers: "\(disposition); filename=f; filename=g",
      .duplicateParameter("filename")),
    Case(
      "two filename*", headers: "\(disposition); filename*=UTF-8''f; filename*=UTF-8''g",
      .duplicateParameter("filename*")),
    Case(
      "filename* without charset", headers: "\(disposition); filename*=f", .malformedDisposition),
    Case(
      "filename* with a bad escape", headers: "\(disposition); filename*=UTF-8''%4",
      .malformedDisposition),
    Case(
      "filename* with a sign for a digit", headers: "\(disposition); filename*=UTF-8''%+4",
      .malformedDisposition),
    Case(
      "filename* with NUL", headers: "\(disposition); filename*=UTF-8''%00", .malformedDisposition),
    Case(
      "base64", headers: "\(disposition)\r\nContent-Transfer-Encoding: base64",
      .transferEncoding("base64")),
    Case(
      "quoted-printable", headers: "\(disposition)\r\nContent-Transfer-Encoding: Quoted-Printable",
      .transferEncoding("Quoted-Printable")),
    Case(
      "two encodings",
      headers:
        "\(disposition)\r\nContent-Transfer-Encoding: 8bit\r\nContent-Transfer-Encoding: 8bit",
      .duplicate("Content-Transfer-Encoding")),
  ]

  @Test("there are more than sixty of them")
  func enough() { #expect(Self.frames.count + Self.headers.count > 60) }

  @Test("bad frames and bad headers", arguments: frames + headers)
  func refused(bad: Case) throws {
    let boundary = try Boundary("B")
    let whole = Parsed(Array(bad.body.utf8), boundary: boundary)
    #expect(whole.error == bad.error)
    for size in 1...7 {
      #expect(Parsed(Array(bad.body.utf8), boundary: boundary) { size } == whole)
    }
  }

  @Test("the error names the part that is at fault")
  func laterPart() throws {
    let parsed = Parsed(
      Array("\(Self.start)x\r\n--B\r\n\r\n".utf8), boundary: try Boundary("B"))
    #expect(parsed.error == .header(.missingDisposition, part: 1))
    #expect(parsed.parts.map(\.ended) == [true])
  }

  @Test("a body cut at any byte is refused until its final dashes are there")
  func truncatedEverywhere() throws {
    let body = Array(
      ("pre\r\n--B \r\n\(Self.disposition); filename=\"f\"\r\nContent-Type: text/plain\r\n\r\n"
        + "one\r\n--Bx\r\ntwo\r\n--B\r\n\(Self.disposition)\r\n\r\n\r\n--B--").utf8)
    let boundary = try Boundary("B")
    for length in 0..<body.count {
      let parsed = Parsed(Array(body[..<length]), boundary: boundary)
      guard case .truncated = parsed.error else {
        Issue.record("\(length) bytes: \(String(describing: parsed.error))")
        continue
      }
      #expect(parsed.parts.dropLast().allSatisfy { $0.ended })
    }
    #expect(Parsed(body, boundary: boundary).error == nil)
  }

  @Test("after an error, or the end, the parser stays stopped")
  func stopped() throws {
    var parser = FormParser(boundary: try Boundary("B"))
    #expect(throws: ParserError.bareLineFeed(in: .delimiter)) { try parser.push("--B\n") }
    #expect(throws: ParserError.stopped) { try parser.push("--B\r\n") }
    #expect(throws: ParserError.stopped) { try parser.finish() }

    parser = FormParser(boundary: try Boundary("B"))
    try parser.push("--B--\r\n")
    try parser.finish()
    #expect(throws: ParserError.stopped) { try parser.finish() }
    #expect(throws: ParserError.stopped) { try parser.push("x") }
  }

  @Test("what the handler throws comes out, and stops the parser")
  func handlerThrows() throws {
    struct DiskFull: Error {}
    var parser = FormParser(boundary: try Boundary("B"))
    let error = #expect(throws: FormReadError.self) {
      try Array((Self.start + "x" + Self.end).utf8).withUnsafeBytes {
        try parser.push($0) { event in if case .content = event { throw DiskFull() } }
      }
    }
    #expect(error?.cause is DiskFull)
    #expect(throws: ParserError.stopped) { try parser.push("x") }
  }
}

extension FormParser {
  fileprivate mutating func push(_ text: String) throws {
    try Array(text.utf8).withUnsafeBytes { try push($0) { _ in } }
  }
}
