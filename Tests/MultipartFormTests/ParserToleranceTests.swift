import MultipartForm
import MultipartOracle
import Testing

/// What senders do differently and the parser accepts.
@Suite struct ParserToleranceTests {
  static let disposition = "Content-Disposition: form-data; name=\"a\""

  private func parse(_ body: String) throws -> Parsed {
    let boundary = try Boundary("B")
    let whole = Parsed(Array(body.utf8), boundary: boundary)
    for size in [1, 2, 3, 5, 17] {
      #expect(Parsed(Array(body.utf8), boundary: boundary) { size } == whole)
    }
    return whole
  }

  /// A body's frame, and the contents of its parts.
  static let frames: [(String, [String])] = [
    ("--B--\r\n", []),
    ("--B--", []),
    ("--B-- \t\r\n", []),
    ("--B--\r", []),
    ("preamble\r\n--B--\r\nepilogue", []),
    ("preamble\r\n--Bx\r\n-B--\r\n--B--\r\n", []),
    ("--B\r\n\(disposition)\r\n\r\nx\r\n--B--", ["x"]),
    ("\r\n--B\r\n\(disposition)\r\n\r\nx\r\n--B--\r\n", ["x"]),
    ("This is ignored.\r\n\r\n--B\r\n\(disposition)\r\n\r\nx\r\n--B--\r\n\r\nThis too.\r\n", ["x"]),
    ("--B \t \r\n\(disposition)\r\n\r\nx\r\n--B-- \t\r\n", ["x"]),
    // Empty: with its own line end, and with that of the headers alone (RFC 2046, body-part).
    ("--B\r\n\(disposition)\r\n\r\n\r\n--B--\r\n", [""]),
    ("--B\r\n\(disposition)\r\n\r\n--B--\r\n", [""]),
    ("--B\r\n\(disposition)\r\n\r\n--B\r\n\(disposition)\r\n\r\ny\r\n--B--\r\n", ["", "y"]),
    // Look-alikes are content.
    ("--B\r\n\(disposition)\r\n\r\n--Bx\r\n--B--\r\n", ["--Bx"]),
    ("--B\r\n\(disposition)\r\n\r\n\r\n--Bx\r\n--B--\r\n", ["\r\n--Bx"]),
    ("--B\r\n\(disposition)\r\n\r\nx\r\n--B-\r\n--B--\r\n", ["x\r\n--B-"]),
    ("--B\r\n\(disposition)\r\n\r\nx\r\n--B-x\r\n--B--\r\n", ["x\r\n--B-x"]),
    ("--B\r\n\(disposition)\r\n\r\nx\r\n--B\rx\r\n--B--\r\n", ["x\r\n--B\rx"]),
    ("--B\r\n\(disposition)\r\n\r\nx\r\n--B\r\r\n--B--\r\n", ["x\r\n--B\r"]),
    ("--B\r\n\(disposition)\r\n\r\n\r\n\r\n--\r\n--b\r\n--B--\r\n", ["\r\n\r\n--\r\n--b"]),
    ("--B\r\n\(disposition)\r\n\r\n\r\r\r\n--B--\r\n", ["\r\r"]),
    ("--B\r\n\(disposition)\r\n\r\nx\n--B--\n\r\n--B--\r\n", ["x\n--B--\n"]),
    ("--B\r\n\(disposition)\r\n\r\nx--B--\r\n--B--\r\n", ["x--B--"]),
    ("--B\r\n\(disposition)\r\n\r\n\r--B\r\n--B--\r\n", ["\r--B"]),
    ("--B\r\n\(disposition)\r\n\r\n\0\u{1}\r\n--B--\r\n", ["\0\u{1}"]),
    // A nested multipart is its part's content (RFC 7578 §4.3).
    (
      "--B\r\n\(disposition)\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n"
        + "--C\r\nContent-Disposition: file; filename=f\r\n\r\nx\r\n--C--\r\n--B--\r\n",
      ["--C\r\nContent-Disposition: file; filename=f\r\n\r\nx\r\n--C--"]
    ),
    // A part's own Content-Length says nothing.
    ("--B\r\n\(disposition)\r\nContent-Length: 1\r\n\r\nxyz\r\n--B--\r\n", ["xyz"]),
    ("--B\r\nContent-Length: 99\r\n\(disposition)\r\n\r\nxyz\r\n--B--\r\n", ["xyz"]),
  ]

  @Test("frames", arguments: Self.frames)
  func frame(body: String, contents: [String]) throws {
    let parsed = try parse(body)
    #expect(parsed.error == nil)
    #expect(parsed.parts.map { Array($0.content) } == contents.map { Array($0.utf8) })
    #expect(parsed.parts.allSatisfy { $0.ended })
  }

  /// A Content-Disposition, and the name and file name in it.
  static let dispositions: [(String, String, String?)] = [
    ("form-data; name=\"a\"", "a", nil),
    ("form-data;name=\"a\";filename=\"f\"", "a", "f"),
    ("form-data; name=a", "a", nil),
    ("form-data; name=a; filename=f.txt", "a", "f.txt"),
    ("Form-Data; NAME=\"a\"; FileName=\"f\"", "a", "f"),
    ("form-data; filename=\"f\"; name=\"a\"", "a", "f"),
    ("form-data ; name = \"a\" ; filename = \"f\" ;", "a", "f"),
    ("form-data;; name=\"a\"", "a", nil),
    ("form-data; name=\"\"", "", nil),
    ("form-data; name=", "", nil),
    ("form-data; name=\"a\"; filename=\"\"", "a", ""),
    ("form-data; name=\"a;b=c\"; filename=\"d;e\"", "a;b=c", "d;e"),
    ("form-data; name=a b", "a b", nil),
    ("form-data; name=\"a\"; size=5; x=\"y\"", "a", nil),
    // Browsers leave backslashes alone, old curls escape quotes with them.
    ("form-data; name=\"a\"; filename=\"C:\\x\\y\"", "a", "C:\\x\\y"),
    ("form-data; name=\"a\"; filename=\"a\\\\b\"", "a", "a\\\\b"),
    ("form-data; name=\"a\"; filename=\"a\\\"b\"", "a", "a\"b"),
    ("form-data; name=\"a\"; filename=\"\\\"\\\"x\"", "a", "\"\"x"),
    ("form-data; name=\"a\\\"; filename=\"f\\\"", "a\\", "f\\"),
    ("form-data; name=\"a\"; filename=\"b\\s.txt\"", "a", "b\\s.txt"),
    // node's form-data, axios and Ruby's multipart-post leave quotes alone.
    ("form-data; name=\"a\"; filename=\"a\"b.txt\"", "a", "a\"b.txt"),
    ("form-data; name=\"a\"; filename=\"\"\"", "a", "\""),
    ("form-data; name=\"a\"; filename=\"\"x\"\"", "a", "\"x\""),
    ("form-data; filename=\"5\" disk\" ; name=\"a\"", "a", "5\" disk"),
    ("form-data; name=\"a\"; filename=\"q\"\u{301}.txt\"", "a", "q\"\u{301}.txt"),
    ("form-data; name=\"a\"; FILENAME=\"a\" b; c\"", "a", "a\" b; c"),
    // Browsers write %22, and do not escape %.
    ("form-data; name=\"%22\"; filename=\"%22%0D%0A\"", "%22", "%22%0D%0A"),
    // Raw UTF-8, as everyone sends it.
    ("form-data; name=\"ə\"; filename=\"💩\"", "ə", "💩"),
    // Against RFC 7578 §4.2, by libraries; the plain form wins.
    ("form-data; name=\"a\"; filename*=UTF-8''na%C3%AFve", "a", "naïve"),
    ("form-data; name=\"a\"; filename*=utf-8'en'x", "a", "x"),
    ("form-data; name=\"a\"; filename*=iso-8859-1''na%EFve", "a", ""),
    ("form-data; name=\"a\"; filename*=windows-1252'en'x; filename=\"f\"", "a", "f"),
    ("form-data; name=\"a\"; filename=\"f\"; filename*=UTF-8''g", "a", "f"),
    // .NET.
    ("form-data; name=a; filename=\"=?utf-8?B?w7w=?=\"; filename*=utf-8''%C3%BC", "a", "\u{FC}"),
    ("form-data; name=a; filename*=utf-8''%C3%BC; filename=\"=?utf-8?B?w7w=?=\"", "a", "\u{FC}"),
    ("form-data; name=a; filename=\"=?utf-8?B?w7w=?=\"", "a", "=?utf-8?B?w7w=?="),
    ("form-data; name=a; filename=\"=?x?=\"; filename*=utf-8''%4", "a", "=?x?="),
    // Several parts.
    ("form-data; name=\"a\"; filename*0=\"long-\"; filename*1=\"name.txt\"", "a", "long-name.txt"),
    ("form-data; name=\"a\"; filename*1=b; filename*0=a", "a", "ab"),
    (
      "form-data; name=\"a\"; filename*0*=utf-8''%C3; filename*1*=%BC; filename*2=.txt", "a",
      "\u{FC}.txt"
    ),
    ("form-data; name=\"a\"; filename*0*=iso-8859-1''%FC; filename*1=.txt", "a", ""),
    ("form-data; name=\"a\"; filename*=UTF-8''g; filename=\"f\"", "a", "f"),
    // What receivers must be careful with comes as it is.
    ("form-data; name=\"a\"; filename=\"../../etc/x\"", "a", "../../etc/x"),
    ("form-data; name=\"a\"; filename=\"\u{1B}[31m\"", "a", "\u{1B}[31m"),
  ]

  @Test("parameters", arguments: Self.dispositions)
  func disposition(value: String, name: String, fileName: String?) throws {
    let parsed = try parse("--B\r\nContent-Disposition: \(value)\r\n\r\nx\r\n--B--\r\n")
    #expect(parsed.error == nil)
    let header = try #require(parsed.parts.first?.header)
    #expect(header.name == name)
    #expect(header.fileName == fileName)
    #expect(header.isFile == (fileName != nil))
  }

  @Test("percent escapes can be turned back: the three that browsers write, and no others")
  func unescaping() throws {
    for (sent, meant) in [
      ("a%22b", "a\"b"), ("%0D%0A%0d%0a", "\r\n\r\n"), ("%41%2", "%41%2"), ("%", "%"),
      ("ə%22", "ə\""),
      ("%%22", "%\""), ("plain", "plain"), ("%2522", "%2522"),
    ] {
      let parsed = try parse(
        "--B\r\nContent-Disposition: form-data; name=\"\(sent)\"; filename=\"\(sent)\""
          + "\r\n\r\n\r\n--B--\r\n")
      let header = try #require(parsed.parts.first?.header)
      #expect(header.fileName == sent)
      #expect(header.unescapedFileName == meant)
      #expect(header.unescapedName == meant)
    }
  }

  @Test("bytes that are not UTF-8 become U+FFFD")
  func notUTF8() throws {
    let body =
      Array("--B\r\nContent-Disposition: form-data; name=\"a".utf8) + [0xFF]
      + Array("\"\r\n\r\n\r\n--B--\r\n".utf8)
    let parsed = Parsed(body, boundary: try Boundary("B"))
    #expect(parsed.parts.first?.header.name == "a\u{FFFD}")
  }

  @Test("headers in any order and case, folded or not, known or not")
  func headers() throws {
    let parsed = try parse(
      "--B\r\nX-Custom:no space\r\ncontent-type:text/plain;\r\n\tcharset=utf-8  \r\n"
        + "CONTENT-DISPOSITION: form-data;\r\n name=\"a\";\r\n filename=\"f\"\r\nX-Empty:\r\n"
        + "X-Custom: again\r\nX-Late:\r\n folded\r\n\r\nx\r\n--B--\r\n")
    #expect(parsed.error == nil)
    let header = try #require(parsed.parts.first?.header)
    #expect(header.name == "a" && header.fileName == "f")
    #expect(header.contentType == "text/plain; charset=utf-8")
    #expect(
      header.headers == [
        .init("X-Custom", "no space"), .init("content-type", "text/plain; charset=utf-8"),
        .init("CONTENT-DISPOSITION", "form-data; name=\"a\"; filename=\"f\""),
        .init("X-Empty", ""), .init("X-Custom", "again"), .init("X-Late", "folded"),
      ])
  }

  @Test("no Content-Type is no Content-Type; transfer encodings that change nothing are accepted")
  func types() throws {
    for encoding in ["binary", "8bit", "7bit", "Binary", "8BIT"] {
      let parsed = try parse(
        "--B\r\n\(Self.disposition)\r\nContent-Transfer-Encoding: \(encoding)\r\n\r\nx\r\n--B--\r\n"
      )
      #expect(parsed.error == nil)
      #expect(parsed.parts.first?.header.contentType == nil)
    }
  }

  @Test("boundaries from 1 to 70 characters, and those with spaces", arguments: [1, 2, 69, 70])
  func boundaries(length: Int) throws {
    for text in [
      String(repeating: "-", count: length), String(repeating: "x", count: length),
      String(repeating: "a b", count: 30).prefix(length - 1) + "c",
    ] {
      let boundary = try Boundary(String(text))
      let content = "\r\n--\(text.dropLast())\r\n-\(text)\r\n--\(text)x-\(text)--"
      let body = "--\(text)\r\n\(Self.disposition)\r\n\r\n\(content)\r\n--\(text)--\r\n"
      let whole = Parsed(Array(body.utf8), boundary: boundary)
      #expect(whole.error == nil)
      #expect(whole.parts.map(\.content) == [Array(content.utf8)])
      #expect(Parsed(Array(body.utf8), boundary: boundary) { 1 } == whole)
    }
  }
}
