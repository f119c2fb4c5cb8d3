import Foundation
import Receiver
import TestSupport
import Testing

/// The extension point, used as another project would: without `@testable`.
@Suite("Endpoints of one's own")
struct EndpointTests {
  /// What the example in the documents and these tests mount.
  private struct Probe: ReceiverEndpoint {
    struct Broken: Error, CustomStringConvertible { let description = "a secret of the program's" }

    struct Note: Codable {
      struct Tag: Codable { let name: String }; let title: String; let tags: [Tag]
    }

    func methods(at path: String) -> [String]? {
      switch path {
      case "/probe", "/probe/a%20b", "/upload": ["GET", "HEAD", "POST"]
      case "/ignored", "/broken", "/pieces", "/form", "/optional", "/decoded": ["POST"]
      case "/split", "/status", "/number", "/refusal": ["GET"]
      default: nil
      }
    }

    func answer(_ request: inout EndpointRequest) async throws -> Reply {
      switch (request.method, request.path) {
      case (_, "/broken"): throw Broken()
      case (_, "/split"): return Reply(status: 200, headers: [("X-A", "b\r\nX-Evil: 1")])
      case (_, "/status"): return Reply(status: 42)
      case (_, "/number"): return .json([Double.nan])
      case (_, "/refusal"): throw Refusal(200, "fine")
      case (_, "/form"): return .json(try await request.storeForm(maxFiles: 1))
      case (_, "/optional"): return .json(try await request.storeForm(minFiles: 0, maxFiles: 1))
      case (_, "/decoded"):
        let body = Data(try await request.bytes(atMost: 1000))
        return .json(try JSONDecoder().decode(Note.self, from: body))
      case (_, "/ignored"): return Reply(status: 204)
      case (_, "/pieces"):
        var count = 0
        do {
          while let piece = try await request.nextBytes() { count += piece.count }
        } catch {
          throw Broken()
        }
        return .json(["count": count])
      case ("POST", _):
        return Reply(
          status: 201, headers: [("X-Words", request.header("x-word").joined(separator: "+"))],
          body: try await request.bytes(atMost: 10))
      default:
        return .json([
          "path": request.path, "base": request.baseURL, "file": request.url(ofStored: "ä"),
          "query": request.query.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&"),
        ])
      }
    }
  }

  private func run(_ test: (TestServer) async throws -> Void) async throws {
    try await TestServer.run({ $0.token = "t" }, endpoints: [Probe()], test)
  }

  private static let token = ["Authorization: Bearer t"]

  private func get(_ target: String, method: String = "GET") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer t\r\n\r\n"
  }

  @Test("a request says what came, and its reply keeps the connection for the next")
  func request() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send(get("/probe/a%20b?x=1&y=%20"))
      let reply = try client.readReply()
      #expect(reply.status == 200 && reply["connection"] == nil)
      #expect(
        reply.text
          == #"{"base":"http://test","file":"http://test/files/%C3%A4","path":"/probe/a%20b","query":"x=1&y= "}"#
          + "\n")
      try client.send(get("/probe", method: "HEAD"))
      let head = try client.readReply(hasBody: false)
      #expect(head.status == 200 && head["content-length"] != "0")
      let extra = Self.token + ["X-Word: a", "x-word: b"]
      try client.send(Wire.head("/probe", length: 10, extra: extra) + "0123456789")
      let echo = try client.readReply()
      #expect(echo.status == 201 && echo.text == "0123456789" && echo["x-words"] == "a+b")
      try client.send(get("/probe"))
      #expect(try client.readReply().status == 200)
    }
  }

  @Test("the receiver's own paths and checks come first")
  func order() async throws {
    try await run { server in
      #expect(try server.request("GET /probe HTTP/1.1\r\nHost: test\r\n\r\n").status == 401)
      let stranger = get("/probe").replacingOccurrences(of: "Host: test", with: "Host: evil")
      #expect(try server.request(stranger).status == 421)
      let cross = Self.token + ["Sec-Fetch-Site: cross-site"]
      #expect(try server.request(Wire.head("/probe", length: 0, extra: cross)).status == 403)
      // The probe would answer it.
      #expect(try server.request(get("/upload")).status == 405)
      let wrong = try server.request(get("/probe", method: "DELETE"))
      #expect(wrong.status == 405 && wrong["allow"] == "GET, HEAD, POST")
      #expect(try server.request(get("/elsewhere")).status == 404)
    }
  }

  @Test("a body that is too long is refused, one that nobody reads ends the connection")
  func bodies() async throws {
    try await run { server in
      let long = Wire.head("/probe", length: 11, extra: Self.token) + "0123456789a"
      #expect(try server.request(long).status == 413)
      let ignored = Wire.head("/ignored", length: 3, extra: Self.token) + "abc"
      let reply = try server.request(ignored)
      #expect(reply.status == 204 && reply["connection"] == "close")
    }
  }

  @Test("a client that asks whether to go on is told so once the body is read, or not at all")
  func expectations() async throws {
    try await run { server in
      let extra = Self.token + ["Expect: 100-continue"]
      let client = try server.connect()
      try client.send(Wire.head("/probe", length: 2, extra: extra))
      #expect(try client.readReply().status == 100)
      try client.send("ok")
      #expect(try client.readReply().text == "ok")
      try client.send(Wire.head("/ignored", length: 2, extra: extra))
      #expect(try client.readReply().status == 204)
    }
  }

  @Test(
    "a client's fault is answered as at /upload",
    arguments: [
      ("too long", 413, Wire.file("0123456789") + Wire.end),
      ("cut off", 400, Wire.file("x") + "--B"),
      ("LF only", 400, (Wire.file("x") + Wire.end).replacingOccurrences(of: "\r\n", with: "\n")),
      (
        "no disposition", 400,
        Wire.file("x").replacingOccurrences(of: "Content-Disposition", with: "X-Other") + Wire.end
      ),
      ("no file", 400, Wire.field("a", "b") + Wire.end),
      ("two files", 400, Wire.file("x") + Wire.file("y") + Wire.end),
      ("no form", 415, ""),
    ])
  func faults(_ what: String, _ status: Int, _ form: String) async throws {
    try await TestServer.run({ $0.limits.fileBytes = 5 }, endpoints: [Probe()]) { server in
      let type = form.isEmpty ? "text/plain" : "multipart/form-data; boundary=B"
      let replies = try ["/upload", "/form"].map { path in
        try server.request(Wire.head(path, length: form.utf8.count, type: type) + form)
      }
      #expect(replies[0].status == status && replies[1].status == status, "\(replies[1].text)")
      #expect(replies[0].text == replies[1].text)
      #expect(try server.names() == [])
    }
  }

  @Test(
    "what cannot be decoded is answered with 400 and the field's name",
    arguments: [
      ("{", "The body cannot be decoded."), ("{}", "title is missing."),
      (#"{"title": 1}"#, "title has a value of the wrong kind."),
      (#"{"title": "x", "tags": [{"name": "a"}, {}]}"#, "tags[1].name is missing."),
      (#"{"title": "x", "tags": [null]}"#, "tags[0] is null or empty."),
    ])
  func undecodable(body: String, words: String) async throws {
    try await run { server in
      let head = Wire.head("/decoded", length: body.utf8.count, extra: Self.token)
      let reply = try server.request(head + body)
      #expect(reply.status == 400 && reply.text.contains(words), "\(reply)")
      let hasFailed = server.events.all.contains { if case .failed = $0 { true } else { false } }
      #expect(!reply.text.contains("String") && !hasFailed, "\(reply)")
    }
  }

  @Test("a form whose files are optional may have none")
  func optionalFiles() async throws {
    try await run { server in
      let form = Wire.field("a", "b") + Wire.end
      let reply = try server.request(
        Wire.head("/optional", length: form.utf8.count, extra: Self.token) + form)
      #expect(reply.status == 200 && reply.text.contains(#""a":"b""#), "\(reply)")
    }
  }

  @Test(
    "what cannot be sent is answered with 500, and the event says why",
    arguments: [
      ("/split", "X-A"), ("/status", "the status 42"), ("/number", "JSON"),
      ("/refusal", "status 200"),
    ])
  func unsendable(path: String, words: String) async throws {
    try await run { server in
      let reply = try server.request(get(path))
      #expect(reply.status == 500 && reply["x-evil"] == nil, "\(reply)")
      let told = server.events.all.contains {
        if case .failed(let error, _, _) = $0 { error.contains(words) } else { false }
      }
      #expect(told, "\(server.events.all)")
    }
  }

  @Test("without the receiver's own paths, only endpoints answer")
  func alone() async throws {
    try await TestServer.run(
      {
        $0.token = "t"
        $0.servesUploads = false
      }, endpoints: [Probe()]
    ) { server in
      #expect(try server.request(get("/probe")).status == 200)
      #expect(try server.request(get("/upload")).status == 200, "it is the endpoint's now")
      for path in ["/", "/files/a", "/multiupload", "/uploads/1"] {
        let reply = try server.request(get(path))
        #expect(reply.status == 404 && !reply.text.contains("/upload"), "\(reply)")
      }
    }
  }

  @Test("an error is answered with 500, and its words stay here")
  func failure() async throws {
    try await run { server in
      let reply = try server.request(Wire.head("/broken", length: 0, extra: Self.token))
      #expect(reply.status == 500 && !reply.text.contains("secret"))
    }
  }

  @Test("a client that leaves is no failure of the endpoint's, whatever it makes of it")
  func disconnection() async throws {
    try await run { server in
      let client = try server.connect()
      try client.send(Wire.head("/pieces", length: 10, extra: Self.token) + "abc")
      client.reset()
      try await eventually { server.events.disconnections == 1 }
      let refusals = server.events.all.count { if case .refused = $0 { true } else { false } }
      #expect(refusals == 0)
      let whole = Wire.head("/pieces", length: 3, extra: Self.token) + "abc"
      #expect(try server.request(whole).text == "{\"count\":3}\n")
    }
  }

  @Test("docs/libraries.md shows exactly this example, and it does what it says")
  func example() async throws {
    let root = URL(filePath: Repository.root)
    let page = try String(contentsOf: root.appending(path: "docs/libraries.md"), encoding: .utf8)
    let example = try String(
      contentsOf: root.appending(path: "Tests/ReceiverTests/EndpointSnippet.swift"),
      encoding: .utf8)
    #expect(
      page.contains("<!-- snippet: endpoint -->\n```swift\n\(example)```\n"),
      "put Tests/ReceiverTests/EndpointSnippet.swift behind the marker, as a swift block")

    let scratch = try ScratchDirectory()
    let inbox = scratch.path("inbox")
    let (receiver, port) = try await startReceiver(directory: inbox)
    func send(_ content: String) throws -> RawClient.Reply {
      let client = try RawClient(port: port)
      let form = Wire.file(content) + Wire.end
      let request = Wire.post(form, to: "/reports")
      try client.send(request.replacingOccurrences(of: "Host: test", with: "Host: localhost"))
      return try client.readReply()
    }
    let results = Result {
      try [send("%PDF-1.7"), send("%PDF"), send("%PDF-1.7")]
    }
    await receiver.stop()
    let replies = try results.get()
    #expect(replies.map(\.status) == [201, 415, 201])
    #expect(
      replies[2].text == #"{"count":"2","url":"http://localhost/files/a%20%282%29.txt"}"# + "\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: inbox).sorted()
        == [".hoist-reports", ".hoist-reports.lock", "a (2).txt", "a.txt"])
  }
}
