import Testing
import UploadDraft

@Suite("Structured header fields")
struct FieldValueTests {
  /// The rows of RFC 9651, sections 3.3 and 4.2, that decide something here.
  static let items: [(String, FieldValue?)] = [
    ("42", .integer(42)), ("-7", .integer(-7)), ("0", .integer(0)), ("007", .integer(7)),
    ("999999999999999", .integer(999_999_999_999_999)), ("1000000000000000", nil), ("-", nil),
    ("  42  ", .integer(42)), ("42;a;b=?0", .integer(42)), ("42;", nil), ("42 43", nil), ("", nil),
    ("?1", .boolean(true)), ("?0", .boolean(false)), ("?2", nil), ("?", nil), ("true", .other),
    ("1.5", .other), ("1.", nil), ("1.2345", nil), ("4٢", nil), ("\"a\\\"b\"", .other),
    ("\"a", nil), ("\"é\"", nil), (":aGk=:", .other), (":aGk=", nil), ("@1659578233", .other),
    ("@1.5", nil), ("%\"f%c3%bc\"", .other), ("%\"f%c3\"", nil), ("+1", nil), ("1,2", nil),
  ]

  @Test("an item is read as the RFC has it", arguments: items)
  func item(_ text: String, _ value: FieldValue?) { #expect(FieldValue(item: text) == value) }

  static let dictionaries: [(String, [String: FieldValue]?)] = [
    ("max-size=1000, min-size=0", ["max-size": .integer(1000), "min-size": .integer(0)]),
    ("a,b;x=1 ,\tc=?0", ["a": .boolean(true), "b": .boolean(true), "c": .boolean(false)]),
    ("a=(1 \"x\" t);q, b=2", ["a": .other, "b": .integer(2)]), ("a=1,a=2", ["a": .integer(2)]),
    ("", [:]), ("a=", nil), ("a=1,", nil), ("A=1", nil), ("a=1 b=2", nil), ("a=(1", nil),
    ("=1", nil), ("a=(1\"x\")", nil),
  ]

  @Test("a dictionary is read as the RFC has it", arguments: dictionaries)
  func dictionary(_ text: String, _ members: [String: FieldValue]?) {
    #expect(FieldValue.dictionary(text) == members)
  }

  @Test(
    "a field with thousands of keys, each of which would be compared with all others, is ignored")
  func tooLong() {
    let keys = (0..<1000).map { "k\($0)" }
    #expect(FieldValue.dictionary(keys.prefix(500).joined(separator: ","))?.count == 500)
    #expect(FieldValue.dictionary(keys.joined(separator: ",")) == nil)
    #expect(FieldValue(item: "1;" + keys.joined(separator: ";")) == nil)
  }
}
