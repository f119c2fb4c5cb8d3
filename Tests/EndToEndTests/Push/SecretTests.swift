import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Secrets that a server repeats")
  struct SecretTests {
    private static let token = #"tok3n/of"a+person"#
    private static let field = #"f1eld/of"a+form"#
    private static let query = #"qu3ry/of"an+address"#

    /// How a server may write a text that it was sent.
    private static func forms(_ secret: String) -> [String] {
      let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
      let json = secret.replacing("\"", with: "\\\"")
      return [
        secret, json, json.replacing("/", with: "\\/"),
        secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "",
      ]
    }

    private static let allForms = [token, field, query].flatMap(forms)

    /// Takes every other file, and says whatever it was sent in either case.
    private static func echo() throws -> HostileServer {
      let words = allForms.joined(separator: " | ")
      let percent = [token, field, query].map { forms($0)[3] }.joined(separator: "&x=")
      let body = #"{"words": "\#(words.replacing("\"", with: "'"))"} \#(words)"#
      return try HostileServer { connection, number in
        guard connection.readRequest() != nil else { return }
        connection.send(
          """
          HTTP/1.1 \(number % 2 == 0 ? "201 Created" : "403 Forbidden")\r
          Location: http://h/?x=\(percent)\r
          Content-Type: text/plain\r
          Connection: close\r
          Content-Length: \(body.utf8.count)\r
          \r
          \(body)
          """)
      }
    }

    /// A person whose target has a secret in a header, a field and the query.
    private static func person(_ server: HostileServer) throws -> Person {
      let person = try Person()
      try person.configure(
        """
        [targets.desk]
        url = "\(server.url().absoluteString)"
        headers = { Authorization = "Bearer {env.TOKEN}" }
        fields = [ { name = "api_key", value = '\(field)' } ]
        query = { token = '\(query)' }
        """)
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, [65]) }
      return person
    }

    private static let environment = "export TOKEN='\(token)' HOIST_QUEUE=state/q.sqlite"

    /// Looks for secrets in texts, and in all files that the person has.
    private static func expectNone(
      in texts: [String], of person: Person, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      var data = texts.map { ("a text", Data($0.utf8)) }
      let files = try #require(FileManager.default.enumerator(atPath: person.folder.path))
      for case let name as String in files {
        if let content = FileManager.default.contents(atPath: person.folder.path(name)) {
          data.append((name, content))
        }
      }
      for (name, data) in data {
        for form in allForms {
          #expect(
            data.range(of: Data(form.utf8)) == nil, "\(form) in \(name)",
            sourceLocation: sourceLocation)
        }
      }
    }

    @Test("push puts them into no output, log, report or history", arguments: ["--json", "-v", ""])
    func push(option: String) async throws {
      let server = try Self.echo()
      defer { server.stop() }
      let person = try Self.person(server)
      let outcome = try await person.shell(
        "\(Self.environment); hoist push a.txt b.txt --to desk --concurrency 1 --attempts 1 "
          + "--log log --report r.json \(option)"
      ).end()
      #expect(outcome.status == 1, "\(outcome)")
      #expect(server.requests.first?.headers["authorization"] == "Bearer \(Self.token)")
      #expect(outcome.output.contains("(secret)"), "\(outcome)")
      let log = String(decoding: try bytes(person.folder.path("log")), as: UTF8.self)
      #expect(log.contains("(secret)"))
      var texts = [outcome.output, outcome.errors]
      for form in ["", "--json", "--csv"] {
        let history = try await person.shell("\(Self.environment); hoist history \(form)").end()
        #expect(history.output.contains("(secret)"), "\(history)")
        texts.append(history.output)
      }
      try Self.expectNone(in: texts, of: person)
    }

    @Test("the screen shows and keeps none")
    func screen() async throws {
      let server = try Self.echo()
      defer { server.stop() }
      let person = try Self.person(server)
      let terminal = try await person.terminal(columns: 118, rows: 28)
      try await terminal.command(Self.environment)
      try await terminal.command("clear")
      try await terminal.command("hoist a.txt b.txt --to desk --concurrency 1 --log log")
      let list = try await terminal.wait(until: "both ends") {
        $0.shows("1 ok") && $0.shows("403 · ") && $0.shows("next problem")
      }
      // The first Enter would lead to the next problem.
      try await terminal.press("Escape")
      try await terminal.wait(until: "the summary is gone") { !$0.shows("next problem") }
      try await terminal.press("Enter")
      let details = try await terminal.wait(for: "The server said")
      #expect(details.shows("(secret)"), "\(details.text)")
      // While the queue is open, and what is new is in its log.
      try Self.expectNone(in: [list.text, details.text], of: person)
      try await terminal.press("Escape")
      // Both at once would be another key.
      try await terminal.wait(until: "the list again") { !$0.shows("The server said") }
      try await terminal.press("q")
      try await terminal.waitForShell()
      try Self.expectNone(in: [try await terminal.screen().text], of: person)
      let queue = try await person.shell("\(Self.environment); hoist queue list --json").end()
      #expect(queue.output.contains("(secret)"), "\(queue)")
      try Self.expectNone(in: [queue.output], of: person)
    }
  }
}
