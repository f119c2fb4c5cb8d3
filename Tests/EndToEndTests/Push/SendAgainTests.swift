import Foundation
import Synchronization
import TestSupport
import Testing

@testable import hoist

/// A server that refuses every file until it is told to take them.
final class RefusingServer: Sendable {
  let server: HostileServer
  private let takes: Shared

  private final class Shared: Sendable {
    let isTaking = Mutex(false)
  }

  init() throws {
    let takes = Shared()
    self.takes = takes
    server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        if request.line.contains(" /ticket") {
          let ticket = #"{"url":"/put/x?sig=1"}"#
          connection.send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(ticket.utf8.count)\r\n\r\n\(ticket)"
          )
        } else if takes.isTaking.withLock({ $0 }) {
          connection.send(
            "HTTP/1.1 201 Created\r\nLocation: /made/1\r\nUpload-Offset: 0\r\nContent-Length: 0\r\n\r\n"
          )
        } else {
          connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
      }
    }
  }

  func take() { takes.isTaking.withLock { $0 = true } }

  /// What was asked since the first `count` requests, sorted, and without what is new in each request.
  func requests(after count: Int = 0) -> [String] {
    server.requests.dropFirst(count).map { request in
      var fields = request.headers
      var body = String(decoding: request.body, as: Unicode.ASCII.self)
      let type = fields["content-type"] ?? ""
      if let start = type.range(of: "boundary=")?.upperBound {
        let boundary = type[start...].trimmingCharacters(in: ["\""])
        body = body.replacingOccurrences(of: boundary, with: "BOUNDARY")
        fields["content-type"] = type.replacingOccurrences(of: boundary, with: "BOUNDARY")
      }
      let head = fields.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      return ([request.line] + head + [body]).joined(separator: "\n")
    }.sorted()
  }
}

/// Files that are sent in one way, which any way to send them again must keep.
struct SendAgainKind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The target's table besides its URL.
  var table = ""
  /// The target's path.
  var path = "/u"
  let arguments: [String]
  /// What has to be given again.
  var options: [String] = []
  /// What standard input contains.
  var input: [UInt8] = []
  /// The command of a shell that makes more files.
  var files = "true"

  init(
    _ name: String, _ arguments: String..., table: String = "", path: String = "/u",
    options: [String] = [], input: [UInt8] = [], files: String = "true"
  ) {
    (testDescription, self.arguments, self.table) = (name, arguments, table)
    (self.path, self.options, self.input, self.files) = (path, options, input, files)
  }

  static let put = "method = \"PUT\"\nbody = \"binary\"\n"

  static let all: [SendAgainKind] = [
    SendAgainKind(
      "a folder, {file.path} in the address", "-r", "d", table: put, path: "/b/{file.path}"),
    SendAgainKind(
      "a folder, {file.path} in a field", "-r", "d", table: #"fields = { path = "{file.path}" }"#),
    SendAgainKind(
      "a folder with a field and a type", "-r", "d;field=photo;type=image/webp",
      table: #"fields = { path = "{file.path}" }"#),
    SendAgainKind(
      "a name of its own", "d/x.jpg;name=b.webp", table: #"file_name = "{file.stem}-t.{file.ext}""#),
    SendAgainKind(
      "a name of the target's", "d/x.jpg", table: #"file_name = "{file.stem}-t.{file.ext}""#),
    SendAgainKind("a type of its own", "d/x.jpg;type=image/webp", table: #"file_type = "a/b""#),
    SendAgainKind("a type of the target's", "d/x.jpg", table: #"file_type = "a/b""#),
    SendAgainKind(
      "a field of its own", "d/x.jpg;field=photo", table: #"file_field = "{file.stem}""#),
    SendAgainKind("--field and --type", "d/x.jpg", "--field", "photo", "--type", "image/webp"),
    SendAgainKind("several names for one file", "d/x.jpg;name=1", "d/x.jpg;name=2;type=a/b"),
    SendAgainKind(
      "companions", "d/x.jpg",
      table: #"companions = [{ file = "{file.stem}.xmp", field = "side", type = "a/b" }]"#),
    SendAgainKind(
      "a batch", "d/x.jpg", "d/2026/a/x.png;name=y", "d/2026/z;type=a/b",
      table:
        "batch = { max_files = 3 }\nfile_name = \"{index}-{file.name}\""
    ),
    SendAgainKind("{uuid}", "-r", "d", table: #"headers = { Idempotency-Key = "{uuid}" }"#),
    SendAgainKind("{uuid} in the address", "-r", "d", table: put, path: "/b/{uuid}"),
    SendAgainKind(
      "digests and times of the file", "d/x.jpg",
      table:
        #"headers = { X-Sum = "{file.sha256}", X-Time = "{file.mtime}", X-Size = "{file.size}" }"#),
    SendAgainKind(
      "a command that makes the file", "-r", "d", table: #"prepare = ["cp", "{in}", "{out}"]"#),
    SendAgainKind(
      "a ticket", "-r", "d",
      table: put + #"ticket = { url = "SERVER/ticket/{file.path}", upload_url = "/url" }"#),
    SendAgainKind("tus", "d/x.jpg;name=y;type=a/b", table: #"resume = "tus""#),
    SendAgainKind(
      "pieces", "-r", "d", "--exclude", "z",
      table: """
        method = "PUT"
        body = "binary"
        pieces = { size = 1, begin = { method = "POST", url = "SERVER/begin", json = { name = "{file.path}" }, ok = 201 }, piece = { method = "PUT", url = "SERVER/p/{piece.number}" } }
        """),
    SendAgainKind("standard input", "-", "--name", "x.sql", input: [1, 2]),
    SendAgainKind(
      "standard input with a name of its own", "--", "-;name=x.sql;type=a/b", input: [1, 2],
      files: "touch -- -"),
    SendAgainKind(
      "a list", "--from-file", "list", "-r", table: put, path: "/b/{file.path}",
      files: "printf 'd\\n-\\n' > list; echo minus > ./-"),
    SendAgainKind(
      "a name that is not UTF-8", "-r", "d", table: put, path: "/b/{file.path}",
      files: "rm -r d/*; echo 1 > \"$(printf 'd/a\\377')\""),
    SendAgainKind("--form", "d/x.jpg", options: ["--form", "album=7"]),
    SendAgainKind(
      "--form and --form-add", "d/x.jpg", options: ["--form", "a=7", "--form-add", "b=8"]),
    SendAgainKind("--header", "d/x.jpg", options: ["--header", "X-Key: hunter2"]),
    SendAgainKind("--file-name", "d/x.jpg", options: ["--file-name", "{file.size}.x"]),
  ]
}

extension EndToEnd {
  @Suite("Whatever failed is sent again as it was, or not at all")
  struct SendAgainTests {
    static func person(_ kind: SendAgainKind, _ server: RefusingServer) async throws -> Person {
      let person = try Person()
      let made =
        "mkdir -p d/2026/a; echo 1 > d/2026/a/x.png; echo 2 > d/x.jpg; echo 3 > d/2026/z; echo 4 > d/x.xmp"
      let shell = try await person.shell("\(made); \(kind.files)").end()
      #expect(shell.status == 0, "\(shell)")
      let address = "http://127.0.0.1:\(server.server.port)"
      let url = kind.table.contains("upload_url") ? "" : "url = \"\(address)\(kind.path)\"\n"
      try person.configure(
        "[targets.t]\n\(url)\(kind.table.replacingOccurrences(of: "SERVER", with: address))\n")
      return person
    }

    @Test("by --retry-failed", arguments: SendAgainKind.all)
    func retryFailed(_ kind: SendAgainKind) async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await Self.person(kind, server)
      let first = try await person.run(
        ["push", "--to", "t", "--report", "r.json"] + kind.options + kind.arguments,
        input: kind.input)
      #expect(first.status == 1, "\(first)")
      let (before, count) = (server.requests(), server.server.requests.count)
      #expect(!before.isEmpty)
      server.take()
      let retry = ["push", "--retry-failed", "r.json", "--report", "r.json"]
      if !kind.options.isEmpty {
        let named = kind.options.indices.filter { $0 % 2 == 0 }.map { kind.options[$0] }
        for extra in [[], ["--to", "t"], ["--to", "t", "--header", "X-Other: 1"]] {
          let refused = try await person.run(retry + extra)
          #expect(refused.status == 2, "\(refused)")
          for option in named { #expect(refused.errors.contains(option), "\(refused)") }
        }
        #expect(!first.errors.contains("hunter2"))
        #expect(server.server.requests.count == count)
      }
      let again = try await person.run(
        retry + (kind.options.isEmpty ? [] : ["--to", "t"] + kind.options), input: kind.input)
      let after = server.requests(after: count)
      if kind.testDescription == "pieces" {
        // The first request of each upload failed.
        #expect(before.allSatisfy(after.contains), "\(again)")
      } else if kind.testDescription == "tus" {
        #expect(after.first { $0.hasPrefix("POST") } == before.first { $0.hasPrefix("POST") })
      } else {
        #expect(again.status == 0, "\(again)")
        #expect(before == after)
      }
    }

    @Test("the same report twice: what has been sent since then is left out, and that is said")
    func twice() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await Self.person(SendAgainKind(""), server)
      let first = try await person.run(
        "push", "d/x.jpg;name=1", "d/x.jpg;name=2", "d/x.xmp", "--to", "t", "--report", "r.json")
      #expect(first.status == 1, "\(first)")
      server.take()
      let sent = try await person.run("push", "--retry-failed", "r.json")
      #expect(sent.status == 0 && server.server.requests.count == 6, "\(sent)")
      let again = try await person.run("push", "--retry-failed", "r.json", "--report", "later.json")
      #expect(again.status == 0 && server.server.requests.count == 6, "\(again)")
      #expect(again.errors.contains("x.xmp: skipped, sent since then, "), "\(again)")
      #expect(again.errors.contains("3 skipped"), "\(again)")
      #expect(try text(person, "later.json").contains(#""files" : ["#))
      // What has changed since then is another content.
      try person.folder.write("d/x.xmp", [1, 2, 3])
      let changed = try await person.run("push", "--retry-failed", "r.json")
      #expect(changed.status == 0 && server.server.requests.count == 7, "\(changed)")
      // Another target does not have them.
      let other = "http://localhost:\(server.server.port)/u"
      let elsewhere = try await person.run("push", "--retry-failed", "r.json", "--to", other)
      #expect(elsewhere.status == 0 && server.server.requests.count == 10, "\(elsewhere)")
    }

    private func text(_ person: Person, _ name: String) throws -> String {
      try String(contentsOfFile: person.folder.path(name), encoding: .utf8)
    }

    @Test("standard input that is named again is that of the report")
    func inputNamedAgain() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await Self.person(SendAgainKind(""), server)
      let push = ["push", "-", "--name", "x.sql", "--to", "t", "--report", "r.json"]
      let first = try await person.run(push, input: [1, 2])
      #expect(first.status == 1, "\(first)")
      let before = server.requests()
      server.take()
      let again = try await person.run(["push", "--retry-failed", "r.json", "-"], input: [1, 2])
      #expect(again.status == 0 && server.requests(after: 1) == before, "\(again)")
    }

    @Test("--json tells names apart that are not UTF-8, as reports do")
    func namesInJSON() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let kind = SendAgainKind(
        "", files: "rm -r d/*; echo 1 > \"$(printf 'd/a\\376')\"; echo 2 > \"$(printf 'd/a\\377')\""
      )
      let person = try await Self.person(kind, server)
      server.take()
      let pushed = try await person.run("push", "-r", "d", "--to", "t", "--json")
      for byte in [254, 255] {
        #expect(pushed.output.contains("\"path\":[100,47,97,\(byte)]"), "\(pushed)")
      }
      _ = try await person.run("add", "-r", "d", "--to", "t")
      for command in [["queue", "--json"], ["history", "--json"]] {
        let told = try await person.run(command)
        for byte in [254, 255] { #expect(told.output.contains("97,\(byte)]"), "\(told)") }
      }
      // A table has text.
      let table = try await person.run("history", "--csv")
      #expect(table.output.contains("/d/a\u{FFFD},"), "\(table)")
    }

    /// Those that can be queued.
    static let queued = SendAgainKind.all.filter { kind in
      kind.options.isEmpty && kind.arguments.allSatisfy { $0 == "-r" || !$0.hasPrefix("-") }
        && kind.testDescription != "tus"
    }

    @Test("by hoist queue retry", arguments: queued)
    func queueRetry(_ kind: SendAgainKind) async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await Self.person(kind, server)
      let added = try await person.run(["add", "--to", "t"] + kind.arguments)
      #expect(added.status == 0, "\(added)")
      let first = try await person.hoist("send").end()
      #expect(first.status == 1, "\(first)")
      let (before, count) = (server.requests(), server.server.requests.count)
      #expect(!before.isEmpty)
      server.take()
      let retried = try await person.run("queue", "retry")
      #expect(retried.status == 0, "\(retried)")
      let again = try await person.hoist("send").end()
      #expect(again.status == 0, "\(again)")
      let after = server.requests(after: count)
      // Of an upload in pieces, the first request failed.
      #expect(
        kind.testDescription == "pieces" ? before.allSatisfy(after.contains) : after == before)
    }

    /// A server that takes everything, and the addresses that files were sent to.
    private func taking() throws -> (server: HostileServer, puts: () -> [String]) {
      let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      return (server, { server.requests.map(\.line).sorted() })
    }

    private func configure(_ person: Person, _ server: HostileServer) throws {
      try person.configure(
        """
        [targets.t]
        url = "\(server.url("/b"))/{file.path}"
        method = "PUT"
        body = "binary"
        """)
    }

    @Test("a folder that could not be read: its files keep their places")
    func unreadableFolder() async throws {
      let (server, puts) = try taking()
      defer { server.stop() }
      let person = try Person()
      try configure(person, server)
      let first = try await person.shell(
        "mkdir -p d/in/deep; echo 1 > d/in/deep/x; echo 2 > d/x; chmod 0 d/in; "
          + "\(Person.bound) hoist push -r d --to t --report r.json; s=$?; chmod 700 d/in; exit $s"
      ).end()
      #expect(first.status == 1, "\(first)")
      #expect(puts() == ["PUT /b/x HTTP/1.1"])
      // Which of its files are meant is only known with the options of the first push.
      let alone = try await person.run("push", "--retry-failed", "r.json")
      #expect(alone.status == 1 && alone.errors.contains("is a folder"), "\(alone)")
      let again = try await person.run("push", "--retry-failed", "r.json", "-r")
      #expect(again.status == 0, "\(again)")
      #expect(puts() == ["PUT /b/in/deep/x HTTP/1.1", "PUT /b/x HTTP/1.1"])
    }

    @Test("a list that could not be read is not sent in place of its files")
    func list() async throws {
      let (server, puts) = try taking()
      defer { server.stop() }
      let person = try Person()
      try configure(person, server)
      try person.folder.write("list", [0xFF, 0xFE, 0x61, 0x00, 0x0A, 0x00])
      let first = try await person.run(
        "push", "--from-file", "list", "--to", "t", "--report", "r.json")
      #expect(first.status == 1 && first.errors.contains("UTF-16"), "\(first)")
      let again = try await person.run("push", "--retry-failed", "r.json")
      #expect(again.status == 1 && again.errors.contains("push again with --from-file"), "\(again)")
      #expect(puts().isEmpty)
    }

    @Test("what a watch has found")
    func watch() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await Self.person(
        SendAgainKind("", table: SendAgainKind.put, path: "/b/{file.path}"), server)
      let watch = try person.hoist(
        "push", "--watch", "d", "-r", "--existing", "--to", "t", "--report", "r.json", "--json")
      try await wait(for: "4 files", otherwise: { watch.output }) {
        watch.output.components(separatedBy: #""event":"failed""#).count == 5 ? true : nil
      }
      watch.signal(SIGTERM)
      _ = try await watch.end()
      let before = server.requests()
      server.take()
      let again = try await person.run("push", "--retry-failed", "r.json")
      #expect(again.status == 0, "\(again)")
      #expect(server.requests(after: before.count) == before)
    }

    @Test("a report that does not say how its files were sent is refused")
    func olderReport() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await Self.person(SendAgainKind(""), server)
      try person.folder.write(
        "r.json",
        Array(
          """
          {"version": 1, "target": "t", "time": "2026-11-20T10:00:00Z", "seconds": 1, "folder": "/", "sent": 0,
          "is_interrupted": false, "failed": 1, "bytes_sent": 0, "files": [{"path": "d/x.jpg", "name": "x.jpg",
          "result": "failed", "attempts": 1}]}
          """.utf8))
      let refused = try await person.run("push", "--retry-failed", "r.json")
      #expect(refused.status == 2, "\(refused)")
      #expect(refused.errors.contains("does not say how its files were sent"), "\(refused)")
      #expect(server.server.requests.isEmpty)
    }
  }
}
