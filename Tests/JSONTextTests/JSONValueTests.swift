import JSONText
import Testing

@Suite struct JSONValueTests {
  @Test func equality() {
    #expect(JSONValue.integer(1) == .number(1) && JSONValue.integer(1) != .number(1.5))
    #expect(JSONValue.integer(1) != .bool(true) && JSONValue.integer(0) != .string("0"))
    #expect(JSONValue.integer(1).hashValue == JSONValue.number(1).hashValue)
  }

  @Test func whatJSONCannotHoldIsNull() {
    #expect(JSONValue.array([.number(.infinity), .number(.nan)]).source == "[null,null]")
  }

  @Test func aStringIsReadWithoutQuotesAndAllElseAsItIsWritten() {
    #expect(JSONValue.string("a\"").text == "a\"")
    #expect(
      JSONValue.object(["b": .null, "a": .array([.bool(true)])]).text == #"{"a":[true],"b":null}"#)
  }

  /// After each sign that has a meaning, a mark that makes one `Character` of both.
  @Test(
    "no combining mark keeps a sign from being escaped",
    arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
  func marks(_ mark: String) {
    for sign in ["\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\r\n"] {
      let text = "a\(sign)\(mark)b"
      let source = JSONValue.string(text).source
      #expect(source.utf8.allSatisfy { $0 >= 0x20 }, "\(source)")
      guard case .string(let again)? = JSONValue(text: source) else {
        Issue.record("\(source) is no JSON")
        continue
      }
      #expect(Array(again.utf8) == Array(text.utf8))
    }
  }
}
