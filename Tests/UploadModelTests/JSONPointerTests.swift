import Testing
import UploadModel

struct JSONPointerTests {
  /// The document and the pointers of RFC 6901 §5.
  private static let document = #"""
    {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
     " ": 7, "m~n": 8}
    """#

  @Test(arguments: [
    ("/foo", #"["bar","baz"]"#), ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
  ])
  func theExamplesOfTheRFC(_ pointer: String, _ value: String) throws {
    let document = try #require(JSONValue(text: Self.document))
    #expect(try JSONPointer(pointer).value(in: document)?.source == value)
  }

  @Test func theEmptyPointerIsTheWhole() throws {
    let document = try #require(JSONValue(text: Self.document))
    #expect(try JSONPointer("").value(in: document) == document)
    #expect(JSONPointer.whole.value(in: document) == document)
  }

  @Test(arguments: [
    "/nope", "/foo/2", "/foo/-", "/foo/-1", "/foo/01", "/foo/+1", "/foo/ 1", "/foo/", "/foo/0/x",
    "//", "/foo/99999999999999999999", "/FOO",
  ])
  func whatIsNotThere(_ pointer: String) throws {
    let document = try #require(JSONValue(text: Self.document))
    #expect(try JSONPointer(pointer).value(in: document) == nil)
  }

  /// `~01` is a tilde and a one, not a slash (RFC 6901 §4).
  @Test func escapesAreTakenOnce() throws {
    #expect(try JSONPointer("/~01/~1").tokens == ["~1", "/"])
    #expect(try JSONPointer("/a/").tokens == ["a", ""])
  }

  @Test(arguments: ["a", "a/b", " /a", "#/a", "/~", "/a~2", "/~~0"])
  func whatIsNoPointer(_ text: String) {
    #expect(throws: JSONPointer.Mistake.self) { try JSONPointer(text) }
  }
}

struct JSONValueTests {
  @Test(arguments: [
    ("null", "null"), ("true", "true"), ("0", "0"), ("-1", "-1"), ("1.5", "1.5"),
    ("9007199254740993", "9007199254740993"), ("\"a\\u00e4\"", "\"aä\""),
    ("[1,\"1\",true]", "[1,\"1\",true]"), (" {\"b\":{}, \"a\":[]} ", "{\"a\":[],\"b\":{}}"),
    ("\"a\\\"\\\\\\n\\u0001\"", "\"a\\\"\\\\\\n\\u0001\""),
  ])
  func values(_ text: String, _ source: String) {
    #expect(JSONValue(text: text)?.source == source)
  }

  @Test(arguments: ["", "{", "nul", "[1", "{\"a\":}", "<html>", "1 2", "\"a"])
  func whatIsNoJSON(_ text: String) { #expect(JSONValue(text: text) == nil) }

  @Test func aDeepOneIsRefusedAndNotFallenInto() {
    let deep = String(repeating: "[", count: 60_000)
    #expect(JSONValue(text: deep) == nil)
    #expect(JSONValue(text: deep + String(repeating: "]", count: 60_000)) == nil)
  }

  @Test func equality() {
    #expect(JSONValue.integer(1) == .number(1) && JSONValue.integer(1) != .number(1.5))
    #expect(JSONValue.integer(1) != .bool(true) && JSONValue.integer(0) != .string("0"))
    #expect(JSONValue.integer(1).hashValue == JSONValue.number(1).hashValue)
  }
}
