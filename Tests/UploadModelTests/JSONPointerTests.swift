import JSONText
import Testing

@testable import UploadModel

struct JSONPointerTests {
  @Test func anIdentifierKeepsItsDigits() throws {
    let document = JSONValue(text: #"{"id": 13571357135713571357}"#)
    #expect(try JSONPointer("/id").text(in: document) == "13571357135713571357")
  }

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
    #expect(throws: InvalidInput.self) { try JSONPointer(text) }
  }
}
