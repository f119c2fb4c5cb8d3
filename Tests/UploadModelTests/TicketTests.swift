import Foundation
import Testing
import UploadModel

struct TicketTests {
  private func grant(
    _ reply: String, from address: String = "https://h/presign",
    _ change: (inout Ticket) throws -> Void = { _ in }
  ) throws -> Ticket.Grant {
    var ticket = Ticket(
      call: Call(url: Template(literal: address)),
      uploadURL: ReplyValue(.pointer(try JSONPointer("/url"))), fields: try JSONPointer("/fields"))
    try change(&ticket)
    let end = TransferEnd(
      url: try #require(URL(string: address)), status: 200, headers: ["location": "/up/7"],
      reply: Reply(text: reply))
    var values = Template.Values(
      fileName: "ä b.jpg", fileSize: 1, fileType: "image/jpeg", now: Date(), uuid: UUID())
    values.index = 2
    return try ticket.grant(in: end, values: values)
  }

  @Test func itsFieldsComeSortedAndAreNotRead() throws {
    let grant = try grant(#"{"url":"https://s3/b","fields":{"policy":"{x}","key":"k","n":1}}"#)
    #expect(grant.url.absoluteString == "https://s3/b")
    #expect(grant.fields.map(\.name) == ["key", "n", "policy"])
    #expect(grant.fields.last?.value == Template(literal: "{x}"))
  }

  @Test(arguments: [
    (#"{"fields":{}}"#, "the ticket has no /url"), (#"{"url":null}"#, "the ticket has no /url"),
    (#"{"url":"ftp://x/"}"#, "the ticket's /url is not a URL that files can be sent to"),
    (#"{"url":"https://u:p@x/"}"#, "the ticket's /url is not a URL that files can be sent to"),
    (#"{"url":"https://s3/b"}"#, "the ticket has no fields at /fields"),
    ("see https://s3/b", "its answer is not JSON"),
    (
      #"{"url":"http://s3/b","fields":{}}"#,
      "the ticket leads from https to http://s3/b, which is not encrypted; perhaps a proxy does not tell the server "
        + "that requests come by https (X-Forwarded-Proto)"
    ),
  ])
  func whatIsNoTicket(_ reply: String, _ message: String) {
    let mistake = #expect(throws: InvalidInput.self) { try grant(reply) }
    #expect(mistake?.description == message)
  }

  @Test func whatIsAllowedInTheOpen() throws {
    let open = try grant(#"{"url":"http://s3/b","fields":{}}"#, from: "http://h/")
    #expect(open.url.host == "s3")
  }

  /// Zenodo's buckets and GitHub's releases: the ticket names the folder, and hoist the file in it.
  @Test(arguments: ["/", "?name="])
  func whatGoesAroundTheAddressIsFilledIn(_ suffix: String) throws {
    let grant = try grant(#"{"links":{"bucket":"https://h/b/7"}}"#) {
      $0.fields = nil
      $0.uploadURL = ReplyValue(.pointer(try JSONPointer("/links/bucket")))
      $0.uploadURL.suffix = try Template(
        "\(suffix){file.name}", escaping: .url, lookup: Template.Lookup(environment: { _ in nil }))
    }
    #expect(grant.url.absoluteString == "https://h/b/7\(suffix)%C3%A4%20b.jpg")
  }

  @Test func itMayBePlainTextOrAHeaderField() throws {
    let text = try grant("https://s3/b?sig=1\n") {
      $0.uploadURL = ReplyValue(.pattern(try Pattern(#"\S+"#)))
      $0.fields = nil
    }
    #expect(text.url.absoluteString == "https://s3/b?sig=1" && text.reply == nil)
    let header = try grant("") {
      $0.uploadURL = ReplyValue(.header("location"))
      $0.fields = nil
    }
    #expect(header.url.absoluteString == "https://h/up/7")
  }

  @Test func itsHeaderFieldsGoWithTheFile() throws {
    let grant = try grant(
      #"{"url":"https://s3/b","headers":{"x-ms-blob-type":"BlockBlob","Host":"s3","Content-Type":"a/b"}}"#
    ) {
      $0.fields = nil
      $0.headers = try JSONPointer("/headers")
    }
    #expect(grant.headers.map(\.name) == ["Content-Type", "x-ms-blob-type"])
  }

  @Test(arguments: [
    (#"{"Transfer-Encoding":"chunked"}"#, "Transfer-Encoding is set by hoist itself"),
    (#"{"X":"a\r\nY: b"}"#, "the value of X contains a control character"),
    (#"{"a b":"c"}"#, "\"a b\" is not a header name"), (#"[]"#, "no header fields at /headers"),
  ])
  func headerFieldsThatAreNone(_ headers: String, _ words: String) {
    let mistake = #expect(throws: InvalidInput.self) {
      try grant("{\"url\":\"https://s3/b\",\"headers\":\(headers)}") {
        $0.fields = nil
        $0.headers = try JSONPointer("/headers")
      }
    }
    #expect(mistake?.description.contains(words) == true, "\(mistake?.description ?? "")")
  }
}
