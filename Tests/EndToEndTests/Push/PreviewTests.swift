import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("What would be sent, shown and not sent")
  struct PreviewTests {
    private func person(_ url: String) throws -> Person {
      let person = try Person()
      try person.configure(
        """
        [targets.t]
        url = "\(url)"
        file_field = "pic"
        file_name = "{file.stem} \\"x\\".{file.ext}"
        fields = [
          { name = "title", value = "it's\\n{file.name} @ $HOME" },
          { name = "meta", json = { a = "\\"{file.stem}\\"", n = [1, true] } },
          { name = "token", value = "{env.FORM_TOKEN}" },
        ]
        headers = { Authorization = "Bearer {env.TOKEN}", X-Plain = "a 'b'" }
        query = { album = "2026 & more" }
        """)
      return person
    }

    private static let variables = "FORM_TOKEN='form s3cret' TOKEN='s3cret'"

    @Test("the curl command sends the same form, and has no secrets in it")
    func curl() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let owner = try self.person(inbox.url)
      let names = ["plain.jpg", "sp ace \"q\" 'a' \\b;,.jpg", "gr\u{fc}\u{df}e $HOME `id`.bin"]
      for name in names { try owner.folder.write(name, count: 70_000, seed: UInt64(name.count)) }
      for name in names {
        let quoted = name.replacing("'", with: "'\\''")
        let shown = try await owner.shell(
          "\(Self.variables) hoist push '\(quoted)' --to t --as-curl"
        ).end()
        try #require(shown.status == 0, "\(shown)")
        #expect(!shown.output.contains("s3cret"))
        let pushed = try await owner.shell(
          "\(Self.variables) hoist push '\(quoted)' --to t --json"
        ).end()
        try #require(pushed.status == 0, "\(pushed)")
        let ours = try pushed.events().end(of: name).reply()
        // With values set, a shell runs it as it stands.
        let run = try await owner.shell("\(Self.exported); \(shown.output)").end()
        try #require(run.status == 0, "\(run)\n\(shown.output)")
        // What push says of a reply has no secrets in it.
        let reply = run.output.replacing("form s3cret", with: "(secret)")
        let theirs = try #require(
          JSONSerialization.jsonObject(with: Data(reply.utf8)) as? [String: Any])
        #expect(
          NSDictionary(dictionary: try #require(ours["fields"] as? [String: Any]))
            == NSDictionary(dictionary: try #require(theirs["fields"] as? [String: Any])))
        let files = [ours, theirs].map { ($0["files"] as? [[String: Any]])?.first ?? [:] }
        for key in ["field", "name", "type", "sha256"] {
          #expect(files[0][key] as? String == files[1][key] as? String, "\(key)")
          #expect(files[0][key] is String)
        }
        #expect(files[0]["size"] as? Int == 70_000 && files[1]["size"] as? Int == 70_000)
      }
    }

    private static let exported = variables.split(separator: "' ").map {
      "export \($0)\($0.hasSuffix("'") ? "" : "'")"
    }.joined(separator: "; ")

    @Test("a dry run shows head, parts and length, and sends nothing")
    func dryRun() async throws {
      let server = try HostileServer { connection, _ in connection.close() }
      defer { server.stop() }
      let owner = try person(server.url().absoluteString)
      try owner.folder.write("a.jpg", count: 1234)
      let outcome = try await owner.shell(
        "\(Self.variables) hoist push a.jpg none.jpg --to t --dry-run"
      ).end()
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("none.jpg: file is missing"))
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(lines.first == "POST \(server.url().absoluteString)?album=2026%20%26%20more")
      #expect(lines.contains("  Authorization: Bearer $TOKEN"))
      #expect(lines.contains("  X-Plain: a 'b'"))
      #expect(lines.contains("  part title: text, 19 bytes"))
      #expect(lines.contains("  part meta: text, application/json, 26 bytes"))
      #expect(lines.contains("  part token: text, 11 bytes"))
      #expect(lines.contains("  part pic: file \"a \"x\".jpg\", image/jpeg, 1,234 bytes"))
      let length = lines.compactMap { $0.firstMatch(of: /Content-Length: (\d+)/)?.1 }.first
      #expect(length.map { "  in all \($0) bytes" } == lines.last?.replacing(",", with: ""))
      #expect(!outcome.output.contains("s3cret"))
      #expect(server.requests.isEmpty)

      let json = try await owner.shell(
        "\(Self.variables) hoist push a.jpg --to t --dry-run --json"
      ).end()
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect((object["parts"] as? [[String: Any]])?.count == 4)
      #expect(object["length"] as? Int == length.flatMap { Int($0) })
    }
  }
}
