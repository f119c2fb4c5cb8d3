import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Names, settings and servers that mean harm")
  struct HostileTextTests {
    /// Combining marks after the quotes hide them from code that looks for characters.
    static let name = "a'\u{301};touch PWNED;'\u{301}\"\u{301},\u{1B}[201~=.txt"

    @Test(
      "a file's name is nothing but an argument of the curl command", arguments: ["sh", "bash"])
    func asCurl(shell: String) async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write(Self.name, Array("hello".utf8))
      let shown = try await person.shell("hoist push ./a* --to \(inbox.url) --as-curl").end()
      try #require(shown.status == 0, "\(shown)")
      #expect(!shown.output.utf8.contains(0x1B), "\(shown.output.debugDescription)")
      try person.folder.write("command", Array(shown.output.utf8))
      let run = try await person.shell("\(shell) ./command").end()
      #expect(run.status == 0, "\(run)")
      #expect(!FileManager.default.fileExists(atPath: person.folder.path("PWNED")))
      #expect(inbox.names.contains { inbox.bytes($0) == Data("hello".utf8) })
    }

    @Test("neither a report nor the history takes a name for more than one value")
    func csv() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let name = "=1\",sent\u{301}\r\n\"\u{301}x\",\u{1B}[2J"
      try person.folder.write(name, Array("hello".utf8))
      let environment = "export HOIST_QUEUE=\(person.folder.path("q.sqlite"))"
      let pushed = try await person.shell(
        "\(environment); hoist push ./=* --to \(inbox.url) --report r.csv --log log > urls; "
          + "hoist history --csv"
      ).end()
      #expect(pushed.status == 0, "\(pushed)")
      #expect(!pushed.output.utf8.contains(0x1B) && !pushed.errors.utf8.contains(0x1B))
      let report = try String(decoding: bytes(person.folder.path("r.csv")), as: UTF8.self)
      let log = try String(decoding: bytes(person.folder.path("log")), as: UTF8.self)
      #expect(log.utf8.count { $0 == 0x0A } == log.utf8.split(separator: 0x0A).count)
      #expect(!log.utf8.contains(0x1B) && !log.utf8.contains(0x0D), "\(log.debugDescription)")
      for text in [report, pushed.output] {
        try person.folder.write("t.csv", Array(text.utf8))
        let read = try await person.shell(
          "python3 -c 'import csv,json;print(json.dumps(list(csv.DictReader(open(\"t.csv\",newline=\"\")))))'"
        ).end()
        let rows = try #require(
          JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [[String: Any]], "\(read)")
        let names = rows.compactMap { $0["name"] as? String }.map { Array($0.utf8) }
        let wanted = Array("'=1\",sent\u{301}\r\n\"\u{301}x\",␛[2J".utf8)
        #expect(names == [wanted], "\(rows)")
      }
    }

    @Test("a redirect without Location says so", arguments: [307, 308])
    func noLocation(status: Int) async throws {
      let server = try HostileServer.answering(
        "HTTP/1.1 \(status) Elsewhere\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let person = try Person()
      try person.folder.write("a.txt", [65])
      let outcome = try await person.run("push", "a.txt", "--to", server.url().absoluteString)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("The reply has no Location"), "\(outcome.errors)")
      #expect(server.requests.count == 1)
    }

    @Test("the password of a proxy's malformed address is nowhere to be seen")
    func proxy() async throws {
      let person = try Person()
      try person.folder.write("a.txt", [65])
      let queue = person.folder.path("q.sqlite")
      for proxy in [
        "http://me:hunter2/x@proxy:3128", "http://me:hunter2@pro xy", "me:hunter2@p:port",
      ] {
        let outcome = try await person.shell(
          "export http_proxy='\(proxy)' HOIST_QUEUE='\(queue)'; "
            + "hoist push a.txt --to http://upload.invalid/ --log log -v"
        ).end()
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.contains("the environment variable http_proxy"), "\(outcome)")
        #expect(!"\(outcome)".contains("hunter2"))
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: person.folder.path) {
        let content = FileManager.default.contents(atPath: person.folder.path(name)) ?? Data()
        #expect(content.firstRange(of: Data("hunter2".utf8)) == nil, "\(name)")
      }
    }

    @Test("an empty token is a mistake before anything is sent")
    func emptyToken() async throws {
      let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let person = try Person()
      try person.folder.write("a.txt", [65])
      try person.configure(
        "[targets.t]\nurl = \"\(server.url().absoluteString)\"\nauth = { bearer = \"{env.TOKEN}\" }"
      )
      let outcome = try await person.shell("TOKEN= hoist push a.txt --to t").end()
      #expect(outcome.status == 2 && server.requests.isEmpty)
      #expect(outcome.errors.contains("the environment variable TOKEN is empty"), "\(outcome)")
    }
  }
}

extension EndToEnd.HostileTextTests {
  @Test(
    "nobody repeats what the server repeats of a secret", arguments: ["200 OK", "403 Forbidden"])
  func repeated(status: String) async throws {
    let echo =
      #"{"rc":1,"message":"you are me:p4ss\/w0rd, bWU6cDRzcy93MHJk, p4ss&#x2F;w0rd"}"#
    let server = try HostileServer.answering(
      "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(echo.utf8.count)\r\n\r\n\(echo)")
    defer { server.stop() }
    let person = try Person()
    try person.folder.write("a.txt", [65])
    try person.configure(
      """
      [targets.t]
      url = "\(server.url().absoluteString)"
      auth = { basic = { user = "me", password = "p4ss/w0rd" } }
      response.fail_when = [ { pointer = "/rc", not = 0, message = "/message" } ]
      server.list = { url = "\(server.url().absoluteString)", id = "/id" }
      """)
    for command in ["ls t", "push a.txt --to t --json", "push a.txt --to t"] {
      let outcome = try await person.shell("hoist \(command)").end()
      #expect(outcome.status == 1, "\(outcome)")
      // ls does not show the content of a refusal.
      if command != "ls t" || status == "200 OK" {
        #expect("\(outcome)".contains("(secret)"), "\(outcome)")
      }
      #expect(!"\(outcome)".contains("w0rd") && !"\(outcome)".contains("bWU6"), "\(outcome)")
    }
  }
}
