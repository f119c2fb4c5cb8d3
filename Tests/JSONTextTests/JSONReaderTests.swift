import Testing

@testable import JSONText

/// What RFC 8259 allows and what it does not, and what it leaves to the reader.
@Suite struct JSONReaderTests {
  /// Documents, and the same as the reader writes them again.
  static let good: [(text: String, source: String)] = [
    // Any value is a document (§2), with any of the four blanks around it.
    ("null", "null"), ("true", "true"), ("false", "false"), (" \t\r\n0\n\r\t ", "0"),
    ("\"\"", "\"\""), ("[]", "[]"), ("{}", "{}"), ("\u{FEFF}[1]", "[1]"),
    ("[1,\"1\",true,null,[],{}]", "[1,\"1\",true,null,[],{}]"), ("[ 1 , 2 ]", "[1,2]"),
    (" { \"b\" : { } , \"a\" : [ ] } ", "{\"a\":[],\"b\":{}}"), ("{\"\":0}", "{\"\":0}"),
    // Numbers (§6).
    ("0", "0"), ("-0", "0"), ("-1", "-1"), ("1.5", "1.5"), ("-0.25", "-0.25"), ("1e2", "100"),
    ("1E+2", "100"), ("25e-1", "2.5"), ("1.0", "1"), ("0e5", "0"), ("0.1", "0.1"),
    ("9007199254740993", "9007199254740993"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775808", "9223372036854775808"), ("1e300", "1e+300"), ("1e-999", "0"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"), ("[-2.5E-3]", "[-0.0025]"),
    // Strings (§7).
    (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#), (#""a\u00e4\u00E4""#, "\"aää\""),
    (#""\ud83d\ude00""#, "\"😀\""), (#""\u0000""#, #""\u0000""#), ("\"\u{7F}ə💩\"", "\"\u{7F}ə💩\""),
    ("\"/\u{301}\\\"\u{301}\"", "\"/\u{301}\\\"\u{301}\""), (#""\u2028""#, "\"\u{2028}\""),
    // Half a pair, wherever it stands (§8.2).
    (#""\ud83d""#, "\"\u{FFFD}\""), (#""\ude00""#, "\"\u{FFFD}\""),
    (#""\ud83dx""#, "\"\u{FFFD}x\""),
    (#""\ud83d\n""#, "\"\u{FFFD}\\n\""), (#""\ud83d\u0041""#, "\"\u{FFFD}A\""),
    (#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}😀\""), (#""\ude00\ud83d""#, "\"\u{FFFD}\u{FFFD}\""),
    // Of several members with one name the last counts (§4), however the name is written.
    (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#), (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#),
  ]

  @Test("what is JSON", arguments: good)
  func reads(text: String, source: String) throws {
    let value = try JSONValue(bytes: Array(text.utf8))
    #expect(value.source == source)
    #expect(JSONValue(text: text) == value)
    // What is written can be read again.
    #expect(JSONValue(text: source)?.source == source)
  }

  /// Texts, and the byte that is at fault.
  static let bad: [(text: String, offset: Int)] = [
    ("", 0), (" ", 1), ("\u{FEFF}", 3), ("\u{FEFF}\u{FEFF}1", 3), ("nul", 3), ("nulL", 3),
    ("True", 0), ("tru", 3), ("truex", 4), ("NaN", 0), ("Infinity", 0), ("undefined", 0),
    ("<html>", 0), ("'a'", 0), ("a", 0), ("1 2", 2), ("1,", 1), ("null null", 5), ("\u{A0}1", 0),
    ("\u{B}1", 0), ("/* */1", 0), ("1 // one", 2),
    // Arrays and objects.
    ("[", 1), ("]", 0), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2),
    ("[]]", 2), ("{", 1), ("}", 0), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":}", 5), ("{\"a\":1", 6),
    ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{,}", 1), ("{a:1}", 1), ("{1:1}", 1), ("{\"a\" 1}", 5),
    ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1]", 6), ("{'a':1}", 1), ("{null:1}", 1), ("{\"a\",1}", 4),
    // A mark behind a sign does not hide it, nor is it nothing.
    ("[\u{301}1]", 1), ("[1\u{200D}]", 2), ("{\"a\":\u{FE0F}1}", 5), ("\"a\"\u{301}", 3),
    // Numbers.
    ("-", 1), ("+1", 0), ("01", 1), ("-01", 2), ("1.", 2), (".5", 0), ("1.e1", 2), ("1e", 2),
    ("1e+", 3), ("1e1.5", 3), ("--1", 1), ("0x10", 1), ("1_000", 1), ("１", 0), ("-x", 1),
    ("1e--2", 3),
    // Strings.
    ("\"", 1), ("\"a", 2), ("\"\\\"", 3), ("\"\\", 2), (#""\x41""#, 2), (#""\'""#, 2),
    (#""\u12""#, 5),
    (#""\u12G4""#, 5), (#""\U0041""#, 2), (#""\u+041""#, 3), ("\"a\nb\"", 2), ("\"a\tb\"", 2),
    ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1), (#""\ud83d\u12""#, 11), ("\"\\\n\"", 2),
  ]

  @Test("what is no JSON, and where that shows", arguments: bad)
  func refuses(text: String, offset: Int) throws {
    let mistake = try #require(throws: JSONError.self) {
      try JSONValue(bytes: Array(text.utf8))
    }
    #expect(mistake.offset == offset)
    let bytes = Array(text.utf8)
    #expect(mistake.reason == (offset < bytes.count ? .unexpected(bytes[offset]) : .ended))
    #expect(JSONValue(text: text) == nil)
  }

  @Test(
    "a string is UTF-8",
    arguments: [
      [0xFF], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0x80],
    ])
  func notUTF8(_ bytes: [UInt8]) throws {
    for escape in [[], Array("\\n".utf8)] {
      let text = Array("[\"".utf8) + escape + bytes + Array("\"]".utf8)
      let mistake = try #require(throws: JSONError.self) { try JSONValue(bytes: text) }
      #expect(mistake == JSONError(reason: .notUTF8, offset: 1))
    }
  }

  @Test("a number beyond Double is refused and not taken for infinity")
  func hugeNumbers() throws {
    for text in [
      "1e999", "-1e309", String(repeating: "9", count: 400) + ".0", "1e99999999999999999999",
    ] {
      let mistake = try #require(throws: JSONError.self) {
        try JSONValue(bytes: Array("[\(text)]".utf8))
      }
      #expect(mistake == JSONError(reason: .numberOutOfRange, offset: 1), "\(text)")
    }
    let long = "0." + String(repeating: "1", count: 100_000)
    #expect(JSONValue(text: long) == .number(0.1111111111111111))
  }

  @Test("each limit is met exactly and passed by one")
  func limits() throws {
    func nested(_ depth: Int, _ open: String, _ inner: String, _ close: String) -> [UInt8] {
      Array(
        (String(repeating: open, count: depth) + inner + String(repeating: close, count: depth))
          .utf8)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
      let levels = open.utf8.count == 6 ? 2 : 1
      #expect(throws: Never.self) {
        try JSONValue(bytes: nested(6 / levels, open, "1", close), limits: JSONLimits(depth: 6))
      }
      let mistake = try #require(throws: JSONError.self) {
        try JSONValue(bytes: nested(6 / levels, open, "[]", close), limits: JSONLimits(depth: 6))
      }
      #expect(mistake.reason == .tooDeep(limit: 6))
    }
    let three = JSONLimits(values: 3)
    #expect(throws: Never.self) { try JSONValue(bytes: Array("[1,2]".utf8), limits: three) }
    for text in ["[1,2,3]", "{\"a\":1,\"a\":2,\"a\":3}", "[[[[]]]]"] {
      let mistake = try #require(throws: JSONError.self) {
        try JSONValue(bytes: Array(text.utf8), limits: three)
      }
      #expect(mistake.reason == .tooManyValues(limit: 3), "\(text)")
    }
  }

  @Test(
    "a whole number beyond 64 bits keeps its digits",
    arguments: [
      "9223372036854775808", "13571357135713571357", "-9223372036854775809",
      "1" + String(repeating: "0", count: 400),
    ])
  func longIntegers(_ digits: String) throws {
    let value = try #require(JSONValue(text: "[\(digits)]"))
    #expect(value == .array([.longInteger(digits)]) && value.source == "[\(digits)]")
    #expect(JSONValue.longInteger(digits).text == digits)
    #expect(value.hashValue == JSONValue(text: value.source)?.hashValue)
    #expect(JSONValue(text: "9223372036854775807") == .integer(.max))
  }

  /// What reads a value by trying one type after the other takes as many steps as there are values
  /// times the levels above them, or many more: years, at these sizes.
  @Test("deep and long at once is read in one go")
  func linear() throws {
    let depth = 120
    let inner = Array(repeating: "{\"a\":[0,\"x\"]}", count: 50_000).joined(separator: ",")
    let text =
      String(repeating: "[", count: depth) + inner + String(repeating: "]", count: depth)
    let value = try JSONValue(bytes: Array(text.utf8))
    #expect(value.source == text)
    // A megabyte of opening brackets ends at the limit.
    for sign in ["[", "{\"a\":", "[{\"a\":"] {
      let endless = String(repeating: sign, count: 1 << 20)
      let mistake = try #require(throws: JSONError.self) {
        try JSONValue(bytes: Array(endless.utf8))
      }
      #expect(mistake.reason == .tooDeep(limit: 128))
    }
    let escapes = String(repeating: #"\ud83d\n\u0041"#, count: 50_000)
    #expect(
      JSONValue(text: "\"\(escapes)\"")
        == .string(String(repeating: "\u{FFFD}\nA", count: 50_000)))
  }

  /// Nothing crashes, and what is taken is written and read again as the same.
  @Test("random bytes out of JSON's own alphabet")
  func random() {
    var state: UInt64 = 17
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let words = [
      "[", "]", "{", "}", ":", ",", "\"", "\\", "\\u", "d83d", "de00", "0041", "1", "0", "-", ".",
      "e", "true", "null", "\"a\"", " ", "\u{301}", "\u{200D}", "\u{FE0F}", "\n", "\u{0}",
      "{\"a\":",
      "[1,", "1]", "}]",
    ]
    var taken = 0
    for _ in 0..<20_000 {
      let text = (0..<(1 + draw(8))).map { _ in words[draw(words.count)] }.joined()
      guard let value = JSONValue(text: text) else { continue }
      taken += 1
      #expect(JSONValue(text: value.source) == value, "\(text)")
    }
    #expect(taken > 100)
  }
}
