import MultipartForm
import Testing

@Suite struct BoundaryTests {
  @Test("each style has its shape and never repeats", arguments: Boundary.Style.allCases)
  func styles(style: Boundary.Style) throws {
    let made = (0..<1000).map { _ in Boundary.random(style) }
    #expect(Set(made).count == 1000)
    let uuid = /----[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/
    let random = /-{24}[0-9A-Za-z]{22}/
    for boundary in made {
      #expect(try (style == .uuid ? uuid : random).wholeMatch(in: boundary.text) != nil)
      #expect(try Boundary(boundary.text) == boundary)
      #expect(boundary.contentType == "multipart/form-data; boundary=\(boundary.text)")
    }
  }

  /// A bit that never changes is not random: in 128 of them over 1,000 draws, the chance that one
  /// looks stuck is about 2^-992.
  @Test("all 128 bits of a UUID-shaped boundary are random")
  func bits() {
    var ones = [Int](repeating: 0, count: 128)
    for _ in 0..<1000 {
      let digits = Boundary.random(.uuid).text.compactMap { $0.hexDigitValue }
      for (index, digit) in digits.enumerated() {
        for bit in 0..<4 where digit >> bit & 1 == 1 { ones[index * 4 + bit] += 1 }
      }
    }
    #expect(ones.allSatisfy { $0 > 0 && $0 < 1000 })
  }

  @Test("every letter of the alphabet comes up")
  func alphabet() {
    let letters = (0..<1000).flatMap { _ in Boundary.random().text.dropFirst(24) }
    #expect(Set(letters).count == 62)
  }

  static let refused: [(String, FormError.BoundaryFault)] = [
    ("", .empty),
    (String(repeating: "a", count: 71), .tooLong(71)),
    (String(repeating: "a", count: 256), .tooLong(256)),
    ("a ", .endsWithSpace), (" ", .endsWithSpace),
    ("a\r\nb", .illegalByte(0x0D)), ("a\nb", .illegalByte(0x0A)), ("a\0", .illegalByte(0)),
    ("a\"b", .illegalByte(0x22)), ("a;b", .illegalByte(0x3B)), ("ä", .illegalByte(0xC3)),
    ("a\tb", .illegalByte(0x09)), ("a*b", .illegalByte(0x2A)),
  ]

  @Test("what RFC 2046 §5.1.1 forbids is refused", arguments: Self.refused)
  func validation(text: String, fault: FormError.BoundaryFault) {
    #expect(throws: FormError.invalidBoundary(text, fault)) { try Boundary(text) }
  }

  @Test("70 characters and each of bchars are accepted")
  func legal() throws {
    #expect(try Boundary(String(repeating: "a", count: 70)).text.utf8.count == 70)
    #expect(try Boundary("09AZaz'()+_,-./:=? x").text == "09AZaz'()+_,-./:=? x")
  }

  @Test("only a boundary that needs them gets quotes (RFC 2045 §5.1)")
  func quoting() throws {
    #expect(try Boundary("a'+_-.b").contentType == "multipart/form-data; boundary=a'+_-.b")
    for text in ["a b", "a:b", "a=b", "a/b", "a?b", "a,b", "(a)"] {
      let boundary = try Boundary(text)
      #expect(boundary.contentType == "multipart/form-data; boundary=\"\(text)\"")
      #expect(try Boundary(contentType: boundary.contentType) == boundary)
    }
  }

  static let contentTypes: [(String, String)] = [
    ("multipart/form-data; boundary=x", "x"),
    ("multipart/form-data;boundary=x", "x"),
    ("Multipart/Form-Data; BOUNDARY=\"x y\"", "x y"),
    ("multipart/form-data; charset=utf-8; boundary=x", "x"),
    ("multipart/form-data; boundary=x; charset=\"a;b\"", "x"),
    ("multipart/form-data ; boundary = x ;", "x"),
    ("multipart/form-data; boundary=----=_Part_1/2:3", "----=_Part_1/2:3"),
    ("multipart/form-data; boundary=\"x\" ; a=b", "x"),
    ("multipart/form-data;; boundary=x;;", "x"),
  ]

  @Test("a receiver finds the boundary in a Content-Type", arguments: Self.contentTypes)
  func fromContentType(contentType: String, boundary: String) throws {
    #expect(try Boundary(contentType: contentType).text == boundary)
  }

  static let bad: [(String, FormError)] =
    [
      "", ";", "text/plain; boundary=x", "multipart/mixed; boundary=x", "multipart/form-data; =x",
      "multipart/form-data; boundary", "multipart/form-data; boundary=\"x",
      "multipart/form-data; boundary=\"x\"y", "multipart/form-data x; boundary=x",
    ].map { ($0, .notMultipartForm($0)) }
    + [
      "multipart/form-data", "multipart/form-data; charset=x",
      "multipart/form-data; boundary=x; boundary=y", "multipart/form-data; boundary=x; Boundary=x",
    ].map { ($0, .missingBoundary($0)) }
    + [
      ("multipart/form-data; boundary=", .invalidBoundary("", .empty)),
      ("multipart/form-data; boundary=\"\"", .invalidBoundary("", .empty)),
      ("multipart/form-data; boundary=\"a \"", .invalidBoundary("a ", .endsWithSpace)),
      (
        "multipart/form-data; boundary=" + String(repeating: "x", count: 256),
        .invalidBoundary(String(repeating: "x", count: 256), .tooLong(256))
      ),
    ]

  @Test("other types, no boundary, two or a bad one are refused", arguments: Self.bad)
  func badContentType(contentType: String, error: FormError) {
    #expect(throws: error) { try Boundary(contentType: contentType) }
  }
}
