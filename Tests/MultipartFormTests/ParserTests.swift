import MultipartForm
import MultipartOracle
import Testing

@Suite struct ParserTests {
  let boundary: Boundary

  init() throws { boundary = try Boundary("B") }

  private func parse(_ body: String) -> Parsed { Parsed(Array(body.utf8), boundary: boundary) }

  static let plain =
    "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\n"
    + "Content-Type: text/plain\r\n\r\nhello\r\n--B--\r\n"

  @Test("a part's headers, content and end")
  func onePart() throws {
    let parsed = parse(Self.plain)
    #expect(parsed.error == nil)
    let part = try #require(parsed.parts.first)
    #expect(parsed.parts.count == 1)
    #expect(part.header.name == "a")
    #expect(part.header.fileName == "f")
    #expect(part.header.contentType == "text/plain")
    #expect(part.content == Array("hello".utf8))
    #expect(part.ended)
  }

  @Test("any chunking gives the same events", arguments: 1...Self.plain.utf8.count)
  func chunks(size: Int) {
    let whole = parse(Self.plain)
    let pieces = Parsed(Array(Self.plain.utf8), boundary: boundary) { size }
    #expect(pieces == whole)
  }
}
