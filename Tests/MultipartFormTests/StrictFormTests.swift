import Foundation
import MultipartForm
import Testing

/// The strict mode refuses what the browsers' algorithm would change.
@Suite struct StrictFormTests {
  private func encode(_ part: FormPart) throws -> String {
    try FormBody(
      FormData(parts: [part], boundary: Boundary("B"), strictness: .strict)
    ).text()
  }

  static let changed: [(String, UInt8)] = [
    ("a\"", 0x22), ("a\r", 0x0D), ("a\n", 0x0A), ("\n\r", 0x0A), ("\"\n", 0x22),
  ]

  @Test("names that would be escaped are refused", arguments: Self.changed)
  func names(name: String, byte: UInt8) throws {
    let first = name.utf8.first { $0 == 0x0D || $0 == 0x0A } ?? byte
    #expect(throws: BodyError.form(.illegalByte(first, in: .name, part: 0))) {
      try encode(.text(name: name, value: ""))
    }
    #expect(throws: BodyError.form(.illegalByte(byte, in: .fileName, part: 0))) {
      try encode(.data(name: "n", fileName: name, bytes: []))
    }
  }

  @Test("CRLF in a name is refused although it needs no normalising")
  func lineBreakInName() {
    #expect(throws: BodyError.form(.illegalByte(0x0D, in: .name, part: 0))) {
      try encode(.text(name: "a\r\nb", value: ""))
    }
  }

  @Test("text that would be normalised is refused, CRLF is not")
  func values() throws {
    for (value, byte) in [("a\nb", 0x0A), ("a\rb", 0x0D), ("\r\n\n", 0x0A)] as [(String, UInt8)] {
      #expect(throws: BodyError.form(.illegalByte(byte, in: .value, part: 0))) {
        try encode(.text(name: "n", value: value))
      }
    }
    #expect(try encode(.text(name: "n", value: "a\r\nb")).contains("\r\n\r\na\r\nb\r\n--B--"))
  }

  @Test("what arrives as it was given is the same in both modes")
  func unchanged() throws {
    let parts = [
      FormPart.text(name: "a'\\%;ə", value: "x\r\ny"),
      .data(name: "n", fileName: "f\\%", bytes: Array("\r\n\n\r".utf8)),
    ]
    let boundary = try Boundary("B")
    let strict = try FormBody(FormData(parts: parts, boundary: boundary, strictness: .strict))
    #expect(try strict.bytes() == FormBody(FormData(parts: parts, boundary: boundary)).bytes())
  }
}

@Suite struct PartTests {
  private func encode(_ part: FormPart) throws -> String {
    try FormBody(FormData(parts: [part], boundary: Boundary("B"))).text()
  }

  private static let prefix = "--B\r\nContent-Disposition: form-data; name="

  @Test("_charset_ says UTF-8 (RFC 7578 §4.6)")
  func charset() throws {
    #expect(
      try encode(.charset) == "\(Self.prefix)\"_charset_\"\r\n\r\nUTF-8\r\n--B--\r\n")
  }

  @Test("JSON has its type, and its bytes are not normalised")
  func json() throws {
    #expect(
      try encode(.json(name: "request", value: ["rawMemo": "a\nb"]))
        == "\(Self.prefix)\"request\"\r\nContent-Type: application/json\r\n\r\n"
        + "{\"rawMemo\":\"a\\nb\"}\r\n--B--\r\n")
  }

  @Test("bytes with a file name get a type, without one they do not")
  func types() throws {
    #expect(
      try encode(.data(name: "n", fileName: "", bytes: []))
        == "\(Self.prefix)\"n\"; filename=\"\"\r\n"
        + "Content-Type: application/octet-stream\r\n\r\n\r\n--B--\r\n")
    #expect(
      try encode(.data(name: "n", bytes: Data([0x41])))
        == "\(Self.prefix)\"n\"\r\n\r\nA\r\n--B--\r\n")
    #expect(
      try encode(.text(name: "n", value: "v", contentType: "text/plain; charset=utf-8"))
        == "\(Self.prefix)\"n\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nv\r\n--B--\r\n")
  }
}
