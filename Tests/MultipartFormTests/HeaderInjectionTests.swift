import Foundation
import MultipartForm
import MultipartOracle
import Testing

/// No input of the encoder adds a header, ends one early or adds a part.
@Suite struct HeaderInjectionTests {
  static let attacks = [
    "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\r\n\r\nevil", "a\n\nevil",
    "a\"\r\nX-Evil: 1", "a\"; filename=\"evil", "a\"; name=\"evil", "a\\\"; filename=\"evil",
    "\r\n--B\r\nContent-Disposition: form-data; name=\"evil\"\r\n\r\n", "\r\n--B--\r\n",
    "a\r\n evil", "a\u{10D}\u{10A}X-Evil: 1", "a\u{560A}\u{560D}X-Evil: 1",  // 嘊嘍: low bytes LF, CR
    "a\u{85}X-Evil: 1", "a\u{2028}X-Evil: 1",
  ]

  private func part(_ name: String, fileName: String?) throws -> ParsedPart {
    let form = FormData(
      parts: [.data(name: name, fileName: fileName, bytes: Array("content".utf8))],
      boundary: try Boundary("B"))
    let parsed = Parsed(try FormBody(form).bytes(), boundary: form.boundary)
    #expect(parsed.error == nil)
    #expect(parsed.parts.count == 1)
    return try #require(parsed.parts.first)
  }

  @Test("names and file names stay in their quotes", arguments: attacks)
  func names(attack: String) throws {
    let named = try part(attack, fileName: nil)
    #expect(named.header.headers.count == 1)
    #expect(named.header.fileName == nil)
    #expect(named.content == Array("content".utf8))

    let file = try part("n", fileName: attack)
    #expect(file.header.headers.count == 2)
    #expect(file.header.name == "n")
    #expect(file.header.unescapedFileName == attack)
    #expect(file.content == Array("content".utf8))
  }

  static let bytes: [UInt8] = [0x00, 0x0A, 0x0D, 0x01, 0x0B, 0x1F, 0x7F]

  @Test("types and custom headers with controls are refused, wherever they stand", arguments: bytes)
  func values(byte: UInt8) throws {
    let control = String(UnicodeScalar(byte))
    for value in [control, "a\(control)", "\(control)b", "a\(control)b: c", "a\r\n\(control)"] {
      let first = try #require(value.utf8.first { $0 < 0x20 || $0 == 0x7F })
      #expect(throws: BodyError.form(.illegalByte(first, in: .contentType, part: 0))) {
        try FormBody(FormData(parts: [.text(name: "n", value: "", contentType: value)]))
      }
      #expect(throws: BodyError.form(.illegalByte(first, in: .contentType, part: 0))) {
        try FormBody(rawFile: "/dev/null", contentType: value)
      }
      #expect(throws: BodyError.form(.illegalByte(first, in: .headerValue("X"), part: 1))) {
        try FormBody(
          FormData(parts: [
            .text(name: "n", value: ""), .text(name: "n", value: "", headers: [.init("X", value)]),
          ]))
      }
      let name = value.replacing("\r\n", with: "")
      #expect(throws: BodyError.self) {
        try FormBody(FormData(parts: [.text(name: "n", value: "", headers: [.init(name, "v")])]))
      }
    }
  }

  @Test("NUL in a name has no escape and is refused")
  func nul() {
    #expect(throws: BodyError.form(.illegalByte(0, in: .name, part: 0))) {
      try FormBody(FormData(parts: [.text(name: "a\0", value: "")]))
    }
    #expect(throws: BodyError.form(.illegalByte(0, in: .fileName, part: 0))) {
      try FormBody(FormData(parts: [.data(name: "a", fileName: "\0", bytes: [])]))
    }
  }

  @Test(
    "header names are tokens (RFC 9110 §5.6.2)",
    arguments: ["a b", "a:", "a:b", "ä", "a\u{0}", "(a)", "\"a\"", "a/b", " a", "a\t"])
  func headerNames(name: String) throws {
    let bad = try #require(
      name.utf8.first { !"!#$%&'*+-.^_`|~".utf8.contains($0) && !isalnum($0) })
    #expect(throws: BodyError.form(.illegalByte(bad, in: .headerName(name), part: 0))) {
      try FormBody(FormData(parts: [.text(name: "n", value: "", headers: [.init(name, "v")])]))
    }
  }

  private func isalnum(_ byte: UInt8) -> Bool {
    UnicodeScalar(byte).isASCII && Character(UnicodeScalar(byte)).isLetter
      || Character(UnicodeScalar(byte)).isASCII && Character(UnicodeScalar(byte)).isNumber
  }

  @Test("headers that the form writes itself cannot be given twice")
  func reserved() {
    for name in ["Content-Disposition", "content-disposition", "Content-Type", "CONTENT-TYPE"] {
      #expect(throws: BodyError.form(.reservedHeader(name, part: 0))) {
        try FormBody(FormData(parts: [.text(name: "n", value: "", headers: [.init(name, "v")])]))
      }
    }
    #expect(throws: BodyError.form(.emptyHeaderName(part: 0))) {
      try FormBody(FormData(parts: [.text(name: "n", value: "", headers: [.init("", "v")])]))
    }
  }

  @Test("a boundary in content from memory is refused, a look-alike is not")
  func boundaryInContent() throws {
    let boundary = try Boundary("B")
    for content in ["--B", "--B--", "x\r\n--B", "x\r\n--By", "\r\n--B\r\n"] {
      for part in [
        FormPart.text(name: "n", value: content), .data(name: "n", bytes: Array(content.utf8)),
      ] {
        #expect(throws: BodyError.form(.boundaryInContent(part: 0))) {
          try FormBody(FormData(parts: [part], boundary: boundary))
        }
      }
    }
    for content in ["-B", "x--B", "\n--B", "\r\n-B", "\r\n--", "\r--B"] {
      let bytes = Array(content.utf8)
      let form = FormData(parts: [.data(name: "n", bytes: bytes)], boundary: boundary)
      let parsed = Parsed(try FormBody(form).bytes(), boundary: boundary)
      #expect(parsed.error == nil)
      #expect(parsed.parts.map(\.content) == [bytes])
    }
  }
}
