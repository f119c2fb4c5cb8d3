import Foundation
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// A dry run, the details of a file and the curl command show the request that is sent, and no other.
@Suite(.timeLimit(.minutes(5)))
struct RequestPlanTests {
  /// A target, by what differs from the plain one.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var path = "/up"
    /// Where the ticket leads, as the server is called there; nil without a ticket.
    var ticketHost: String?
    var change: @Sendable (inout Target) throws -> Void = { _ in }
  }

  private static func field(_ name: String, _ value: String) -> Target.Field {
    Target.Field(name: name, value: Template(literal: value))
  }

  private static func hidden(_ name: String) -> Target.Field {
    Target.Field(name: name, value: Template(literal: "s3cret").hidden(as: "KEY"))
  }

  static let cases: [Case] = [
    Case(testDescription: "plain"),
    Case(testDescription: "its own header fields") {
      $0.headers = [field("X-A", "a b"), hidden("X-Key"), field("Accept", "application/json")]
    },
    Case(testDescription: "fields that only the transport writes") {
      $0.headers = ["Content-Length", "Transfer-Encoding", "Expect"].map { field($0, "7") }
    },
    Case(testDescription: "a Content-Type that the form does not have") {
      $0.headers = [field("content-type", "text/plain")]
    },
    Case(testDescription: "a file by itself, whatever type the target says") {
      $0.body = .binary
      $0.method = "PUT"
      $0.headers = [field("content-type", "text/plain")]
    },
    Case(testDescription: "a token, which is put in the place of an Authorization") {
      $0.headers = [field("authorization", "Basic eA==")]
      $0.tokenCommand = TokenCommand(["echo", "s3cret"])
    },
    Case(testDescription: "a signature, which covers the content", path: "/up//a%20b?x&a=1") {
      $0.body = .binary
      $0.method = "PUT"
      $0.headers = [field("X-Amz-Acl", "private")]
      let secret = Template(literal: "s3cret").hidden(as: "KEY")
      $0.sigV4 = SigV4Auth(region: "r", key: Template(literal: "K"), secret: secret, token: secret)
    },
    Case(testDescription: "a query", path: "/up?a=1") {
      $0.query = [field("b c", "d&e"), hidden("key")]
    },
    Case(testDescription: "a query after an empty one", path: "/up?") {
      $0.query = [field("b", "c")]
    },
    Case(testDescription: "several files, known by one key") {
      $0.headers = [
        Target.Field(name: "Idempotency-Key", value: try Template("{uuid}")),
        Target.Field(name: "X-Name", value: try Template("{file.name}")),
      ]
      $0.batch = BatchRule(maxFiles: 2)
    },
    Case(testDescription: "files that go with them") {
      var (first, second) = (CompanionRule(), CompanionRule())
      first.files = [try Template("{file.name}.none"), try Template("{file.stem}.xmp")]
      first.field = Template(literal: "sidecar")
      second.files = [try Template("{file.name}.sig")]
      $0.companions = [first, second]
      $0.fields = [field("a", "b")]
      $0.batch = BatchRule(maxFiles: 2)
    },
    Case(testDescription: "a ticket of another origin", ticketHost: "localhost") {
      $0.headers = [field("X-A", "a b"), hidden("X-Key")]
      $0.tokenCommand = TokenCommand(["echo", "s3cret"])
    },
    Case(testDescription: "a ticket from another origin", ticketHost: "localhost") {
      $0.headers = [hidden("X-Key")]
      $0.tokenCommand = TokenCommand(["echo", "s3cret"])
      let there = $0.url.absoluteString.replacing("127.0.0.1", with: "localhost")
      $0.ticket?.call.address = .own(
        Template(literal: there.replacing("/up", with: "/ticket")))
    },
  ]

  @Test(.needs("curl"), arguments: cases)
  func whatIsShownIsWhatIsSent(_ row: Case) async throws {
    let server = try HostileServer { connection, _ in
      guard let request = connection.readRequest() else { return }
      let here = request.headers["host"] ?? ""
      let there = here.replacing("127.0.0.1", with: row.ticketHost ?? "")
      let body = request.line.contains("/ticket ") ? #"{"url": "http://\#(there)/up"}"# : "ok"
      connection.send(
        "HTTP/1.1 200 X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let paths = try ["a.txt", "b.txt"].map { try folder.write($0, Array("hello \($0)".utf8)) }
    for name in ["a.xmp", "b.xmp", "b.txt.sig"] { try folder.write(name, Array("of \(name)".utf8)) }
    var target = Target.once(server.url(row.path))
    if row.ticketHost != nil {
      target.ticket = Ticket(
        call: Call(
          url: Template(literal: server.url("/ticket").absoluteString), method: "POST",
          json: Template(literal: "{}")),
        uploadURL: ReplyValue(.pointer(try JSONPointer("/url"))))
    }
    try row.change(&target)
    let uploads = paths.prefix(target.batch == nil ? 1 : 2).enumerated().map { index, path in
      UploadJob(item: .file(path, id: Int64(index + 1)), target: target)
    }

    let (preview, faults) = RequestOutline.of(uploads, now: .now)
    let outline = try #require(preview, "\(faults)")
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(uploads)
    let ends = await harness.finish(uploads.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    let heads = [outline.ticket, outline.head].compactMap(\.self)
    try #require(server.requests.count == heads.count)
    for (shown, sent) in zip(heads, server.requests) { compare(shown, sent) }
    #expect(server.requests.last?.body.count == Int(outline.length))

    let commands = try CurlCommand.all(for: uploads, now: .now)
    try #require(commands.count == heads.count)
    for (command, ours) in zip(commands, server.requests) {
      let secrets = command.variables.map { "export \($0)=s3cret; " }.joined()
      let place = server.url("/up").absoluteString.replacing(
        "127.0.0.1", with: row.ticketHost ?? "")
      let text = command.text.replacing("{ticket:/url}", with: place)
      try Tool.run(
        "sh", ["-c", "\(secrets)\(text) --silent --user-agent h --no-progress-meter"])
      try compare(ours, #require(server.requests.last), isSigned: target.sigV4 != nil)
    }
    let (ours, theirs) = (server.requests[0], server.requests[1])
    if target.companions.isEmpty { return }
    let parts = try [ours, theirs].map {
      try $0.files().map { [$0.field, $0.name, String(decoding: $0.content, as: UTF8.self)] }
    }
    #expect(parts[0] == parts[1])
    #expect(
      parts[0] == [
        ["a", "a", "b"], ["sidecar", "a.xmp", "of a.xmp"], ["sidecar", "b.xmp", "of b.xmp"],
        ["file", "b.txt.sig", "of b.txt.sig"],
        ["file", "a.txt", "hello a.txt"], ["file", "b.txt", "hello b.txt"],
      ])
  }

  @Test(
    "So does the request before the first file of a run, whose own header fields replace the target's"
  )
  func run() async throws {
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\n{}")
      }
    }
    defer { server.stop() }
    var target = Target.once(server.url("/up"))
    target.headers = [Self.field("X-A", "of the target"), Self.hidden("X-Key")]
    target.publicHeaders = [Self.field("X-B", "of the target")]
    var open = Call(
      url: Template(literal: server.url("/open").absoluteString), method: "POST",
      json: Template(literal: #"{"album":"a"}"#))
    open.headers = [Self.field("X-A", "its own"), Self.field("X-B", "its own")]
    target.run.open = open
    let shown = try RequestOutline.Run(of: SendPlan(target), now: .now).open
    let ends = try await EngineHarness().upload(
      [ScratchDirectory().write("a", count: 10)], to: target)
    #expect(ends.map(\.code) == ["done 200"], "\(ends)")
    let sent = try #require(server.requests.first)
    try compare(#require(shown), sent)
    #expect(shown?.body == String(decoding: sent.body, as: UTF8.self))
    #expect(sent.headers["x-b"] == "its own")
  }

  /// Compares what hoist sent with what curl sent.
  private func compare(
    _ ours: HostileServer.SeenRequest, _ theirs: HostileServer.SeenRequest, isSigned: Bool
  ) {
    #expect(ours.line == theirs.line)
    let own = [
      "user-agent", "accept", "accept-encoding", "content-type", "content-length", "expect",
      "connection",
    ]
    let signed = ["authorization", "x-amz-date"]
    let names = Set(ours.headers.keys).union(theirs.headers.keys)
      .subtracting(own + (isSigned ? signed : []))
    for name in names { #expect(ours.headers[name] == theirs.headers[name], "\(name)") }
    #expect(
      type(ours) == type(theirs) && ours.body.count > 0,
      "\(type(ours)) is not \(type(theirs))")
  }

  /// The media type without a form's boundary.
  private func type(_ request: HostileServer.SeenRequest) -> Substring {
    (request.headers["content-type"] ?? "").prefix { $0 != ";" }
  }

  private func compare(_ shown: RequestOutline.Head, _ sent: HostileServer.SeenRequest) {
    func revealed(_ text: String) -> String {
      text.replacing("$KEY", with: "s3cret").replacing("$TOKEN", with: "s3cret")
    }
    if let url = shown.url {
      let words = sent.line.split(separator: " ")
      #expect(words[0] == shown.method)
      #expect(revealed(url).hasSuffix(String(words[1])), "\(url) is not \(words[1])")
    }
    var expected = Dictionary(
      shown.headers.map { ($0.name.lowercased(), revealed($0.value)) }, uniquingKeysWith: { $1 })
    #expect(expected.count == shown.headers.count, "twice: \(shown.headers)")
    #expect(!shown.headers.contains { $0.value.contains("s3cret") })
    var found = sent.headers
    // The transport's own. A boundary is drawn for each request.
    for name in ["host", "connection", "content-length", "accept-encoding"] {
      expected[name] = nil
      found[name] = nil
    }
    for name in ["content-type"] {
      expected[name] = expected[name].map { String($0.prefix { $0 != ";" }) }
      found[name] = found[name].map { String($0.prefix { $0 != ";" }) }
    }
    if expected["authorization"] == "AWS4-HMAC-SHA256 $SIGNATURE" {
      #expect(found["authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=K/") == true)
      for name in ["authorization", "x-amz-date", "x-amz-content-sha256"] {
        expected[name] = nil
        found[name] = nil
      }
    }
    #expect(expected == found)
  }
}
