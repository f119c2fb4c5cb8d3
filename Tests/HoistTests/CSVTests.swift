import Testing

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

