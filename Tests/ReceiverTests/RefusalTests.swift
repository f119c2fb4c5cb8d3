import Foundation
import TestSupport
import Testing

@testable import Receiver

@Suite("Refusals")
struct RefusalTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var what: String
    var request: String
    var status: Int
    var says: String
    var testDescription: String { what }
  }

  static let heads = [
    Case(
      what: "no such address", request: Wire.post("", to: "/elsewhere"), status: 404,
      says: "/upload"),
    Case(
      what: "wrong method", request: "GET /upload HTTP/1.1\r\nHost: x\r\n\r\n", status: 405,
      says: "POST"),
    Case(
      what: "neither Content-Length nor chunked", request: Wire.head(length: nil), status: 411,
      says: "Content-Length"),
    Case(
      what: "no Content-Type",
      request: "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", status: 415,
      says: "multipart/form-data"),
    Case(
      what: "another Content-Type", request: Wire.head(length: 0, type: "application/json"),
      status: 415,
      says: "application/json"),
    Case(
      what: "no boundary", request: Wire.head(length: 0, type: "multipart/form-data"), status: 400,
      says: "boundary"),
    Case(
      what: "a boundary of 71 characters",
      request: Wire.head(
        length: 0, type: "multipart/form-data; boundary=\(String(repeating: "b", count: 71))"),
      status: 400, says: "70"),
    Case(
      what: "a compressed form",
      request: Wire.head(length: 0, extra: ["Content-Encoding: gzip"]), status: 415,
      says: "Content-Encoding"),
    Case(
      what: "another transfer coding",
      request: Wire.head(length: nil, extra: ["Transfer-Encoding: gzip, chunked"]), status: 501,
      says: "chunked"),
    Case(
      what: "a page of another site",
      request: Wire.head(length: 0, extra: ["Sec-Fetch-Site: cross-site"]), status: 403,
      says: "another site"),
    Case(
      what: "another expectation", request: Wire.head(length: 0, extra: ["Expect: a-miracle"]),
      status: 417, says: "100-continue"),
    Case(
      what: "not HTTP at all", request: "\u{16}\u{3}\u{1}garbage\r\n\r\n", status: 400, says: "HTTP"
    ),
    // NIO ends the program for such a name where it is added to header fields.
    Case(
      what: "a header field whose name is not ASCII",
      request: Wire.head(length: 0, extra: ["X-\u{C4}: 1"]), status: 400, says: "HTTP"),
    Case(
      what: "a Content-Length that is no number",
      request: "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", status: 400,
      says: "HTTP"),
    Case(
      what: "two lengths",
      request: Wire.head(length: 5, extra: ["Content-Length: 6"]), status: 400, says: "HTTP"),
    Case(
      what: "a length and chunks",
      request: Wire.head(length: 5, extra: ["Transfer-Encoding: chunked"]) + "0\r\n\r\n",
      status: 400,
      says: "HTTP"),
    Case(
      what: "a header of 40 KiB",
      request: Wire.head(length: 0, extra: ["X: \(String(repeating: "x", count: 40 << 10))"]),
      status: 431,
      says: "too long"),
    Case(
      what: "a thousand headers",
      request: Wire.head(length: 0, extra: (0..<1_000).map { "X-\($0): y" }), status: 431,
      says: "too long"),
    Case(
      what: "a target of 100 KiB",
      request: "GET /\(String(repeating: "x", count: 100 << 10)) HTTP/1.1\r\nHost: x\r\n\r\n",
      status: 431, says: "too long"),
  ]

  static let bodies = [
    Case(
      what: "no final boundary", request: Wire.post(Wire.file("x")), status: 400, says: "boundary"),
    Case(what: "nothing at all", request: Wire.post(""), status: 400, says: "boundary"),
    Case(what: "no boundary at all", request: Wire.post("hello"), status: 400, says: "boundary"),
    Case(what: "no part", request: Wire.post(Wire.end), status: 400, says: "no file"),
    Case(
      what: "only fields", request: Wire.post(Wire.field("a", "b") + Wire.end), status: 400,
      says: "no file"),
    Case(
      what: "two files to /upload", request: Wire.post(Wire.file("x") + Wire.file("y") + Wire.end),
      status: 400, says: "exactly one"),
    Case(
      what: "two empty files to /upload",
      request: Wire.post(Wire.file("") + Wire.file("") + Wire.end),
      status: 400, says: "exactly one"),
    Case(
      what: "eleven files",
      request: Wire.post(
        String(repeating: Wire.file("x"), count: 11) + Wire.end, to: "/multiupload"),
      status: 400, says: "at most 10"),
    Case(
      what: "a part without a name",
      request: Wire.post("--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--\r\n"),
      status: 400,
      says: "name"),
    Case(
      what: "a good file, then a bad part",
      request: Wire.post(
        Wire.file("x") + "--B\r\nnonsense\r\n\r\nx\r\n--B--\r\n", to: "/multiupload"),
      status: 400, says: "part 2"),
    Case(
      what: "line ends without CR",
      request: Wire.post(
        "--B\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\n\nx\n--B--\n"),
      status: 400, says: "LF"),
    Case(
      what: "a part's header without end",
      request: Wire.post("--B\r\nX: \(String(repeating: "x", count: 100_000))"), status: 400,
      says: "longer"),
    Case(
      what: "thousands of parts",
      request: Wire.post(String(repeating: Wire.field("a", ""), count: 1_001) + Wire.end),
      status: 413,
      says: "1000"),
    Case(
      what: "a field of 2 MiB",
      request: Wire.post(Wire.field("a", String(repeating: "x", count: 2 << 20)) + Wire.end),
      status: 413, says: "field"),
    Case(
      what: "998 names of 16 KiB",
      request: Wire.post(
        String(repeating: Wire.field(String(repeating: "n", count: 16_000), ""), count: 998)
          + Wire.file("x") + Wire.end), status: 413, says: "headers"),
    Case(
      what: "files with long headers",
      request: Wire.post(
        String(
          repeating: Wire.file("x", name: String(repeating: "n", count: 16_000)), count: 9)
          + String(repeating: Wire.field(String(repeating: "n", count: 16_000), ""), count: 60)
          + Wire.end, to: "/multiupload"), status: 413, says: "headers"),
    Case(
      what: "a file in base64",
      request: Wire.post(
        "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n"
          + "Content-Transfer-Encoding: base64\r\n\r\neA==\r\n--B--\r\n"), status: 400,
      says: "base64"),
    Case(
      what: "broken chunks",
      request: Wire.head(length: nil, extra: ["Transfer-Encoding: chunked"]) + "3\r\n--B\r\nZZ\r\n",
      status: 400, says: "HTTP"),
  ]

  @Test("each gets its status, words that help, and leaves nothing", arguments: heads + bodies)
  func refused(_ example: Case) async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      try client.send(example.request)
      let reply = try client.readReply()
      #expect(reply.status == example.status)
      #expect(reply["content-type"] == "application/json")
      let error = try #require(
        try JSONDecoder().decode([String: String].self, from: Data(reply.body))["error"])
      #expect(error.contains(example.says), "\(error)")
      if reply.status == 405 { #expect(reply["allow"] == "POST, OPTIONS") }
      #expect(try server.names().isEmpty)
      guard case .refused(let status, let message, _, let client)? = server.events.all.first else {
        Issue.record("\(server.events.all)")
        return
      }
      #expect(status == example.status && message == error && client.contains("127.0.0.1"))
    }
  }

  @Test("limits on files and requests, whether the length is known before or not")
  func limits() async throws {
    try await TestServer.run {
      $0.limits.fileBytes = 1_000
      $0.limits.bodyBytes = 3_000
    } _: { server in
      let fits = String(repeating: "x", count: 1_000)
      let whole = try server.request(Wire.post(Wire.file(fits) + Wire.end))
      #expect(whole.status == 201)
      #expect(try server.request(Wire.post(Wire.file(fits + "x") + Wire.end)).status == 413)
      let long = String(repeating: "x", count: 3_001)
      #expect(try server.request(Wire.post(long)).status == 413)
      let chunked =
        Wire.head(length: nil, extra: ["Transfer-Encoding: chunked"])
        + "bb9\r\n\(long)\r\n0\r\n\r\n"
      #expect(try server.request(chunked).status == 413)
      #expect(try server.names() == ["a.txt"])
    }
  }

  @Test("blanks around a Content-Length mean nothing", arguments: ["  82", "82 ", "82   ", "\t82"])
  func blanks(_ pattern: String) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let body = Wire.file("x") + Wire.end
      let length = pattern.replacing("82", with: "\(body.utf8.count)")
      let head =
        "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=B\r\n"
      #expect(try server.request("\(head)Content-Length: \(length)\r\n\r\n\(body)").status == 201)
    }
  }

  @Test("a disk without room is 507 before the body")
  func fullDisk() async throws {
    try await TestServer.run {
      $0.reservedBytes = .max
    } _: { server in
      let reply = try server.request(Wire.head(length: 100))
      #expect(reply.status == 507)
    }
  }

  @Test("a disk without room is 507 also where the body does not say how long it is")
  func fullDiskForChunks() async throws {
    try await TestServer.run {
      $0.reservedBytes = .max
    } _: { server in
      let body = Wire.file("content") + Wire.end
      let reply = try server.request(
        Wire.head(length: nil, extra: ["Transfer-Encoding: chunked"])
          + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
      #expect(reply.status == 507, "\(reply.text)")
      #expect(try server.names() == [])
    }
  }

  @Test(
    "what the file system says becomes a status that tells whether another try helps",
    arguments: [
      (ENOSPC, 507), (EDQUOT, 507), (EROFS, 507), (EACCES, 507), (EFBIG, 413), (EMFILE, 503),
      (EIO, 500),
    ])
  func disk(code: Int32, status: Int) {
    let refusal = Refusal(Inbox.Failure(doing: "write the file", code: code))
    #expect(
      Int(refusal.status.code) == status
        && refusal.message.contains(errorText(code)) != (code == EMFILE))
  }

  @Test("a token is asked for with each request, as Bearer or as the password of Basic")
  func token() async throws {
    try await TestServer.run {
      $0.token = "s3cret:x"
    } _: { server in
      func status(_ authorization: String?) throws -> Int {
        let reply = try server.request(
          "GET / HTTP/1.1\r\nHost: x\r\n"
            + (authorization.map { "Authorization: \($0)\r\n" } ?? "") + "\r\n")
        if reply.status == 401 {
          let challenges = reply.headers.filter { $0.name == "www-authenticate" }.map(\.value)
          #expect(challenges == ["Bearer realm=\"hoist\"", "Basic realm=\"hoist\""])
        }
        return reply.status
      }
      #expect(try status(nil) == 401)
      #expect(try status("Bearer wrong") == 401)
      #expect(try status("Bearer") == 401)
      #expect(try status("Digest s3cret:x") == 401)
      #expect(try status("Basic !!!") == 401)
      #expect(try status("Basic " + Data("s3cret:x:y".utf8).base64EncodedString()) == 401)
      #expect(try status("bearer s3cret:x") == 200)
      #expect(try status("Bearer s3cret:x\u{301}") == 401)
      #expect(try status("Basic " + Data("anyone:s3cret:x".utf8).base64EncodedString()) == 200)
      // Without it, not even whether an address exists is revealed.
      let reply = try server.request("GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(reply.status == 401)
    }
  }

  @Test("Expect: 100-continue is answered with 100 if the body is welcome")
  func continues() async throws {
    try await TestServer.run { server in
      let body = Wire.file("x") + Wire.end
      let client = try server.connect()
      for _ in 1...2 {
        try client.send(Wire.head(length: body.utf8.count, extra: ["Expect: 100-Continue"]))
        let interim = try client.readReply()
        #expect(interim.statusLine == "HTTP/1.1 100 Continue" && interim.headers.isEmpty)
        try client.send(body)
        #expect(try client.readReply().status == 201)
      }
      // A client of HTTP/1.0 would take the 100 for the answer.
      let old = try server.connect()
      try old.send(Wire.post(body, version: "1.0", extra: ["Expect: 100-continue"]))
      #expect(try old.readReply().status == 201)
    }
  }

  @Test(
    "Expect: 100-continue is answered at once if the body is not welcome",
    arguments: [
      (Wire.head(length: 2_000, extra: ["Expect: 100-continue"]), 413),
      (Wire.head("/elsewhere", length: 10, extra: ["Expect: 100-continue"]), 404),
      (Wire.head(length: 10, extra: ["Expect: 100-continue"], type: "text/plain"), 415),
    ])
  func doesNotContinue(head: String, status: Int) async throws {
    try await TestServer.run {
      $0.limits.bodyBytes = 1_000
    } _: { server in
      let client = try server.connect()
      try client.send(head)
      let reply = try client.readReply()
      #expect(reply.status == status && reply["connection"] == "close")
      client.finishSending()
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test("a client that sends on after an early refusal reads the refusal, not a reset")
  func earlyRefusal() async throws {
    try await TestServer.run {
      $0.limits.bodyBytes = 1_000
    } _: { server in
      let client = try server.connect()
      try client.send(Wire.head(length: 64 << 20))
      // Much more than any socket's buffers hold.
      let piece = [UInt8](repeating: 0x78, count: 1 << 20)
      for _ in 0..<64 { try client.send(piece) }
      let reply = try client.readReply()
      #expect(reply.status == 413 && reply["connection"] == "close")
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test("a refusal in the middle of a file is read too, also by curl", .needs("curl"))
  func refusalInTheMiddle() async throws {
    try await TestServer.run {
      $0.limits.fileBytes = 1 << 20
    } _: { server in
      let source = server.folder.path + "-source"
      try Data(patternBytes(32 << 20)).write(to: URL(fileURLWithPath: source))
      for extra in [[], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect:"], ["--http1.0"]] {
        let (_, output) = try run(
          "curl",
          extra + [
            "-sS", "-w", "%{http_code}", "-F", "f=@\(source)",
            "http://127.0.0.1:\(server.port)/upload",
          ])
        let text = String(decoding: output, as: UTF8.self)
        // curl can not send chunks in HTTP/1.0, nor know that we are one.
        #expect(text.contains("longer than 1048576 bytes") && text.hasSuffix("413"), "\(text)")
      }
      #expect(try server.names().isEmpty)
    }
  }

  @Test("what is thrown away after a refusal is bounded")
  func lingerBound() async throws {
    try await TestServer.run {
      $0.limits.bodyBytes = 1_000
      $0.lingerBytes = 1 << 20
    } _: { server in
      let client = try server.connect()
      try client.send(Wire.head(length: 1 << 40))
      let piece = [UInt8](repeating: 0x78, count: 1 << 20)
      #expect(throws: RawClient.Failure.self) {
        for _ in 0..<10_000 { try client.send(piece) }
      }
    }
  }
}
