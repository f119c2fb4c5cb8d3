import Foundation
import MultipartForm
import MultipartFormCodable
import Testing

/// A form with these fields, as it arrives.
func form(_ fields: [(String, String)]) throws -> CollectedForm {
  try collected(FormData(parts: fields.map { .data(name: $0, bytes: $1.utf8) }))
}

/// What a receiver makes of a form.
func collected(_ form: FormData) throws -> CollectedForm {
  try CollectedForm(FormBody(form).bytes(), boundary: form.boundary)
}

/// Something of everything.
struct Order: Codable, Hashable {
  enum Size: String, Codable { case small, large }
  struct Line: Codable, Hashable {
    var article: String
    var count: Int
    var notes: [String]
  }
  struct Address: Codable, Hashable {
    var street: String
    var geo: [Double]
    var floor: Int?
  }

  var name: String
  var isGift: Bool
  var size: Size
  var price: Decimal
  var address: Address
  var lines: [Line]
  var tags: [String]
  var grid: [[UInt8]]
  var extra: [String: Int64]
  var id: UUID
  var page: URL?
  var day: Date
  var blob: Data
  var cover: FormFile
  var photos: [FormFile]

  static let sample = Order(
    name: "Ada\nLovelace \"é\"", isGift: true, size: .large, price: Decimal(1999) / 100,
    address: Address(street: "", geo: [52.5, -13], floor: nil),
    lines: [
      Line(article: "tea", count: 2, notes: []), Line(article: "cup", count: 1, notes: ["a", "b"]),
    ],
    tags: ["x", "", "y"], grid: [[1, 2], [3]], extra: ["left": .min, "right": .max], id: UUID(),
    page: nil, day: Date(timeIntervalSince1970: 1_777_638_600.125), blob: Data([0, 13, 10, 255]),
    cover: FormFile([1, 2, 3], fileName: "c \"1\".jpg", contentType: "image/jpeg"),
    photos: [FormFile([], fileName: "empty"), FormFile([9], fileName: "p")])
}

@Suite("Values to forms and back")
struct CodingTests {
  @Test("a value comes back as it was, whatever its arrays and dates are called")
  func roundTrip() throws {
    for arrays in [MultipartFormEncoder.ArrayNames.brackets, .indices, .repeated] {
      for dates in [FormDates.iso8601, .secondsSince1970, .millisecondsSince1970] {
        let sent = try MultipartFormEncoder(dates: dates, arrays: arrays).encode(Order.sample)
        let read: Order = try MultipartFormDecoder(dates: dates).decode(from: collected(sent))
        #expect(read == Order.sample, "\(arrays), \(dates)")
      }
    }
  }

  @Test("parts have these names")
  func names() throws {
    struct Page: Encodable {
      var title = "t"
      var missing: Int?
      var tags = ["a", "b"]
      var rows = [["x": 1], ["x": 2]]
      var grid = [[1, 2], [3]]
      var none: [String] = []
    }
    for (arrays, names): (MultipartFormEncoder.ArrayNames, _) in [
      (.brackets, ["tags[]", "tags[]", "grid[0][]", "grid[0][]", "grid[1][]"]),
      (.indices, ["tags[0]", "tags[1]", "grid[0][0]", "grid[0][1]", "grid[1][0]"]),
      (.repeated, ["tags", "tags", "grid[0]", "grid[0]", "grid[1]"]),
    ] {
      let form = try MultipartFormEncoder(arrays: arrays).encode(Page())
      var all = names
      all.insert("title", at: 0)
      all.insert(contentsOf: ["rows[0][x]", "rows[1][x]"], at: 3)
      #expect(form.parts.map(\.name) == all)
    }
  }

  @Test(
    "fields as browsers and others send them",
    arguments: [
      ([("n", "7")], ["n": [7]]),
      ([("n", "7"), ("n", "8")], ["n": [7, 8]]),
      ([("n[]", "7"), ("m", "1"), ("n[]", "8")], ["m": [1], "n": [7, 8]]),
      // Rows that a page has numbered, one of them taken out, and ten before nine.
      ([("n[10]", "3"), ("n[0]", "1"), ("n[9]", "2")], ["n": [1, 2, 3]]),
      ([("n[9223372036854775807]", "1")], ["n": [1]]),
      // Not of the form of nested names: names as they are.
      ([("n[", "1"), ("[n]", "2"), ("n]", "3")], ["n[": [1], "[n]": [2], "n]": [3]]),
      (
        [("n[a", "1"), ("n[a]b", "2"), ("n[[a]]", "3")], ["n[a": [1], "n[a]b": [2], "n[[a]]": [3]]
      ),
      ([], [:]),
    ] as [([(String, String)], [String: [Int]])])
  func arrays(fields: [(String, String)], expected: [String: [Int]]) throws {
    #expect(try MultipartFormDecoder().decode([String: [Int]].self, from: form(fields)) == expected)
  }

  @Test("what is left empty is nil, and no text")
  func empty() throws {
    struct Search: Decodable, Equatable {
      var text: String
      var other: String?
      var most: Int?
      var since: Date?
      var file: FormFile?
      var files: [FormFile]
      var tags: [String]
      var isExact: Bool?
    }
    let chosen = FormPart.data(name: "file", fileName: "", bytes: [])
    let noFiles = FormPart.data(name: "files[]", fileName: "", bytes: [])
    let fields = ["text", "other", "most", "since"].map { FormPart.text(name: $0, value: "") }
    #expect(
      try MultipartFormDecoder().decode(
        Search.self, from: collected(FormData(parts: fields + [chosen, noFiles])))
        == Search(text: "", other: "", most: nil, since: nil, files: [], tags: []))
    #expect(
      try MultipartFormDecoder().decode(Search.self, from: form([("text", "a")]))
        == Search(text: "a", files: [], tags: []))
  }

  @Test("keys are compared by their bytes")
  func canonicalEquivalents() throws {
    #expect(
      try MultipartFormDecoder().decode([String: String].self, from: form([("\u{E9}", "a")]))
        == ["\u{E9}": "a"])
    struct Named: Decodable {
      var value: String
      enum CodingKeys: String, CodingKey { case value = "\u{E9}" }
    }
    #expect(throws: DecodingError.self) {
      try MultipartFormDecoder().decode(Named.self, from: form([("e\u{301}", "a")]))
    }
    // Both may come, and one does not hide the other.
    #expect(
      try MultipartFormDecoder().decode(
        Named.self, from: form([("e\u{301}", "a"), ("\u{E9}", "b")])
      ).value == "b")
  }

  @Test(
    "dates",
    arguments: [
      (FormDates.iso8601, "2026-05-01T12:30:00Z", 1_777_638_600),
      (.iso8601, "2026-05-01T14:30:00+02:00", 1_777_638_600),
      (.iso8601, "2026-05-01T12:30:00.250Z", 1_777_638_600.25),
      (.iso8601, "1777638600", nil), (.iso8601, "2026-05-01", nil), (.iso8601, "soon", nil),
      (.secondsSince1970, "1777638600.25", 1_777_638_600.25),
      (.secondsSince1970, "nan", nil), (.secondsSince1970, "1e999", nil),
      (.millisecondsSince1970, "1777638600250", 1_777_638_600.25),
      (.millisecondsSince1970, "1777638600.25", nil),
    ] as [(FormDates, String, Double?)])
  func dates(dates: FormDates, text: String, seconds: Double?) throws {
    let form = try form([("day", text)])
    let read = try? MultipartFormDecoder(dates: dates).decode([String: Date].self, from: form)
    #expect(read?["day"]?.timeIntervalSince1970 == seconds)
  }

  @Test("a file on disk is sent from there")
  func location() throws {
    let form = try MultipartFormEncoder().encode(["log": FormFile(at: "/etc/passwd")])
    let read = try MultipartFormDecoder().decode([String: FormFile].self, from: collected(form))
    #expect(read["log"]?.fileName == "passwd")
    #expect(try read["log"]?.bytes == Array(Data(contentsOf: URL(filePath: "/etc/passwd"))))
  }

  @Test("classes with a superclass, and values that decode by hand")
  func byHand() throws {
    class Base: Codable {
      var base = 0
      init() {}
    }
    final class Derived: Base {
      var own = 0
      enum CodingKeys: CodingKey { case own, pair }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        var pair = try values.nestedUnkeyedContainer(forKey: .pair)
        own = try pair.decode(Int.self)
        _ = try pair.nestedContainer(keyedBy: CodingKeys.self).decode(Int.self, forKey: .own)
        #expect(pair.isAtEnd)
        try super.init(from: values.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        var pair = values.nestedUnkeyedContainer(forKey: .pair)
        var first = pair.nestedContainer(keyedBy: CodingKeys.self)
        try first.encode(own, forKey: .own)
        try super.encode(to: values.superEncoder())
      }
    }
    let value = Derived()
    (value.base, value.own) = (1, 2)
    #expect(
      try MultipartFormEncoder().encode(value).parts.map(\.name)
        == ["pair[0][own]", "super[base]"])
    let read = try MultipartFormDecoder().decode(
      Derived.self, from: form([("pair[0]", "2"), ("pair[1][own]", "3"), ("super[base]", "1")]))
    #expect(read.own == 2 && read.base == 1)
  }
}
