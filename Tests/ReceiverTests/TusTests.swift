import Foundation
import TestSupport
import Testing

@testable import Receiver

@Suite("Uploads in several requests (tus)")
struct TusTests {
  private func request(
    _ method: String, _ target: String, _ fields: [String] = [], body: String = "",
    version: String? = "1.0.0"
  ) -> String {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: test"] + fields
    if let version { lines.append("Tus-Resumable: \(version)") }
    if method != "HEAD" { lines.append("Content-Length: \(body.utf8.count)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  private func ask(
    _ server: TestServer, _ method: String, _ target: String, _ fields: [String] = [],
    body: String = "", version: String? = "1.0.0"
  ) throws -> RawClient.Reply {
    let client = try server.connect()
    try client.send(request(method, target, fields, body: body, version: version))
    return try client.readReply(hasBody: method != "HEAD")
  }

  /// Makes an upload and returns its path.
  private func create(
    _ server: TestServer, length: Int, _ fields: [String] = ["Upload-Metadata: filename YS50eHQ="]
  ) throws -> String {
    let reply = try ask(server, "POST", "/files", ["Upload-Length: \(length)"] + fields)
    #expect(reply.status == 201)
    // Sooner than for what comes next, so that nobody gets an answer.
    #expect(reply["upload-expires"] == nil)
    let location = try #require(reply["location"])
    #expect(location.hasPrefix("/uploads/"))
    return location
  }

  private func piece(at offset: Int, _ more: String...) -> [String] {
    ["Upload-Offset: \(offset)", "Content-Type: application/offset+octet-stream"] + more
  }

  /// The files that anybody can see.
  private func visible(_ server: TestServer) throws -> [String] {
    try server.names().filter { !$0.hasPrefix(".") }
  }

  @Test("says what it can do")
  func options() async throws {
    try await TestServer.run({ $0.limits.fileBytes = 5 }) { (server: TestServer) async throws in
      let reply = try ask(server, "OPTIONS", "/files", version: nil)
      #expect(reply.status == 204)
      #expect(reply["tus-version"] == "1.0.0" && reply["tus-resumable"] == "1.0.0")
      #expect(
        reply["tus-extension"]
          == "creation,creation-with-upload,checksum,termination,expiration,concatenation")
      #expect(reply["tus-checksum-algorithm"] == "sha1,sha256")
      #expect(reply["tus-max-size"] == "5")
      #expect(try ask(server, "POST", "/files", ["Upload-Length: 6"]).status == 413)
    }
  }

  @Test("a file comes in pieces, and is there when all of it is, once, under its name")
  func pieces() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 10)
      #expect(try ask(server, "HEAD", path)["upload-offset"] == "0")
      let first = try ask(server, "PATCH", path, piece(at: 0), body: "abcd")
      #expect(first.status == 204 && first["upload-offset"] == "4")
      #expect(first["upload-expires"]?.hasSuffix("GMT") == true)
      #expect(try visible(server) == [])
      let status = try ask(server, "HEAD", path)
      #expect(status.status == 200 && status["upload-offset"] == "4")
      #expect(status["upload-length"] == "10")
      #expect(status["upload-metadata"] == "filename YS50eHQ=")
      #expect(status["cache-control"] == "no-store")
      let last = try ask(server, "PATCH", path, piece(at: 4), body: "efghij")
      #expect(last.status == 204 && last["upload-offset"] == "10")
      #expect(last["location"] == "/files/a.txt")
      #expect(try server.bytes("a.txt") == Array("abcdefghij".utf8))
      // A client that has missed the answer asks for the state, and sends nothing again.
      let again = try ask(server, "HEAD", path)
      #expect(again["upload-offset"] == "10" && again["location"] == "/files/a.txt")
      #expect(try ask(server, "PATCH", path, piece(at: 10)).status == 204)
      #expect(try ask(server, "DELETE", path).status == 403)
      #expect(try visible(server) == ["a.txt"])
      guard case .stored(let file, _)? = server.events.all.first else {
        Issue.record("nothing was stored")
        return
      }
      #expect(file.sha256 == sha256(Array("abcdefghij".utf8)) && file.size == 10)
    }
  }

  @Test("what came before the connection broke stays; what is sent twice is refused")
  func broken() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 10)
      let client = try server.connect()
      try client.send(
        "PATCH \(path) HTTP/1.1\r\nHost: test\r\nTus-Resumable: 1.0.0\r\nContent-Length: 10\r\n"
          + piece(at: 0).joined(separator: "\r\n") + "\r\n\r\nabcdef")
      // Until the piece has begun, it may close the connections of clients that ask.
      try await eventually { (try? ask(server, "HEAD", path))?["upload-offset"] == "6" }
      #expect(try visible(server) == [])
      // The old connection was given up for the sake of the new one.
      #expect(try client.readToEnd().count >= 0)
      let conflict = try ask(server, "PATCH", path, piece(at: 0), body: "abcdefghij")
      #expect(conflict.status == 409)
      #expect(try ask(server, "PATCH", path, piece(at: 6), body: "ghij").status == 204)
      #expect(try server.bytes("a.txt") == Array("abcdefghij".utf8))
    }
  }

  @Test("another receiver on the folder goes on with what the one before was sent")
  func restart() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 4)
      _ = try ask(server, "PATCH", path, piece(at: 0), body: "ab")
      let next = UploadReceiver(
        configuration: UploadReceiver.Configuration(directory: server.folder.path))
      let port = try await next.start()
      let client = try RawClient(port: port)
      let head = "Host: 127.0.0.1\r\nTus-Resumable: 1.0.0\r\n"
      try client.send("HEAD \(path) HTTP/1.1\r\n\(head)\r\n")
      #expect(try client.readReply(hasBody: false)["upload-offset"] == "2")
      try client.send(
        "PATCH \(path) HTTP/1.1\r\n\(head)Content-Length: 2\r\n"
          + piece(at: 2).joined(separator: "\r\n") + "\r\n\r\ncd")
      #expect(try client.readReply().status == 204)
      // It waits for its clients.
      client.close()
      await next.stop()
      #expect(try server.bytes("a.txt") == Array("abcd".utf8))
    }
  }

  @Test(
    "all of it is there and its name is not, for the receiver was killed: the next question names it"
  )
  func unpublished() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 4)
      let id = path.replacing("/uploads/", with: "")
      let content = server.folder.appendingPathComponent(".hoist-upload-\(id).data")
      try Data("abcd".utf8).write(to: content)
      #expect(try ask(server, "HEAD", path)["upload-offset"] == "4")
      #expect(try server.bytes("a.txt") == Array("abcd".utf8))
      #expect(!FileManager.default.fileExists(atPath: content.path))
    }
  }

  @Test("an empty file is there at once, and a file can come with its first request")
  func atOnce() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      _ = try create(server, length: 0)
      #expect(try server.bytes("a.txt") == [])
      let reply = try ask(
        server, "POST", "/files",
        ["Upload-Length: 3", "Content-Type: application/offset+octet-stream"], body: "abc")
      #expect(reply.status == 201 && reply["upload-offset"] == "3")
      #expect(try server.bytes("file") == Array("abc".utf8))
    }
  }

  /// Sends a part in one request and returns its path.
  private func part(_ server: TestServer, _ text: String) throws -> String {
    let reply = try ask(
      server, "POST", "/files",
      [
        "Upload-Length: \(text.utf8.count)", "Upload-Concat: partial",
        "Content-Type: application/offset+octet-stream",
      ], body: text)
    #expect(reply.status == 201)
    return try #require(reply["location"])
  }

  private func join(_ server: TestServer, _ parts: [String]) throws -> RawClient.Reply {
    try ask(
      server, "POST", "/files",
      [
        "Upload-Concat: final;" + parts.joined(separator: " "),
        "Upload-Metadata: filename YS50eHQ=",
      ])
  }

  @Test(
    "parts become one file, in the order that the last request gives, and none is a file by itself")
  func concatenation() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let last = try part(server, "ghij")
      let first = try create(server, length: 6, ["Upload-Concat: partial"])
      #expect(try ask(server, "PATCH", first, piece(at: 0), body: "abc").status == 204)
      // One that is not whole.
      #expect(try join(server, [first, last]).status == 400)
      #expect(try ask(server, "PATCH", first, piece(at: 3), body: "def").status == 204)
      let empty = try part(server, "")
      #expect(try visible(server) == [])
      #expect(try ask(server, "HEAD", first)["upload-concat"] == "partial")

      // Absolute addresses are as good as paths.
      let parts = ["http://test\(first)", empty, last]
      let reply = try join(server, parts)
      #expect(reply.status == 201)
      let whole = try #require(reply["location"])
      #expect(try server.bytes("a.txt") == Array("abcdefghij".utf8))
      let status = try ask(server, "HEAD", whole)
      #expect(status["upload-concat"] == "final;" + parts.joined(separator: " "))
      #expect(status["upload-offset"] == "10" && status["upload-length"] == "10")
      #expect(status["location"] == "/files/a.txt")
      #expect(try ask(server, "PATCH", whole, piece(at: 10), body: "").status == 403)

      // A client that has missed the reply asks again.
      let again = try join(server, parts)
      #expect(again.status == 201 && again["location"] == whole)
      #expect(try visible(server) == ["a.txt"])
      // What the parts had is not kept twice, and does not go into another file.
      #expect(try join(server, [last, first]).status == 410)
      #expect(try server.names().filter { $0.hasSuffix(".data") } == [])
    }
  }

  @Test("parts that were begun and never joined keep nobody out")
  func manyParts() async throws {
    try await TestServer.run({ $0.maxUnfinishedUploads = 4 }) { (server: TestServer) async throws in
      let parts = try (0..<4).map { try part(server, $0 == 0 ? "" : "abc") }
      // The oldest of them makes room.
      for _ in 0..<3 { _ = try part(server, "def") }
      #expect(try create(server, length: 3).hasPrefix("/uploads/"))
      #expect(try join(server, parts).status == 404)
    }
  }

  @Test("what cannot be joined leaves no copy behind, and its parts can be joined later")
  func failedJoin() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let parts = [try part(server, "abc"), try part(server, "def")]
      // It is gone by the time that it is to be copied.
      let id = parts[1].replacing("/uploads/", with: "")
      let content = server.folder.appendingPathComponent(".hoist-upload-\(id).data")
      try FileManager.default.removeItem(at: content)
      #expect(try join(server, parts).status == 410)
      #expect(try server.names().count { $0.hasSuffix(".json") } == 2)
      try Data("def".utf8).write(to: content)
      #expect(try join(server, parts).status == 201)
      #expect(try server.bytes("a.txt") == Array("abcdef".utf8))
    }
  }

  @Test("what a killed receiver had joined of the parts is joined anew")
  func concatenationAgain() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let parts = [try part(server, "abc"), try part(server, "def")]
      let whole = try create(
        server, length: 6,
        ["Upload-Concat: partial", "Upload-Metadata: filename YS50eHQ="])
      // As it is if the receiver is killed while it copies.
      let name = { (path: String) in ".hoist-upload-" + path.replacing("/uploads/", with: "") }
      let id = whole.replacing("/uploads/", with: "")
      let folder = server.folder
      func change(_ path: String, _ old: String, _ new: String) throws {
        let file = folder.appendingPathComponent(name(path) + ".json")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains(old))
        try Data(text.replacing(old, with: new).utf8).write(to: file)
      }
      try change(
        whole, #""concat":"partial""#,
        #""concat":"final;\#(parts.joined(separator: " "))""#.replacing("/", with: "\\/"))
      for part in parts { try change(part, "{", #"{"whole":"\#(id)","#) }
      try Data("xx".utf8).write(to: folder.appendingPathComponent(name(whole) + ".data"))

      let reply = try join(server, parts)
      #expect(reply.status == 201 && reply["location"] == whole)
      #expect(try server.bytes("a.txt") == Array("abcdef".utf8))
    }
  }

  @Test(
    "what cannot be joined is refused",
    arguments: [
      (400, "final;"), (400, "final"), (400, "both"), (400, "final;/files/a.txt"),
      (404, "final;/uploads/0123456789abcdef0123456789abcdef"), (404, "final;/uploads/..%2Fx"),
    ])
  func notJoined(_ status: Int, _ value: String) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let reply = try ask(
        server, "POST", "/files", ["Upload-Length: 1", "Upload-Concat: \(value)"])
      #expect(reply.status == status)
      #expect(try server.names() == [])
    }
  }

  @Test("only parts are joined, each once, and not beyond the limit of a file")
  func notParts() async throws {
    try await TestServer.run({ $0.limits.fileBytes = 5 }) { (server: TestServer) async throws in
      let upload = try create(server, length: 3)
      let parts = [try part(server, "abc"), try part(server, "def")]
      #expect(try join(server, [parts[0], upload]).status == 400)
      #expect(try join(server, [parts[0], parts[0]]).status == 400)
      #expect(try join(server, parts).status == 413)
      #expect(try join(server, [parts[0]]).status == 201)
      #expect(try server.bytes("a.txt") == Array("abc".utf8))
    }
  }

  @Test("a checksum that is wrong drops the piece; one that never came does, too")
  func checksums() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 4)
      // Of nothing.
      let right = "Upload-Checksum: sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk="
      let wrong = try ask(server, "PATCH", path, piece(at: 0, right), body: "ab")
      #expect(wrong.status == 460)
      #expect(try ask(server, "HEAD", path)["upload-offset"] == "0")
      // Of "ab".
      let sum = "Upload-Checksum: sha256 +44g/C5MPySMYMOb1lLzwTRymLuXe4tNWQO4UFViBgM="
      let client = try server.connect()
      try client.send(
        "PATCH \(path) HTTP/1.1\r\nHost: test\r\nTus-Resumable: 1.0.0\r\nContent-Length: 4\r\n"
          + piece(at: 0, right).joined(separator: "\r\n") + "\r\n\r\nabc")
      try await eventually {
        try server.names().contains { name in
          name.hasSuffix(".data") && (try? server.bytes(name).count) == 3
        }
      }
      client.reset()
      try await eventually { (try? ask(server, "HEAD", path))?["upload-offset"] == "0" }
      #expect(try ask(server, "PATCH", path, piece(at: 0, sum), body: "ab").status == 204)
      #expect(try ask(server, "HEAD", path)["upload-offset"] == "2")
      let unknown = try ask(
        server, "PATCH", path, piece(at: 2, "Upload-Checksum: md5 AA=="), body: "ab")
      #expect(unknown.status == 400)
    }
  }

  @Test("an upload can be taken back, and is forgotten when nobody comes")
  func forgotten() async throws {
    try await TestServer.run({ $0.uploadLifetime = .seconds(0) }) {
      (server: TestServer) async throws in
      let reply = try ask(server, "POST", "/files", ["Upload-Length: 3"])
      #expect(reply.status == 404)
    }
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 3)
      #expect(try ask(server, "DELETE", path).status == 204)
      #expect(try ask(server, "HEAD", path).status == 404)
      #expect(try ask(server, "PATCH", path, piece(at: 0), body: "a").status == 404)
      #expect(try server.names() == [])
      let old = try create(server, length: 3)
      try server.age(old)
      #expect(try ask(server, "HEAD", old).status == 404)
      #expect(try server.names() == [])
    }
  }

  @Test(
    "as many empty uploads as a stranger may begin keep nobody out, and are not looked through for each request"
  )
  func manyEmpty() async throws {
    let most = Effort.of(
      1_000, long: UploadReceiver.Configuration(directory: "").maxUnfinishedUploads)
    let folder = URL(fileURLWithPath: try ScratchDirectory().path)
    /// As if it had been made this many seconds ago.
    func make(_ number: Int, seconds: Double, content: String = "") throws {
      let name = ".hoist-upload-" + String(format: "%032x", number)
      let record = #"{"length": 100000, "name": "a", "type": "text/plain"}"#
      for (suffix, text) in [("data", content), ("json", record)] {
        let path = folder.appendingPathComponent("\(name).\(suffix)").path
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
          throw CocoaError(.fileWriteUnknown)
        }
        try FileChange.age(path, seconds: seconds)
      }
    }
    func isThere(_ number: Int) -> Bool {
      FileManager.default.fileExists(
        atPath: folder.path + "/.hoist-upload-" + String(format: "%032x", number) + ".json")
    }
    let large = String(repeating: "x", count: 70_000)
    try make(1, seconds: 3_000)
    try make(2, seconds: 70_000, content: large)
    try make(3, seconds: 60_000, content: "x")
    for number in 4...most + 1 { try make(number, seconds: 400 - Double(number) / 100) }
    try await TestServer.run({
      $0.directory = folder.path
      $0.maxUnfinishedUploads = most
    }) { (server: TestServer) async throws in
      // Of nothing: minutes.
      #expect(!isThere(1) && isThere(2) && isThere(3) && isThere(4))
      // What a sweep would find.
      try make(20_000, seconds: 90_000, content: "x")
      for _ in 1...20 { _ = try create(server, length: 3) }
      #expect(isThere(20_000))
      // The oldest ones of which little was there went.
      #expect(isThere(2) && !isThere(3) && !isThere(4) && !isThere(20) && isThere(40))
      let path = try create(server, length: 3)
      #expect(try ask(server, "PATCH", path, piece(at: 0), body: "abc").status == 204)
    }
  }

  @Test("POST stands for other methods where something on the way forbids them")
  func override() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 2)
      let reply = try ask(
        server, "POST", path, piece(at: 0, "X-HTTP-Method-Override: PATCH"), body: "ab")
      #expect(reply.status == 204)
      #expect(try server.bytes("a.txt") == Array("ab".utf8))
    }
  }

  @Test(
    "what is no tus is refused, with a status of its own",
    arguments: [
      (412, ["POST", "/files"], ["Upload-Length: 1"], "0.2.2"),
      (400, ["POST", "/files"], [], "1.0.0"),
      (400, ["POST", "/files"], ["Upload-Length: -1"], "1.0.0"),
      (400, ["POST", "/files"], ["Upload-Length: 1", "Upload-Metadata: a !"], "1.0.0"),
      (400, ["POST", "/files"], ["Upload-Length: 1", "Upload-Metadata: a YQ==,a YQ=="], "1.0.0"),
      (404, ["HEAD", "/uploads/0123456789abcdef0123456789abcdef"], [], "1.0.0"),
      (404, ["HEAD", "/uploads/..%2Fx"], [], "1.0.0"),
      (405, ["GET", "/uploads/1"], [], "1.0.0"),
      (405, ["POST", "/uploads/1"], [], "1.0.0"),
    ])
  func refused(_ status: Int, _ line: [String], _ fields: [String], _ version: String) async throws
  {
    try await TestServer.run { (server: TestServer) async throws in
      let reply = try ask(server, line[0], line[1], fields, version: version)
      #expect(reply.status == status)
      #expect(try server.names() == [])
    }
  }

  @Test("more than was said is refused, and the token is wanted here, too")
  func limits() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 2)
      #expect(try ask(server, "PATCH", path, piece(at: 0), body: "abc").status == 413)
      #expect(try ask(server, "PATCH", path, ["Upload-Offset: 0"], body: "a").status == 415)
      #expect(try visible(server) == [])
    }
    try await TestServer.run({ $0.token = "secret" }) { (server: TestServer) async throws in
      #expect(try ask(server, "POST", "/files", ["Upload-Length: 1"]).status == 401)
    }
  }
}
