import Foundation
import MultipartForm
import TestSupport
import Testing

/// The exact bytes of forms. Sources:
/// - WHATWG HTML, "multipart/form-data encoding algorithm"
/// - web-platform-tests, html/semantics/forms/form-submission-0/multipart-formdata.window.js (WPT)
/// - RFC 7578, RFC 2046 §5.1.1
///
/// One case of WPT is not followed: "0x00 in name" and "0x00 in filename" are sent raw by browsers
/// and refused here, so that no input puts NUL into a header; see `HeaderInjectionTests`.
@Suite struct EncodingTests {
  let boundary: Boundary

  init() throws { boundary = try Boundary("B") }

  private func encode(_ parts: [FormPart], _ strictness: FormData.Strictness = .browser) throws
    -> String
  {
    let body = try FormBody(FormData(parts: parts, boundary: boundary, strictness: strictness))
    let bytes = try body.bytes()
    #expect(Int64(bytes.count) == body.contentLength)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("a name that is not UTF-8 is sent byte for byte, as curl does")
  func rawName() throws {
    let folder = try ScratchDirectory()
    let name = Array("caf".utf8) + [0xE9]
    let file = FileLocation(bytes: Array("\(folder.path)/".utf8) + name)
    close(file.withCString { open($0, O_CREAT | O_WRONLY, 0o600) })
    let parts = [
      FormPart.file(name: "f", at: file),
      FormPart.text(nameBytes: name, valueBytes: name, contentType: nil),
    ]
    let body = try FormBody(FormData(parts: parts, boundary: boundary)).bytes()
    for wanted in ["filename=\"", "; name=\"", "\r\n\r\n"] {
      let bytes = Array(wanted.utf8) + name
      #expect(body.indices.contains { body[$0...].starts(with: bytes) }, "\(wanted)")
    }
    #expect(parts[0].fileName == "caf\u{FFFD}")
  }

  @Test("an empty form is its final delimiter (RFC 2046 §5.1.1 close-delimiter)")
  func empty() throws {
    #expect(try encode([]) == "--B--\r\n")
  }

  @Test("parts come in order, names may repeat, headers follow the type")
  func several() throws {
    let body = try encode([
      .text(name: "a", value: "1"),
      .data(name: "f", fileName: "x.bin", bytes: [0x41]),
      .data(
        name: "f", contentType: "application/json", bytes: Array("{}".utf8),
        headers: [.init("X-One", "1"), .init("X-Two", "2")]),
    ])
    #expect(
      body == """
        --B\r
        Content-Disposition: form-data; name="a"\r
        \r
        1\r
        --B\r
        Content-Disposition: form-data; name="f"; filename="x.bin"\r
        Content-Type: application/octet-stream\r
        \r
        A\r
        --B\r
        Content-Disposition: form-data; name="f"\r
        Content-Type: application/json\r
        X-One: 1\r
        X-Two: 2\r
        \r
        {}\r
        --B--\r

        """)
  }

  /// Input, then what stands between the quotes of `name` and of `filename`.
  static let names: [(String, name: String, fileName: String)] = [
    ("plain", "plain", "plain"),  // WPT "Basic test", "Basic File test"
    ("", "", ""),  // WHATWG: empty names are sent
    ("a\nb", "a%0D%0Ab", "a%0Ab"),  // WPT "\\n in name", "\\n in filename"
    ("a\rb", "a%0D%0Ab", "a%0Db"),  // WPT "\\r in name", "\\r in filename"
    ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),  // WPT "\\r\\n in name", "… in filename"
    ("a\n\rb", "a%0D%0A%0D%0Ab", "a%0A%0Db"),  // WPT "\\n\\r in name", "… in filename"
    ("\r", "%0D%0A", "%0D"),
    ("\n", "%0D%0A", "%0A"),
    ("\r\r\n", "%0D%0A%0D%0A", "%0D%0D%0A"),
    ("a\"b", "a%22b", "a%22b"),  // WPT "double quote in name", "… filename"
    ("a'b", "a'b", "a'b"),  // WPT "single quote in name", "… filename"
    ("a\\b", "a\\b", "a\\b"),  // WPT "backslash in name", "… filename"
    ("a\\", "a\\", "a\\"),
    ("a%b%22", "a%b%22", "a%b%22"),  // WHATWG: % is not escaped
    ("a;b=c, d/e", "a;b=c, d/e", "a;b=c, d/e"),
    ("\u{E1}b", "\u{E1}b", "\u{E1}b"),  // WPT "non-ASCII in name and value": raw UTF-8
    ("\u{259}.txt", "\u{259}.txt", "\u{259}.txt"),  // WPT "non-ASCII in filename": C9 99
    ("💩 e\u{301}", "💩 e\u{301}", "💩 e\u{301}"),  // not normalised to NFC
    ("\u{85}\u{2028}", "\u{85}\u{2028}", "\u{85}\u{2028}"),  // only CR and LF are line breaks
    ("\u{10A}\u{10D}", "\u{10A}\u{10D}", "\u{10A}\u{10D}"),  // C4 8A: truncation makes LF of it
    ("a\u{1}b\u{7F}\t", "a\u{1}b\u{7F}\t", "a\u{1}b\u{7F}\t"),  // WHATWG: other controls unchanged
  ]

  @Test("names and file names are escaped as browsers do", arguments: Self.names)
  func escaping(input: String, name: String, fileName: String) throws {
    let body = try encode([.data(name: input, fileName: input, contentType: "t/t", bytes: [])])
    let expected = """
      --B\r
      Content-Disposition: form-data; name="\(name)"; filename="\(fileName)"\r
      Content-Type: t/t\r
      \r
      \r
      --B--\r

      """
    #expect(Array(body.utf8) == Array(expected.utf8))
  }

  static let values: [(String, String)] = [
    ("", ""), ("a", "a"),
    // WPT "\\n in value" and so on
    ("a\nb", "a\r\nb"), ("a\rb", "a\r\nb"), ("a\r\nb", "a\r\nb"), ("a\n\rb", "a\r\n\r\nb"),
    ("\n", "\r\n"), ("\r", "\r\n"), ("\n\n", "\r\n\r\n"), ("\r\r", "\r\n\r\n"),
    ("\"%22\\'\0\u{E7}", "\"%22\\'\0\u{E7}"),  // nothing else
  ]

  @Test("line breaks in text become CRLF (WHATWG; WPT \"in value\")", arguments: Self.values)
  func lineBreaks(value: String, expected: String) throws {
    let body = try encode([.text(name: "n", value: value)])
    let whole =
      "--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n\(expected)\r\n--B--\r\n"
    #expect(Array(body.utf8) == Array(whole.utf8))
  }
}
