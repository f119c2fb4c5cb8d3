import Foundation
import MultipartForm
import ScalarText
import Testing

@testable import UploadModel

struct TemplateTests {
  private static let uuid = "5E8F4B8A-0000-4000-8000-0123456789AB"

  private func values(_ name: String = "photo.tar.gz") -> Template.Values {
    Template.Values(
      fileName: name, fileSize: 1234, fileType: "image/jpeg",
      now: Date(timeIntervalSince1970: 1_795_212_900.5), uuid: UUID(uuidString: Self.uuid) ?? UUID()
    )
  }

  private func filled(_ source: String, name: String = "photo.tar.gz") throws -> String {
    try Template(source, environment: { ["TOKEN": "{s3cret}", "EMPTY": ""][$0] })
      .filled(with: values(name))
  }

  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("{file.name}", "photo.tar.gz"), ("{file.stem}", "photo.tar"),
    ("{file.ext}", "gz"), ("{file.size}", "1234"), ("{file.type}", "image/jpeg"),
    ("{unix_ms}", "1795212900500"), ("{unix_s}", "1795212900"),
    ("{now.iso8601}", "2026-11-20T22:15:00Z"), ("{uuid}", uuid.lowercased()),
    ("{unix_s}_{file.stem}.{file.ext}", "1795212900_photo.tar.gz"),
    ("{file.ext}{file.ext}", "gzgz"), ("ä{file.ext}🙂", "ägz🙂"),
    // Braces.
    ("{{", "{"), ("}}", "}"), ("{{}}", "{}"), ("{{file.name}}", "{file.name}"),
    ("{{{file.ext}}}", "{gz}"), ("{{\"a\": 1}}", "{\"a\": 1}"),
    // The environment's text is text: what looks like a placeholder in it stays as it is.
    ("Bearer {env.TOKEN}", "Bearer {s3cret}"), ("<{env.EMPTY}>", "<>"),
  ])
  func fillsIn(_ source: String, _ text: String) throws {
    #expect(try filled(source) == text)
  }

  /// Dates, each with the seconds since 1970, as `date -u` writes them.
  static let dateRows: [(source: String, seconds: Int64, text: String)] = [
    ("{now|%Y/%m}", 1_795_212_900, "2026/11"), ("{now|%Y-%m-%d}", 0, "1970-01-01"),
    ("{now|%d.%m.%y %H:%M:%S}", 951_782_400, "29.02.00 00:00:00"),
    ("{now|%Y-%m-%d %H:%M:%S}", -1, "1969-12-31 23:59:59"),
    ("{now|%j}", 1_230_768_000 - 1, "366"), ("{now|%j}", 1_230_768_000, "001"),
    // The first days of a year may belong to the last week of the one before, and the other way round (ISO 8601).
    ("{now|%G-W%V-%u}", 1_104_537_600, "2004-W53-6"),
    ("{now|%G-W%V-%u}", 1_230_768_000, "2009-W01-4"),
    ("{now|%G-W%V-%u}", 1_199_145_600 - 86_400, "2008-W01-1"),
    ("{now|%G-W%V-%u}", 1_293_840_000, "2010-W52-6"),
    ("{now|%Y}", -62_135_596_800, "0001"), ("{now|%Y-%m-%d}", 253_402_300_799, "9999-12-31"),
    ("{now|%Y}", 253_402_300_800, "10000"), ("{now|%Y-%m-%d}", -62_167_219_200, "0000-01-01"),
    ("{now|100%%}", 0, "100%"), ("{now|%Yäöü}", 0, "1970äöü"), ("{now|%H|05}", 0, "00000"),
    ("{now|%Y|base64}", 0, "MTk3MA=="), ("{now}", 0, "1970-01-01T00:00:00Z"),
    ("{now|%H:%M|local}", 0, "05:30"), ("{now|%Y-%m-%d|local}", 86_399, "1970-01-02"),
  ]

  @Test(arguments: dateRows)
  func dates(_ source: String, _ seconds: Int64, _ text: String) throws {
    var values = Template.Values(
      now: Date(timeIntervalSince1970: Double(seconds) + 0.75), uuid: UUID())
    values.offset = { _ in 19_800 }
    #expect(try Template(source).filled(with: values) == text)
    // The same of a file's time.
    values.modified = Int128(seconds) * 1_000_000_000 + 750_000_000
    let ofFile = source.replacingOccurrences(of: "{now", with: "{file.mtime")
    if source != "{now}" { #expect(try Template(ofFile).filled(with: values) == text) }
    #expect(try Template(source).source == source)
  }

  /// A file on a tmpfs can have such a time: `touch -d @-9223372036854775808`.
  @Test(arguments: [
    (Int64.min, "-292277022657-01-27 08:29:52"), (.max, "292277026596-12-04 15:30:07"),
  ])
  func theEarliestAndTheLatestTimeOfAFile(_ seconds: Int64, _ text: String) throws {
    var values = Template.Values(now: Date(timeIntervalSince1970: 0), uuid: UUID())
    values.modified = Int128(seconds) * 1_000_000_000
    #expect(try Template("{file.mtime|%Y-%m-%d %H:%M:%S}").filled(with: values) == text)
  }

  @Test func theSlashesOfADateSeparateFolders() throws {
    func template(_ source: String) throws -> Template {
      try Template(source, escaping: .url, lookup: Template.Lookup(environment: { _ in nil }))
    }
    let values = Template.Values(now: Date(timeIntervalSince1970: 0), uuid: UUID())
    #expect(
      try template("http://h/{now|%Y/%m %d}/x").filled(with: values) == "http://h/1970/01%2001/x")
  }

  @Test(arguments: [
    ("a", "a", ""), ("a.b", "a", "b"), (".hidden", ".hidden", ""), (".a.b", ".a", "b"),
    ("a.", "a", ""), ("..", ".", ""), ("a b.c d", "a b", "c d"), ("", "", ""), (".", ".", ""),
  ])
  func stemAndExtension(_ name: String, _ stem: String, _ ext: String) throws {
    #expect(try filled("{file.stem}", name: name) == stem)
    #expect(try filled("{file.ext}", name: name) == ext)
  }

  private static let known = Template.Placeholder.ofFile.map { "{\($0.rawValue)}" }
    .joined(separator: " ")

  @Test(arguments: [
    ("{", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    ("a {file.name", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    ("}", "\"}\" without \"{\" before it; write \"}}\" for a brace"),
    ("{file.name}}", "\"}\" without \"{\" before it; write \"}}\" for a brace"),
    ("{env.NOPE}", "the environment variable NOPE is not set"),
    ("{env.}", "{env.} names no environment variable"),
    (
      "{file.nme}",
      "unknown placeholder {file.nme}; available: \(known) {env.NAME} {secret.NAME}"
    ),
    ("{}", "unknown placeholder {}; available: \(known) {env.NAME} {secret.NAME}"),
    (
      "{ file.name }",
      "unknown placeholder { file.name }; available: \(known) {env.NAME} {secret.NAME}"
    ),
    ("{id}", "{id} has no value here; available: \(known) {env.NAME} {secret.NAME}"),
    ("{secret.x}", "there is no secret called \"x\""),
    ("{value.x}", "there is no value called \"x\"; define it under \"values\""),
    (
      "{FILE.NAME}",
      "unknown placeholder {FILE.NAME}; available: \(known) {env.NAME} {secret.NAME}"
    ),
  ])
  func mistakes(_ source: String, _ message: String) {
    let mistake = #expect(throws: InvalidInput.self) { try filled(source) }
    #expect(mistake?.description == message)
  }

  /// A byte that is not UTF-8 is sent as it is. What has no room for it says so.
  @Test func namesThatAreNotUTF8() throws {
    let target = Target(name: "t", url: try #require(URL(string: "https://a.example/")))
    func values(_ last: UInt8) -> Template.Values {
      let file = FileLocation(bytes: Array("/w/caf".utf8) + [last])
      return target.values(of: UploadItem(id: ItemID(1), location: file), now: Date(), uuid: UUID())
    }
    func template(_ text: String, _ escaping: Template.Escaping) throws -> Template {
      try Template(text, escaping: escaping, lookup: Template.Lookup(environment: { _ in nil }))
    }
    let address = try template("https://a.example/{file.name}/{file.stem}/{file.path}", .url)
    let written = address.filled(with: values(0xE9))
    #expect(written == "https://a.example/caf%E9/caf%E9/caf%E9")
    #expect(URL(written: written)?.absoluteString == written)
    #expect(address.filled(with: values(0xE8)) != written)
    let plain = try template("{file.name}", .none)
    #expect(plain.filled(with: values(0xE9)).rawBytes == Array("caf".utf8) + [0xE9])
    #expect(try template("{file.name|base64}", .none).filled(with: values(0xE9)) == "Y2Fm6Q==")
    for (text, escaping) in [
      ("{file.name}", .json), ("{file.name|json}", .none), ("{file.name|xml}", .none),
    ] as [(String, Template.Escaping)] {
      let template = try template(text, escaping)
      #expect(template.obstacle(with: values(0xE9))?.contains("not UTF-8") == true, "\(text)")
      #expect(template.obstacle(with: values(0x65)) == nil)
    }
    let encoded = try template("{file.name|url}", .json)
    #expect(encoded.obstacle(with: values(0xE9)) == nil)
    #expect(encoded.filled(with: values(0xE9)) == "caf%E9")
    let header = Target.Field(name: "X-Name", value: plain)
    #expect(throws: Failure.Cause.self) { try header.header(with: values(0xE9)) }
  }

  @Test func literalTextIsNotRead() {
    #expect(Template(literal: "{file.name}").filled(with: values()) == "{file.name}")
    #expect(Template(literal: "").filled(with: values()) == "")
  }

  @Test func fixedTextLeavesThePlaceholdersOut() throws {
    let template = try Template("a{file.name}{env.X}c", environment: { _ in "b" })
    #expect(template.fixedText == "abc")
  }

  // MARK: Secrets

  private static var lookup: Template.Lookup {
    Template.Lookup(
      environment: { "env:\($0)" },
      secret: { name throws(InvalidInput) in "a \"\(name)\"" })
  }

  @Test func secretsAreSentAndNotShown() throws {
    let template = try Template("Bearer {env.A_B} {secret.my-key}!", lookup: Self.lookup)
    #expect(template.filled(with: values()) == "Bearer env:A_B a \"my-key\"!")
    #expect(template.stretches(with: values()).shown == "Bearer $A_B $MY_KEY!")
    #expect(template.source == "Bearer {env.A_B} {secret.my-key}!")
    #expect(template.secrets.map(\.name) == ["A_B", "my-key"])
    let literal = Template(literal: "Bearer hunter2").hidden(as: "X-Api-Key")
    #expect(literal.filled(with: values()) == "Bearer hunter2")
    #expect(literal.stretches(with: values()).shown == "$X_API_KEY" && literal.source == "…")
    #expect(template.hidden(as: "x") == template, "it hides what is secret already")
  }

  // MARK: Digests and HMACs

  private static func derived(
    _ algorithm: DerivedValue.Algorithm, _ text: String, key: String? = nil
  ) throws -> Template.Lookup {
    let scope = Template.Placeholder.allCases
    let key = try key.map { try Template($0, scope: [], lookup: lookup) }
    let value = DerivedValue(
      name: "v", algorithm, of: try Template(text, scope: scope, lookup: lookup), key: key)
    return lookup.knowing([value])
  }

  @Test(arguments: [
    (DerivedValue.Algorithm.md5, "abc", nil, "900150983cd24fb0d6963f7d28e17f72"),
    (.sha1, "abc", nil, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      .sha256, "{file.ext}{{", nil,
      "6627a988960453cbade85fc402dd6c541f718ad4c44a943a42fe2dc8614a9dcd"
    ),
    // RFC 2202 and RFC 4231, test case 2.
    (
      .hmacSHA1, "what do ya want for nothing?", "Jefe", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
    ),
    (
      .hmacSHA256, "what do ya want for nothing?", "Jefe",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
  ])
  func values(
    _ algorithm: DerivedValue.Algorithm, _ text: String, _ key: String?, _ digits: String
  ) throws {
    let lookup = try Self.derived(algorithm, text, key: key)
    let template = try Template("<{value.v}>", lookup: lookup)
    #expect(template.filled(with: values()) == "<\(digits)>")
    #expect(template.source == "<{value.v}>" && template.sample("x") == "<x>")
    #expect(template.stretches(with: values()).shown == "<\(digits)>")
  }

  @Test("what is made from a secret is sent and not shown; Base64 is that of the bytes")
  func signature() throws {
    let lookup = try Self.derived(.md5, "{file.name}{env.KEY}")
    let template = try Template("{value.v|base64|json}", lookup: lookup)
    let sent = template.filled(with: values("a"))
    #expect(sent == "tnNlu6H5NSe1SLJvb+8UTg==")
    #expect(template.stretches(with: values("a")).shown == "$VALUE_V_BASE64_JSON")
    #expect(template.secrets.map(\.value) == ["env:KEY"])
    #expect(template.source == "{value.v|base64|json}")
    #expect(template.placeholders == [.fileName])
    #expect(try Template("{value.v}", escaping: .url, lookup: lookup).isLiteral == false)
  }

  @Test("a value is used only where all of its placeholders have one")
  func scopes() throws {
    let lookup = try Self.derived(.sha1, "{piece.number}")
    let mistake = #expect(throws: InvalidInput.self) {
      try Template("{value.v}", lookup: lookup)
    }
    #expect(
      mistake?.description == "{value.v} contains {piece.number}, which has no value here")
    let scope = Template.Placeholder.ofPiece
    #expect(try Template("{value.v}", scope: scope, lookup: lookup).asks(for: .pieceNumber))
  }

  // MARK: Where the text stands

  @Test func valuesAreEscapedForJSON() throws {
    let template = try Template(
      "a\"{file.name}\\{secret.k}", escaping: .json, lookup: Self.lookup)
    #expect(
      template.filled(with: values("x\"\n\u{1}.txt"))
        == #"a\"x\"\n\u0001.txt\\a \"k\""#)
  }

  @Test func valuesAreEncodedForURLs() throws {
    let template = try Template(
      "http://h/a b/{file.name}?k={secret.k}", escaping: .url, lookup: Self.lookup)
    #expect(
      template.filled(with: values("ä/../b?#%.txt"))
        == "http://h/a b/%C3%A4%2F..%2Fb%3F%23%25.txt?k=a%20%22k%22")
    #expect(template.sample("x") == "http://h/a b/x?k=x")
  }

  @Test func templatesAreJoined() throws {
    let sum =
      Template(literal: "[") + (try Template("{file.ext}", lookup: Self.lookup))
      + Template(literal: "]")
    #expect(sum.filled(with: values()) == "[gz]")
    #expect(Template(literal: "a") + Template(literal: "b") == Template(literal: "ab"))
  }
}
