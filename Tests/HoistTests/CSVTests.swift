import JSONText
import Testing
import UploadModel

@testable import hoist

struct CSVTests {
  @Test(
    "values are quoted where they have to be (RFC 4180)",
    arguments: [
      ("a b;c", "a b;c"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
      ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""), ("", ""),
    ])
  func quoting(value: String, field: String) {
    #expect(CSV.row([value, "x"]) == "\(field),x")
  }
}

struct JSONLineTests {
  @Test("what a terminal may obey is escaped, and is the same JSON")
  func escaped() throws {
    let value = JSONValue.object(["a\u{202E}": .string("x\u{9B}31m\u{7F}\u{1B}ä🙂\"/")])
    let text = JSONLine.text(value)
    #expect(text == #"{"a\u202e":"x\u009b31m\u007f\u001bä🙂\"/"}"#)
    #expect(JSONValue(text: text) == value)
  }
}
