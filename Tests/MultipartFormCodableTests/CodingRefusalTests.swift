import Foundation
import MultipartForm
import Testing

@testable import MultipartFormCodable

@Suite("Values and forms that are refused")
struct CodingRefusalTests {
  private struct Person: Decodable {
    struct Address: Decodable { var street: String }
    enum Size: String, Decodable { case small }
    struct Even: Decodable {
      struct Odd: Error, CustomStringConvertible { var description: String { "an odd number" } }
      init(from decoder: any Decoder) throws {
        guard try decoder.singleValueContainer().decode(Int.self) % 2 == 0 else { throw Odd() }
      }
    }
    var name: String?
    var age: UInt8?
    var ok: Bool?
    var weight: Double?
    var price: Decimal?
    var address: Address?
    var rows: [Address]?
    var size: Size?
    var even: Even?
    var file: FormFile?
    var id: UUID?
    var numbers: [Int]?
  }

  /// The path to the value, and the error.
  private static func refusal(of fields: [FormPart]) throws -> (path: String, words: String)? {
    let form = try collected(FormData(parts: fields))
    do throws(DecodingError) {
      _ = try MultipartFormDecoder().decode(Person.self, from: form)
      return nil
    } catch {
      let (keys, context): ([any CodingKey], DecodingError.Context) =
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context): ([], context)
        case .keyNotFound(let key, let context): ([key], context)
        case .dataCorrupted(let context): ([], context)
        @unknown default: fatalError("another kind of error")
        }
      return (FieldName.text(context.codingPath + keys), context.debugDescription)
    }
  }

  private static let file = FormPart.data(name: "name", fileName: "n", bytes: [65])

  @Test(
    "each with its path and its reason",
    arguments: [
      ([("age", "-1")], "age", "is not of the type UInt8"),
      ([("age", "256")], "age", "is not of the type UInt8"),
      ([("age", "7 ")], "age", "is not of the type UInt8"),
      ([("age", "٧")], "age", "is not of the type UInt8"),
      ([("age", "7"), ("age", "8")], "age", "occurs several times"),
      ([("age[]", "7")], "age", "is not a single value"),
      ([("name", "a"), ("name[b]", "c")], "name", "is not a single value"),
      ([("ok", "yes")], "ok", "is not of the type Bool"),
      ([("weight", "nan")], "weight", "is not of the type Double"),
      ([("weight", "-inf")], "weight", "is not of the type Double"),
      ([("weight", "1e999")], "weight", "is not of the type Double"),
      ([("price", "1.5 EUR")], "price", "is not of the type"),
      ([("price", "1.2.3")], "price", "is not of the type"),
      ([("address", "x")], "address", "is a single value"),
      ([("address[city]", "x")], "address[street]", "is missing"),
      ([("address[street][]", "x")], "address[street]", "is not a single value"),
      ([("rows[0][street]", "x"), ("rows[1][city]", "x")], "rows[1][street]", "is missing"),
      ([("rows[][street]", "x")], "rows", "is not an array"),
      ([("rows[a][street]", "x")], "rows", "is not an array"),
      ([("numbers[0]", "1"), ("numbers[00]", "2")], "numbers", "is not an array"),
      ([("numbers[-1]", "1")], "numbers", "is not an array"),
      ([("numbers[0]", "1"), ("numbers[]", "2")], "numbers", "is not an array"),
      ([("numbers[9223372036854775808]", "1")], "numbers", "is not an array"),
      ([("numbers", "1"), ("numbers", "x")], "numbers[1]", "is not of the type Int"),
      ([("size", "tiny")], "size", "tiny"),
      ([("even", "3")], "even", "an odd number"),
      ([("file", "text")], "file", "is not a file"),
      ([("id", "1")], "id", "UUID"),
    ] as [([(String, String)], String, String)])
  func fields(fields: [(String, String)], path: String, words: String) throws {
    let refusal = try #require(
      try Self.refusal(of: fields.map { .data(name: $0, bytes: $1.utf8) }))
    #expect(refusal.path == path)
    #expect(refusal.words.contains(words), "\(refusal.words)")
  }

  @Test("a text that is a file, or not UTF-8")
  func texts() throws {
    #expect(try Self.refusal(of: [Self.file])?.words == "The field \"name\" is a file.")
    #expect(
      try Self.refusal(of: [.data(name: "name", bytes: [0xFF])])?.words
        == "The field \"name\" is not UTF-8.")
  }

  @Test("a name of too many keys, before anything is made of it")
  func depth() throws {
    let deepest = "a" + String(repeating: "[b]", count: 7)
    #expect(try Self.refusal(of: [.text(name: deepest, value: "")]) == nil)
    for name in [deepest + "[b]", "a" + String(repeating: "[]", count: 8_000)] {
      #expect(
        try Self.refusal(of: [.text(name: "b", value: ""), .text(name: name, value: "")])?.words
          == "The name of part 2 has more than 8 keys.")
    }
    #expect(throws: Never.self) {
      try MultipartFormDecoder(depth: 9).decode(
        Person.self, from: form([(deepest + "[b]", "")]))
    }
  }

  @Test("a type that contains itself, and one field for a structure")
  func endless() throws {
    final class Endless: Decodable { let next: Endless }
    #expect(throws: DecodingError.self) {
      try MultipartFormDecoder().decode(Endless.self, from: form([]))
    }
    #expect(throws: DecodingError.self) {
      try MultipartFormDecoder().decode(Int.self, from: form([("a", "1")]))
    }
  }

  @Test("forms at their limits: a thousand indices far apart, a thousand deep names")
  func large() throws {
    let indices = (0..<1_000).map { ("n[\($0 * 1_000_003)]", "\($0)") }
    #expect(
      try MultipartFormDecoder().decode([String: [Int]].self, from: form(indices.reversed()))
        == ["n": Array(0..<1_000)])
    let deep = (0..<1_000).map { ("a" + String(repeating: "[\($0)]", count: 7), "x") }
    #expect(throws: DecodingError.self) {
      try MultipartFormDecoder().decode([String: [Int]].self, from: form(deep))
    }
  }

  private static func encodingError(_ value: some Encodable) throws -> (
    path: String, words: String
  )? {
    do throws(EncodingError) {
      _ = try MultipartFormEncoder().encode(value)
      return nil
    } catch {
      guard case .invalidValue(_, let context) = error else { return nil }
      return (FieldName.text(context.codingPath), context.debugDescription)
    }
  }

  @Test("values that a form cannot say")
  func values() throws {
    struct Bad: Encodable {
      struct Broken: Error, CustomStringConvertible { var description: String { "broken" } }
      func encode(to encoder: any Encoder) throws { throw Broken() }
    }
    let cases: [(any Encodable, String, String)] = [
      (7, "", "named values"), (["a"], "0", "named values"),
      (["a": [1, nil]], "a[1]", "cannot be nil"), (["a": Double.infinity], "a", "cannot be sent"),
      (["a": ["b": Float.nan]], "a[b]", "cannot be sent"),
      (["a": Decimal.nan], "a", "cannot be sent"),
      (["a[b]": 1], "a[b]", "brackets"), (["": 1], "", "must not be empty"),
      (["a": ["b]": 1]], "a[b]]", "brackets"), (["a": Bad()], "a", "broken"),
      (["a": ["b": ["c": Bad()]]], "a[b][c]", "broken"),
    ]
    for (value, path, words) in cases {
      let refusal = try #require(try Self.encodingError(value), "\(value)")
      #expect(refusal.path == path)
      #expect(refusal.words.contains(words), "\(refusal.words)")
    }
    // What is nil beside names is left out.
    #expect(try MultipartFormEncoder().encode(["a": Int?.none]).parts.isEmpty)
  }

  @Test("other coders do not know files")
  func otherCoders() throws {
    #expect(throws: EncodingError.self) {
      try JSONEncoder().encode(FormFile([], fileName: "a"))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FormFile.self, from: Data("{}".utf8))
    }
  }
}
