import Foundation
import JSONText
import MultipartForm
import Testing

@testable import UploadModel

/// Values that are written for the place where they stand, and values of replies.
struct TemplateWritingTests {
  private func template(
    _ source: String, _ scope: [Template.Placeholder] = Template.Placeholder.ofFile,
    _ escaping: Template.Escaping = .none
  ) throws -> Template {
    try Template(
      source, scope: scope, escaping: escaping, lookup: Template.Lookup(environment: { $0 }))
  }

  private func values(_ name: String) -> Template.Values {
    var values = Template.Values(
      fileName: name, fileSize: 3, fileType: "a/b", now: Date(timeIntervalSince1970: 0),
      uuid: UUID())
    values.modified = 1_795_212_900_500_000_000
    values.digests = ContentDigests([.sha256: "ab", .md5: "cd", .sha1: "0af9"])
    return values
  }

  private static let written: [(String, String, String)] = [
    ("{file.name|json}", #"a "b" \c"#, #"a \"b\" \\c"#),
    ("{file.name|json}", "gr\u{fc}\u{df} \u{1F600}", #"gr\u00fc\u00df \ud83d\ude00"#),
    ("{file.name|url}", "a b/\u{e4}", "a%20b%2F%C3%A4"),
    ("{file.name|quoted}", #"a "b" \c"#, #"a \"b\" \\c"#),
    ("{file.name|quoted}", "a/\u{301}\"\u{301}", "a/\u{301}\\\"\u{301}"),
    ("{env.X|url}", "", "X"), ("{file.mtime}", "", "2026-11-20T22:15:00Z"),
    ("{file.mtime.unix_s} {file.mtime.unix_ms}", "", "1795212900 1795212900500"),
    ("{file.sha256}{file.md5}{file.sha1}", "", "abcd0af9"),
    ("{file.sha1|base64} {file.name|base64}", "Zürich?", "Cvk= WsO8cmljaD8="),
  ]

  @Test(arguments: written)
  func asTheTemplateSays(_ source: String, _ name: String, _ expected: String) throws {
    let template = try template(source)
    #expect(template.filled(with: values(name)) == expected)
    #expect(template.source == source, "it is written as it was read")
  }

  @Test(arguments: [
    ("5", true), ("-1.5e3", true), ("nan", false), ("inf", false), ("0x1F", false), ("+5", false),
    (".5", false), ("01", false), (" 5", false), ("1,\"admin\":true", false), ("", false),
    ("\"5\"", false),
  ])
  func onlyANumberIsWrittenAsOne(_ text: String, _ isNumber: Bool) throws {
    let template = try template("{ticket:/n|number}", Template.Placeholder.ofTicket, .json)
    var values = values("a")
    values.ticket = .object(["n": .string(text)])
    #expect(template.obstacle(with: values) == (isNumber ? nil : "the ticket has no number at /n"))
    if isNumber { #expect(template.filled(with: values) == text) }
  }

  @Test func whatThePlaceDoesItselfIsDoneOnce() throws {
    #expect(
      try template("{file.name|url}", [.fileName], .url).filled(with: values("a b")) == "a%20b")
    // A JSON text inside of a JSON string.
    #expect(
      try template("{file.name|json}", [.fileName], .json).filled(with: values("\""))
        == #"\\\""#)
  }

  @Test func anUnknownOneIsAMistake() {
    let mistake = #expect(throws: InvalidInput.self) {
      try template("{file.name|base32}")
    }
    #expect(
      mistake?.description
        == "{file.name|base32}: \"|base32\" is unknown; available filters: |json |url |quoted |xml |base64 |number |raw |local |05 |%Y-%m-%d"
    )
  }

  private static let bare: [(String, String, Bool)] = [
    (#"attachment; filename="{file.name}""#, "a.jpg", true),
    (#"attachment; filename="{file.name}""#, #"a".jpg"#, false),
    (#"attachment; filename="{file.name}""#, #"a\.jpg"#, false),
    (#"attachment; filename="{file.name|quoted}""#, #"a".jpg"#, true),
    (#"{{"path":"/{file.name|json}"}}"#, #"a".jpg"#, true),
    (#"{{"path":"/{file.name}"}}"#, #"a".jpg"#, false),
    ("{file.name}", #"a".jpg"#, true), (#""x" {file.name}"#, #"a".jpg"#, true),
  ]

  /// In a header field, a file's name ends no quotation that is not its own.
  @Test(arguments: bare)
  func quotesInHeaderFields(_ source: String, _ name: String, _ isFine: Bool) throws {
    let field = Target.Field(name: "X-Arg", value: try template(source))
    guard !isFine else {
      _ = try field.header(with: values(name))
      return
    }
    let cause = #expect(throws: Failure.Cause.self) { try field.header(with: values(name)) }
    let words = cause.map { Failure($0).explanation } ?? ""
    #expect(words.contains("{file.name|quoted}") && words.contains("X-Arg"), "\(words)")
  }

  /// Each with the file's time in seconds, and what is sent; nil if the header field is left out.
  private static let times: [(String, String, Int128, String?)] = [
    ("X-OC-MTime", "{file.mtime.unix_s}", 86_400, nil),
    ("X-OC-MTime", "{file.mtime.unix_s}", 86_401, "86401"),
    ("x-oc-mtime", "{file.mtime.unix_s}", 0, nil),
    ("X-OC-CTime", "{file.mtime.unix_s}", -5_000_000_000, nil),
    ("X-OC-MTime", "{file.mtime.unix_s}", 4_294_967_295, "4294967295"),
    ("X-OC-MTime", "{file.mtime.unix_s}", 16_725_225_600, nil),
    ("X-Time", "{file.mtime.unix_s}", 0, "0"),
    ("X-Time", "{file.mtime.unix_s}", -5_000_000_000, "-5000000000"),
    // After 2262, nanoseconds do not fit into 64 bits.
    ("X-Time", "{file.mtime.unix_s}", 15_000_000_000, "15000000000"),
    ("X-Time", "{file.mtime.unix_ms}", 15_000_000_000, "15000000000000"),
    ("X-Time", "{file.mtime}", 15_000_000_000, "2445-05-01T02:40:00Z"),
    ("X-Time", "{file.mtime}", 253_402_300_799, "9999-12-31T23:59:59Z"),
    ("X-Time", "{file.mtime}", 253_402_300_800, nil),
    ("X-Time", "{file.mtime}", -62_135_596_801, nil),
    ("X-Time", "{file.mtime}", Int128(Int64.max), nil),
    ("X-Time", "{file.mtime.unix_s}", Int128(Int64.min), "\(Int64.min)"),
  ]

  @Test("A time that would make the server refuse the file is left out", arguments: times)
  func timesInHeaderFields(_ name: String, _ source: String, _ time: Int128, _ expected: String?)
    throws
  {
    var values = values("a")
    values.modified = time * 1_000_000_000
    let field = Target.Field(name: name, value: try template(source))
    #expect(try field.header(with: values)?.value.written == expected)
  }

  @Test("An empty piece has no range of bytes (RFC 9110 §14.4)")
  func emptyRange() throws {
    let source = "bytes {piece.offset}-{piece.end}/{file.size}"
    let field = Target.Field(
      name: "Content-Range", value: try template(source, Template.Placeholder.allCases))
    var values = values("a")
    #expect(try field.header(with: values) == nil)
    values.piece.range = 0..<1
    #expect(try field.header(with: values)?.value.written == "bytes 0-0/3")
  }

  @Test("An empty file is not sent with a last byte in an address or a body", arguments: 0...3)
  func emptyRangeElsewhere(_ place: Int) throws {
    let end = try template("{piece.end}", Template.Placeholder.allCases)
    var call = Call(method: "PUT")
    call.address = .own(try template("http://a/"))
    switch place {
    case 0: call.address = .own(try template("http://a/{piece.end}", Template.Placeholder.allCases))
    case 1: call.query = [Target.Field(name: "end", value: end)]
    case 2: call.json = end
    default: call.form = [Target.Field(name: "end", value: end)]
    }
    let target = Target(name: "t", url: try #require(URL(string: "http://a/")))
    var values = values("a")
    let words = "it is empty, so it has no last byte whose offset {piece.end} could be"
    #expect(throws: Failure.Cause.unsendable(words)) {
      try ResumeRequest(call, of: target, values)
    }
    values.piece.range = 0..<1
    #expect(try ResumeRequest(call, of: target, values).method == "PUT")
  }

  @Test("Query items follow those of an address that a reply or a secret gives", arguments: 0...1)
  func queryOfReply(_ place: Int) throws {
    let source = place == 0 ? "{begin.place}" : "http://a/{env.PLACE|raw}"
    let address = try Template(
      source, scope: [.begun], escaping: place == 0 ? .none : .url,
      lookup: Template.Lookup(environment: { _ in "x?sig=1" }))
    var call = Call(method: "PUT")
    call.address = place == 0 ? .reply(address) : .own(address)
    call.query = [Target.Field(name: "part", value: Template(literal: "2"))]
    var values = values("a")
    values.upload.begun["place"] = "http://a/x?sig=1"
    let target = Target(name: "t", url: try #require(URL(string: "http://a/")))
    let request = try ResumeRequest(call, of: target, values)
    #expect(request.url.absoluteString == "http://a/x?sig=1&part=2")
  }

  @Test func valuesOfReplies() throws {
    let template = try template("{ticket:/id}-{reply:/files/*/id|url}", [.ticket, .reply])
    var values = values("a")
    values.index = 2
    values.ticket = JSONValue(text: #"{"id":7}"#)
    #expect(template.obstacle(with: values) == "the reply to the upload has no /files/1/id")
    values.reply = JSONValue(text: #"{"files":[{"id":"x"},{"id":"y z"}]}"#)
    #expect(template.obstacle(with: values) == nil)
    #expect(template.filled(with: values) == "7-y%20z")
    #expect(template.source == "{ticket:/id}-{reply:/files/*/id|url}")
    values.ticket = JSONValue(text: #"{"id":{}}"#)
    #expect(template.obstacle(with: values) == "the ticket has no /id", "a table is no text")
  }

  @Test(arguments: [
    ("{ticket:/id}", "{ticket:/id} has no value here; available: {uuid} {env.NAME} {secret.NAME}"),
    (
      "{ticket:id}",
      "{ticket:id} has no value here; available: {uuid} {env.NAME} {secret.NAME}"
    ),
  ])
  func whereThereIsNoReply(_ source: String, _ message: String) {
    let mistake = #expect(throws: InvalidInput.self) { try template(source, [.uuid]) }
    #expect(mistake?.description == message)
  }

  @Test func aPointerIsReadStrictly() {
    let mistake = #expect(throws: InvalidInput.self) {
      try template("{reply:id}", [.reply])
    }
    #expect(mistake?.description.contains("expected a JSON Pointer") == true)
  }

  @Test func aTypeThatTheTargetNames() throws {
    var target = Target(name: "t", url: try #require(URL(string: "http://h/")))
    var item = UploadItem(id: ItemID(1), location: "a.jpg", mediaType: "image/jpeg")
    #expect(target.sentType(of: item) == "image/jpeg")
    target.fileType = "application/octet-stream"
    #expect(target.sentType(of: item) == "application/octet-stream")
    #expect(
      target.values(of: item, now: Date(), uuid: UUID()).fileType == "application/octet-stream")
    (item.mediaType, item.typeSource) = ("image/webp", UploadItem.chosenByHand)
    #expect(target.sentType(of: item) == "image/webp", "what a person chose goes first")
  }
}
