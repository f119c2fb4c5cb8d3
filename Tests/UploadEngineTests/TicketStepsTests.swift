import Foundation
import JSONText
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Uploads in several steps, against servers that look at every one of them.
@Suite(.timeLimit(.minutes(5)))
struct TicketStepsTests {
  private func template(
    _ text: String, _ scope: [Template.Placeholder] = Template.Placeholder.ofFile,
    _ escaping: Template.Escaping = .none
  ) throws -> Template {
    try Template(
      text, scope: scope, escaping: escaping, lookup: Template.Lookup(environment: { _ in nil }))
  }

  /// Answers by path.
  private func server(
    _ answer: @escaping @Sendable (HostileServer.SeenRequest, _ path: String) -> (Int, String)
  ) throws -> HostileServer {
    try HostileServer { connection, _ in
      guard let request = connection.readRequest() else { return }
      let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      let (status, body) = answer(request, path)
      connection.send(
        "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
      )
    }
  }

  private func body(_ request: HostileServer.SeenRequest) -> String {
    String(decoding: request.body, as: UTF8.self)
  }

  /// Azure's way: a signed PUT to another server, with a header field that is no secret and one that the ticket
  /// names.
  @Test func headerFieldsGoWhereTheTicketLeads() async throws {
    let storage = try server { request, _ in
      let isRight =
        request.line.hasPrefix("PUT /c/a?sig=1 ")
        && request.headers["x-ms-blob-type"] == "BlockBlob" && request.headers["x-amz-acl"] == "p"
        && request.headers["authorization"] == nil && request.headers["x-own"] == nil
        && request.headers["content-type"] == "text/x-signed"
      return (isRight ? 201 : 400, "\(request)")
    }
    let broker = try server { _, _ in
      (
        200,
        #"{"to":"\#(storage.url("/c/a?sig=1").absoluteString)","h":{"x-amz-acl":"p","Content-Type":"text/x-signed"}}"#
      )
    }
    defer {
      storage.stop()
      broker.stop()
    }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("hello".utf8))
    var target = Target.once(broker.url("/sas"))
    (target.method, target.body) = ("PUT", .binary)
    target.headers = [
      .init(name: "Authorization", value: Template(literal: "Bearer x")),
      .init(name: "X-Own", value: Template(literal: "mine")),
    ]
    target.publicHeaders = [.init(name: "x-ms-blob-type", value: Template(literal: "BlockBlob"))]
    target.ticket = Ticket(
      call: Call(url: Template(literal: broker.url("/sas").absoluteString)),
      uploadURL: ReplyValue(.pointer(try JSONPointer("/to"))), headers: try JSONPointer("/h"))
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    #expect(broker.requests.first?.headers["authorization"] == "Bearer x")
  }

  /// GitHub's way: another host takes the file, and wants the target's own credentials.
  @Test(
    "a host that the target names gets its credentials",
    arguments: [
      ("http://HOST/up", true), ("http://OTHER/up", false), ("http://LOCAL/up", false),
      ("http://HOST@OTHER/up", nil), ("http://OTHER/HOST", false), ("//HOST/up", true),
      ("http://OTHER#@HOST/up", false), ("http://OTHER/up?@HOST", false),
    ] as [(String, Bool?)])
  func namedHosts(_ address: String, _ isNamed: Bool?) async throws {
    let storage = try server { _, _ in (201, "") }
    let other = try server { _, _ in (201, "") }
    let to = address.replacing("HOST", with: "127.0.0.1:\(storage.port)")
      .replacing("OTHER", with: "127.0.0.1:\(other.port)")
      .replacing("LOCAL", with: "localhost:\(storage.port)")
    let broker = try server { _, _ in (200, #"{"to":"\#(to)"}"#) }
    defer { for server in [storage, other, broker] { server.stop() } }
    let file = try ScratchDirectory().write("a", Array("hello".utf8))
    let target = try named(broker, for: storage)
    let end = await EngineHarness().upload([file], to: target).map(\.code)
    #expect(end == [isNamed == nil ? "unusable-answer" : "done 201"])
    let files = (storage.requests + other.requests).filter { $0.line.hasPrefix("POST ") }
    #expect(files.count == (isNamed == nil ? 0 : 1))
    let credentials = isNamed == true ? "Bearer x" : nil
    #expect(files.allSatisfy { $0.headers["authorization"] == credentials }, "\(files)")
  }

  @Test("a host that the target names cannot pass the credentials on", arguments: [307, 308])
  func redirectsOfNamedHosts(_ status: Int) async throws {
    let thief = try server { _, _ in (201, "") }
    let storage = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send(
        "HTTP/1.1 \(status) X\r\nLocation: \(thief.url("/up"))\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      )
    }
    let broker = try server { _, _ in (200, #"{"to":"\#(storage.url("/up"))"}"#) }
    defer { for server in [storage, thief, broker] { server.stop() } }
    let file = try ScratchDirectory().write("a", Array("hello".utf8))
    var target = try named(broker, for: storage)
    target.redirectOrigins = Set([Origin(thief.url())].compactMap { $0 })
    #expect(await EngineHarness().upload([file], to: target).map(\.code) == ["done 201"])
    #expect(storage.requests.first?.headers["authorization"] == "Bearer x")
    #expect(thief.requests.count == 1)
    #expect(thief.requests.first?.headers["authorization"] == nil)
  }

  private func named(_ broker: HostileServer, for storage: HostileServer) throws -> Target {
    var target = Target.once(broker.url("/t"))
    target.headers = [.init(name: "Authorization", value: Template(literal: "Bearer x"))]
    target.ticket = Ticket(
      call: Call(url: Template(literal: broker.url("/t").absoluteString)),
      uploadURL: ReplyValue(.pointer(try JSONPointer("/to"))))
    target.ticket?.namedHosts = [try NamedHost("127.0.0.1:\(storage.port)")]
    return target
  }

  /// The way of Git LFS: no address means that nothing is wanted.
  @Test func aTicketMaySayThatTheFileIsThere() async throws {
    let server = try server { request, _ in
      request.line.hasPrefix("PUT ")
        ? (201, "")
        : (200, self.body(request) == #"{"size":5}"# ? "{}" : #"{"to":"/objects/1"}"#)
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let files = [
      try folder.write("a", Array("hello".utf8)), try folder.write("b", Array("hello!".utf8)),
    ]
    var target = Target.once(server.url("/batch"))
    (target.method, target.body, target.concurrency) = ("PUT", .binary, 1)
    let size = try template("{file.size|number}", Template.Placeholder.ofFile, .json)
    var call = Call(
      url: Template(literal: server.url("/batch").absoluteString), method: "POST",
      json: Template(literal: "{\"size\":") + size + Template(literal: "}"))
    call.rules.failures = [
      FailureRule(.pointer(try JSONPointer("/error")), test: .missing(false))
    ]
    var ticket = Ticket(call: call, uploadURL: ReplyValue(.pointer(try JSONPointer("/to"))))
    ticket.signs = [FailureRule(.pointer(try JSONPointer("/to")), test: .missing(true))]
    target.ticket = ticket
    let ends = await EngineHarness().upload(files, to: target)
    #expect(ends.map(\.code) == ["done 200", "done 201"], "\(ends)")
    let there = ends.map { if case .done(let receipt) = $0 { receipt.wasThere } else { false } }
    #expect(there == [true, false])
    #expect(
      server.requests.map { $0.line.prefix(9) }.sorted()
        == ["POST /bat", "POST /bat", "PUT /obje"])
  }

  /// Slack's way: a form for the address, the file, and what was told in the first step in the third.
  @Test func whatTheTicketSaysGoesIntoTheRecord() async throws {
    let slack = try server { request, path in
      let body = String(decoding: request.body, as: UTF8.self)
      switch path {
      case "/get":
        let isRight =
          body == "filename=a%20b.txt&length=5"
          && request.headers["content-type"] == "application/x-www-form-urlencoded"
        return (200, isRight ? #"{"ok":true,"url":"/up","id":"F7"}"# : #"{"ok":false}"#)
      case "/up": return (200, "OK - 5")
      default:
        let isRight = body == #"{"files":[{"id":"F7","said":"OK - 5"}]}"#
        return (200, isRight ? #"{"ok":true}"# : #"{"ok":false}"#)
      }
    }
    defer { slack.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a b.txt", Array("hello".utf8))
    var target = Target.once(slack.url("/get"))
    let ok = FailureRule(.pointer(try JSONPointer("/ok")), test: .differs(.bool(true)))
    var get = Call(
      url: Template(literal: slack.url("/get").absoluteString), method: "POST")
    get.rules.failures = [ok]
    get.form = [
      .init(name: "filename", value: try template("{file.name}")),
      .init(name: "length", value: try template("{file.size}")),
    ]
    target.ticket = Ticket(
      call: get, uploadURL: ReplyValue(.pointer(try JSONPointer("/url"))))
    target.server.create = Call(
      url: Template(literal: slack.url("/complete").absoluteString), method: "POST",
      json: Template(literal: #"{"files":[{"id":""#)
        + (try template("{ticket:/id}", [.ticket], .json))
        + Template(literal: #"","said":"OK - 5"}]}"#))
    target.server.create?.rules.failures = [ok]
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 200"], "\(ends)")
    #expect(slack.requests.count == 3)
  }

  @Test("what a ticket adds to the file's request is in no other")
  func additionsOfTickets() async throws {
    let server = try server { _, path in
      path == "/get"
        ? (200, #"{"url":"/up","id":"7","h":{"x-sig":"s","Content-Type":"text/x-signed"}}"#)
        : (201, "")
    }
    defer { server.stop() }
    var target = try ticketed(server)
    target.ticket?.headers = try JSONPointer("/h")
    target.body = .binary
    target.server.create = Call(
      url: Template(literal: server.url("/record").absoluteString), method: "POST",
      json: Template(literal: #"{"id":""#) + (try template("{ticket:/id}", [.ticket], .json))
        + Template(literal: #""}"#))
    let file = try ScratchDirectory().write("a", Array("hello".utf8))
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    #expect(
      server.requests.map { $0.headers["content-type"] }
        == [nil, "text/x-signed", "application/json"])
    #expect(server.requests.map { $0.headers["x-sig"] } == [nil, "s", nil])
    #expect(server.requests.last.map(body) == #"{"id":"7"}"#)
  }

  @Test("a ticket may ask for JSON, and a page in its place is doubtful")
  func ticketsThatAskForJSON() async throws {
    let server = try server { _, path in
      path == "/get"
        ? (200, #"{"url":"/up","h":{"Accept":"application/json"}}"#)
        : (200, "<!DOCTYPE html><html><title>Please sign in</title></html>")
    }
    defer { server.stop() }
    var target = try ticketed(server)
    target.ticket?.headers = try JSONPointer("/h")
    let file = try ScratchDirectory().write("a", Array("hello".utf8))
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.first?.receipt?.doubt == "Please sign in", "\(ends)")
  }

  @Test func aServerThatCannotKeepConnectionsIsToldSo() async throws {
    let server = try HostileServer { connection, _ in
      // It takes one request, whatever the client thinks.
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.stall()
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let files = try (1...3).map { try folder.write("\($0)", count: 10) }
    var target = Target.once(server.url())
    target.closesConnections = true
    let ends = await EngineHarness(lanes: 1).upload(files, to: target)
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3))
    #expect(server.requests.map { $0.headers["connection"] } == ["close", "close", "close"])
  }

  /// A target that asks for a ticket and learns from it where the file goes.
  private func ticketed(_ server: HostileServer) throws -> Target {
    var target = Target.once(server.url("/get"))
    target.ticket = Ticket(
      call: Call(url: Template(literal: server.url("/get").absoluteString)),
      uploadURL: ReplyValue(.pointer(try JSONPointer("/url"))))
    return target
  }

  @Test func aValueThatTheTicketHasNotIsSaidBeforeTheFileGoes() async throws {
    let server = try server { _, _ in (200, #"{"url":"/up"}"#) }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("hello".utf8))
    var target = try ticketed(server)
    target.fields = [.init(name: "id", value: try template("{ticket:/id}", [.ticket]))]
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["unsendable"])
    #expect(ends.first?.failure?.explanation.contains("the ticket has no /id") == true)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [401, 403, 404, 422])
  func aRefusedTicketIsCalledOne(_ status: Int) async throws {
    let server = try server { _, _ in (status, "no") }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a", Array("hello".utf8))
    let ends = await EngineHarness().upload([file], to: try ticketed(server))
    #expect(ends.map(\.code) == ["http-\(status)"])
    let words = ends.first?.failure?.explanation ?? ""
    #expect(
      words.hasPrefix("The server refused the ticket that the upload needs: \(status)"), "\(words)")
    #expect(server.requests.count == 1)
  }

  /// The sums are those of what is sent, also where a command makes it.
  @Test(arguments: [false, true])
  func sumsAreOfWhatIsSent(_ isPrepared: Bool) async throws {
    let server = try server { _, _ in (200, "") }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let file = try folder.write("a.txt", Array("hello".utf8))
    var target = Target.once(server.url())
    target.fields = [
      .init(name: "sum", value: try template("{file.sha256} {file.md5}")),
      .init(name: "when", value: try template("{file.mtime.unix_s}")),
    ]
    target.fileName = try template("{file.md5}.{file.ext}")
    if isPrepared {
      target.prepare = PrepareCommand(
        words: try ["sh", "-c", "printf hello > \"$1\"; : \"$0\"", "{in}", "{out}"].map {
          try template($0, Template.Placeholder.ofCommand)
        })
      try Data("original".utf8).write(to: URL(fileURLWithPath: file))
    }
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 200"], "\(ends)")
    let sent = body(try #require(server.requests.first))
    let (sha, md5) = (
      "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      "5d41402abc4b2a76b9719d911017c592"
    )
    #expect(sent.contains("\(sha) \(md5)") && sent.contains("filename=\"\(md5).txt\""), "\(sent)")
  }
}
