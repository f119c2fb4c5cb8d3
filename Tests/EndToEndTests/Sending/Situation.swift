import Foundation
import Synchronization
import TestSupport
import Testing

/// What a server does to the files of a person, and what is known of them afterwards, however they were sent.
struct Situation: Sendable, CustomTestStringConvertible {
  let name: String
  /// What the target's table has beside its address.
  var target = ""
  /// Tables of the configuration beside the target's own.
  var tables = ""
  /// Whether the target has the usual address, one for each file, and the file as the whole body.
  var isUsual = true
  var files = ["a", "b", "c"]
  /// The replies to the requests for a path, "/b" for a file, or to a method and a path: the last one again and again.
  /// "hangup" is the end of the connection instead of a reply.
  var replies: [String: [String]] = [:]
  /// What each file that was not simply sent is: its state, and the line that says so, if each way has one.
  var ends: [String: (state: String, line: String)] = [:]
  /// The summary without figures.
  var summary: String
  var status: Int32 = 0
  /// A path whose requests are answered late, so that nobody knows the reply who has not waited for it.
  var latePath: String?
  /// Whether a screen waits for a person who mends the trouble.
  var needsPerson = false
  /// How many requests the server gets.
  var requests: Int

  var testDescription: String { name }

  func configuration(_ port: Int) -> String {
    let usual =
      isUsual ? "url = \"http://127.0.0.1:\(port)/{file.name}\"\nbody = \"binary\"" : ""
    return """
      [targets.t]
      \(usual)
      concurrency = 1
      retry = { attempts = 2, base = "50ms", max = "2s" }
      \(target)
      \(tables)
      """.replacing("PORT", with: "\(port)")
  }

  static let all = wholes + uploads

  private static let wholes: [Situation] = [
    Situation(name: "everything is accepted", summary: "3 of 3 files sent", requests: 3),
    Situation(
      name: "a file is refused", replies: ["/b": ["413 |too large"]],
      ends: ["b": ("failed", "✗ b: 413 Content Too Large, the server said: too large")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 3),
    Situation(
      name: "two files are refused for two reasons",
      replies: ["/a": ["404"], "/b": ["400 |no title"]],
      ends: [
        "a": ("failed", "✗ a: 404 Not Found"),
        "b": ("failed", "✗ b: 400 Bad Request, the server said: no title"),
      ], summary: "1 of 3 files sent; 2 failed", status: 1, requests: 3),
    Situation(
      name: "the second try is accepted", replies: ["/b": ["503", "201"]],
      summary: "3 of 3 files sent", requests: 4),
    Situation(
      name: "no try is accepted", replies: ["/b": ["423 |busy"]],
      ends: ["b": ("failed", "✗ b: 423 Locked, the server said: busy")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 4),
    Situation(
      name: "the server asks to wait", replies: ["/b": ["429 Retry-After: 1", "201"]],
      summary: "3 of 3 files sent", requests: 4),
    Situation(
      name: "no reply comes", replies: ["/b": ["hangup"]],
      ends: ["b": ("unknown", "? b: may have arrived")],
      summary: "2 of 3 files sent; 1 unknown", status: 1, requests: 3),
    Situation(
      name: "no reply comes, and a second copy does no harm", target: "idempotent = true",
      replies: ["/b": ["hangup", "201"]], summary: "3 of 3 files sent", requests: 4),
    Situation(
      name: "the server breaks down after the whole file", replies: ["/b": ["500 |oops"]],
      ends: ["b": ("unknown", "? b: 500 Internal Server Error, the server said: oops")],
      summary: "2 of 3 files sent; 1 unknown", status: 1, requests: 3),
    Situation(
      name: "a reply says no with a status that says yes",
      replies: ["/b": ["200 Content-Type: application/json|{\"ok\":false,\"error\":\"full\"}"]],
      ends: ["b": ("done", "! b: 200, but the reply says: full")],
      summary: "2 of 3 files sent; 1 doubtful", requests: 3),
    Situation(
      name: "a rule finds a failure in a reply",
      target:
        "response = { fail_when = [{ pointer = \"/ok\", is = false, message = \"/error\" }] }",
      replies: ["/b": ["200 Content-Type: application/json|{\"ok\":false,\"error\":\"full\"}"]],
      ends: ["b": ("failed", "✗ b: rejected by the server, the server said: full")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 3),
    Situation(
      name: "a file is sent elsewhere",
      replies: ["/b": ["307 Location: http://other.example/"]],
      ends: ["b": ("failed", "✗ b: 307 Temporary Redirect, not followed")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 3),
    Situation(
      name: "the result is elsewhere", replies: ["/b": ["303 Location: /files/b"]],
      summary: "3 of 3 files sent", requests: 3),
    Situation(
      name: "a file is too large for the target", target: "limits = { max_bytes = \"12 B\" }",
      files: ["a", "long", "c"],
      ends: ["long": ("failed", "✗ long: too large for the target")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 2),
    Situation(
      name: "a file is there already",
      tables: "[targets.t.exists]\nurl = \"http://127.0.0.1:PORT/{file.name}\"\nmethod = \"HEAD\"",
      replies: ["HEAD /a": ["404"], "HEAD /b": ["200"], "HEAD /c": ["404"]],
      summary: "2 of 3 files sent; 1 there already", requests: 5),
    Situation(
      name: "a name is taken", target: "if_there = \"skip\"",
      tables: "[targets.t.exists]\nurl = \"http://127.0.0.1:PORT/{file.name}\"\nmethod = \"HEAD\"",
      replies: ["HEAD /a": ["404"], "HEAD /b": ["200"], "HEAD /c": ["404"]],
      summary: "2 of 3 files sent; 1 skipped, its name is taken", requests: 5),
    Situation(
      name: "the server asks for credentials",
      replies: ["/a": ["401 WWW-Authenticate: Basic realm=\"x\""]],
      ends: [
        "a": ("failed", "✗ a: 401 Unauthorized"), "b": ("not-tried", ""),
        "c": ("not-tried", ""),
      ],
      summary: "0 of 3 files sent; 1 failed; 2 not tried", status: 1, needsPerson: true,
      requests: 1),
    Situation(
      name: "a server goes on with files after it has accepted them",
      tables: """
        [targets.t.wait]
        url = "http://127.0.0.1:PORT/task/{reply:/task}"
        statuses = [202]
        every = "100ms"
        for = "30s"
        until = { pointer = "/state", is = "ready" }
        fail_when = [{ pointer = "/state", is = "failed", message = "/reason" }]
        """,
      replies: [
        "/a": ["202 |{\"task\":1}"], "/b": ["202 |{\"task\":2}"],
        "GET /task/1": ["200 |{\"state\":\"working\"}", "200 |{\"state\":\"ready\"}"],
        "GET /task/2": ["200 |{\"state\":\"failed\",\"reason\":\"no picture\"}"],
      ],
      ends: ["b": ("failed", "✗ b: rejected by the server, the server said: no picture")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 6),
    Situation(
      name: "a request for several files is refused, and its halves are not",
      target:
        "url = \"http://127.0.0.1:PORT/up\"\nbatch = { max_files = 10, split_refused = true }",
      isUsual: false, replies: ["/up": ["413 |too large", "201"]],
      summary: "3 of 3 files sent", requests: 3),
    Situation(
      name: "tickets come first, and one is refused",
      tables: """
        [targets.t.ticket]
        url = "http://127.0.0.1:PORT/ticket/{file.name}"
        upload_url = "/url"
        """,
      isUsual: false,
      replies: [
        "/ticket/a": ["200 |{\"url\":\"http://127.0.0.1:PORT/a\"}"],
        "/ticket/b": ["403 |not yours"],
        "/ticket/c": ["200 |{\"url\":\"http://127.0.0.1:PORT/c\"}"],
      ],
      ends: ["b": ("failed", "✗ b: 403 Forbidden, the server said: not yours")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 5),
    Situation(
      name: "two files have one address",
      target: "url = \"http://127.0.0.1:PORT/{file.ext}\"\nmethod = \"PUT\"\nbody = \"binary\"",
      isUsual: false,
      files: ["a.x", "b.x", "c.y"],
      ends: ["b.x": ("failed", "✗ b.x: would overwrite another file")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 2),
    Situation(
      name: "a run is opened and closed around the files",
      target: """
        open = { url = "http://127.0.0.1:PORT/open" }
        close = { url = "http://127.0.0.1:PORT/close" }
        """,
      summary: "3 of 3 files sent", requests: 5),
    Situation(
      name: "the end of a run is refused",
      target: """
        open = { url = "http://127.0.0.1:PORT/open" }
        close = { url = "http://127.0.0.1:PORT/close" }
        """,
      replies: ["/close": ["400 |incomplete"]],
      summary: "3 of 3 files sent", status: 1, latePath: "/close", requests: 5),
  ]

  /// Files that are sent in several requests. Each has 12 bytes. A tus server is asked first what it can do.
  private static let uploads: [Situation] = [
    inPieces("files are sent in pieces", summary: "3 of 3 files sent", requests: 15),
    inPieces(
      "a piece is accepted at the second try", ["/b/2": ["503", "201"]],
      summary: "3 of 3 files sent", requests: 16),
    inPieces(
      "a piece is refused", ["/b/2": ["403 |no room"]],
      ends: ["b": ("failed", "✗ b: 403 Forbidden, the server said: no room")],
      summary: "2 of 3 files sent; 1 failed", status: 1, requests: 13),
    inPieces(
      "no reply comes to the request that puts the pieces together", ["/b/finish": ["hangup"]],
      ends: ["b": ("unknown", "? b: may have arrived")],
      summary: "2 of 3 files sent; 1 unknown", status: 1, requests: 16),
    withTus("files are sent by tus", summary: "3 of 3 files sent", requests: 7),
    withTus(
      "an upload by tus is broken off, and continues where it was",
      [
        "PATCH /u/b": ["hangup", tus("204", "Upload-Offset: 12")],
        "HEAD /u/b": [tus("200", "Upload-Offset: 5", "Upload-Length: 12")],
      ], summary: "3 of 3 files sent", requests: 9),
    withTus(
      "a tus server has forgotten an upload, which starts over",
      [
        "/tus": ["a", "b", "d", "c"].map { tus("201", "Location: /u/\($0)") },
        "PATCH /u/b": ["hangup"], "HEAD /u/b": ["404"],
      ], summary: "3 of 3 files sent", requests: 10),
  ]

  private static func inPieces(
    _ name: String, _ replies: [String: [String]] = [:],
    ends: [String: (state: String, line: String)] = [:], summary: String, status: Int32 = 0,
    requests: Int
  ) -> Situation {
    Situation(
      name: name,
      tables: """
        [targets.t.pieces]
        size = "5 B"
        parallel = 1
        begin = { url = "{url}/begin", values = { id = "/id" } }
        piece = { url = "{url}/{piece.number}" }
        finish = { url = "{url}/finish" }
        """,
      replies: Dictionary(
        uniqueKeysWithValues: ["a", "b", "c"].map { ("/\($0)/begin", ["201 |{\"id\":1}"]) }
      ).merging(replies) { $1 },
      ends: ends, summary: summary, status: status, requests: requests)
  }

  private static func withTus(
    _ name: String, _ replies: [String: [String]] = [:], summary: String, requests: Int
  ) -> Situation {
    let uploads = ["a", "b", "c", "d"]
    let patches = uploads.map { ("PATCH /u/\($0)", [tus("204", "Upload-Offset: 12")]) }
    return Situation(
      name: name, target: "url = \"http://127.0.0.1:PORT/tus\"\nresume = \"tus\"",
      isUsual: false,
      replies: Dictionary(
        uniqueKeysWithValues: patches
          + [("/tus", uploads.map { tus("201", "Location: /u/\($0)") })]
      ).merging(replies) { $1 },
      summary: summary, requests: requests)
  }

  /// A reply of a tus server with these fields.
  private static func tus(_ status: String, _ fields: String...) -> String {
    "\(status) " + (["Tus-Resumable: 1.0.0"] + fields).joined(separator: "\r\n")
  }

  /// The server of a situation.
  final class Server: Sendable {
    private struct Content {
      var counts: [String: Int] = [:]
      var requests = 0
      var isHeld: Bool
    }

    private final class Book: Sendable {
      let content: Mutex<Content>
      init(isHeld: Bool) { content = Mutex(Content(isHeld: isHeld)) }
    }

    private let server: HostileServer
    private let book: Book

    /// - Parameters:
    ///   - port: where it listens; a port of its own unless given.
    ///   - isHeld: whether no request is answered until `letGo`.
    init(_ situation: Situation, at port: Int? = nil, isHeld: Bool) throws {
      let book = Book(isHeld: isHeld)
      self.book = book
      let (replies, latePath) = (situation.replies, situation.latePath)
      let port = try port ?? HostileServer.closedPort()
      server = try HostileServer(port: port) { connection, _ in
        while let request = connection.readHead() {
          if request.headers["expect"] != nil {
            connection.send("HTTP/1.1 100 Continue\r\n\r\n")
          }
          let length = Int(request.headers["content-length"] ?? "") ?? 0
          guard connection.discard(length) else { return }
          book.content.withLock { $0.requests += 1 }
          while book.content.withLock({ $0.isHeld }) { Thread.sleep(forTimeInterval: 0.005) }
          let parts = request.line.split(separator: " ").map(String.init)
          guard parts.count == 3 else { return }
          if parts[1] == latePath { Thread.sleep(forTimeInterval: 0.5) }
          let isUpload = parts[0] == "POST" || parts[0] == "PUT"
          let name = isUpload ? parts[1] : "\(parts[0]) \(parts[1])"
          let number = book.content.withLock { content in
            defer { content.counts[name, default: 0] += 1 }
            return content.counts[name] ?? 0
          }
          let known = replies[name] ?? ["201"]
          let reply = known[min(number, known.count - 1)]
            .replacingOccurrences(of: "PORT", with: "\(port)")
          if reply == "hangup" { return }
          connection.send(Self.text(of: reply))
        }
      }
    }

    deinit { server.stop() }

    var port: Int { server.port }
    var requests: Int { book.content.withLock { $0.requests } }
    /// What was asked for, each once.
    var paths: [String] { book.content.withLock { $0.counts.keys.sorted() } }
    func letGo() { book.content.withLock { $0.isHeld = false } }

    /// The reply that "STATUS FIELD|BODY" stands for.
    private static func text(of reply: String) -> String {
      let halves = reply.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      let head = halves[0].split(separator: " ", maxSplits: 1).map(String.init)
      let body = halves.count > 1 ? String(halves[1]) : ""
      let field = head.count > 1 ? head[1] + "\r\n" : ""
      return "HTTP/1.1 \(head[0]) X\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
  }
}
