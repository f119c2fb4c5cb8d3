import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("After a file was sent")
  struct AfterTests {
    /// A person with a receiver's target, which answers digests.
    private func person(_ server: HostileServer, _ after: String) throws -> Person {
      let person = try Person()
      try FileManager.default.createDirectory(
        atPath: person.folder.path("config/hoist"), withIntermediateDirectories: true)
      try person.folder.write(
        "after.toml",
        Array(
          """
          default_target = "t"
          [targets.t]
          url = "\(server.url("/up"))"
          body = "binary"
          after = \(after)
          response.verify = { header = "x-sum", sum = "sha256" }

          """.utf8))
      return person
    }

    /// Answers with the sum of a file that is called "good", with another for "bad", and with none for others.
    private func server() throws -> HostileServer {
      try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let sum: String? =
            switch request.body {
            case Array("good".utf8):
              "770e607624d689265ca6c44884d0807d9b054d23c473c106c72be9de08b7376c"
            case Array("bad!".utf8): String(repeating: "0", count: 64)
            default: nil
            }
          let field = sum.map { "X-Sum: \($0)\r\n" } ?? ""
          connection.send("HTTP/1.1 201 Created\r\n\(field)Content-Length: 0\r\n\r\n")
        }
      }
    }

    private func names(_ person: Person, _ folder: String) -> [String] {
      let path = person.folder.path(folder)
      return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test(
      "what is moved is not found again by a watch",
      arguments: [("sent", true), ("in/sent", true), ("../inbox", false)])
    func watched(folder: String, isRefused: Bool) async throws {
      let server = try server()
      defer { server.stop() }
      let person = try Person()
      let place = folder == "sent" ? folder : person.folder.path(folder)
      try person.folder.write(
        "after.toml",
        Array(
          "[targets.t]\nurl = \"\(server.url())\"\nafter = { move = \"\(place)\", final = [201] }\n"
            .utf8))
      try FileManager.default.createDirectory(
        atPath: person.folder.path("in"), withIntermediateDirectories: true)
      let outcome = try await person.shell(
        "hoist push --watch in --to t --config after.toml --dry-run"
      ).end()
      #expect((outcome.status == 2) == isRefused, "\(outcome)")
      #expect(outcome.errors.contains("would find the files") == isRefused)
    }

    @Test("only files that the server has proved to have are moved, and hoist says so")
    func moves() async throws {
      let server = try server()
      defer { server.stop() }
      let person = try person(server, "{ move = \"sent/\" }")
      for (name, text) in [("a", "good"), ("b", "bad!"), ("c", "mute")] {
        try FileManager.default.createDirectory(
          atPath: person.folder.path("in"), withIntermediateDirectories: true)
        try person.folder.write("in/\(name)", Array(text.utf8))
      }
      let pushed = try await person.shell(
        "hoist push in/a in/b in/c --config after.toml; hoist history --json"
      ).end()
      #expect(names(person, "in") == ["b", "c", "sent"] && names(person, "in/sent") == ["a"])
      #expect(pushed.errors.contains("✓ in/a: 201 Created, verified sha-256, 4 B"), "\(pushed)")
      #expect(pushed.errors.contains("· in/a: the file was moved to "), "\(pushed)")
      #expect(pushed.errors.contains("✗ in/b: stored content differs"), "\(pushed)")
      #expect(pushed.output.contains(#""verified":"sha-256""#), "\(pushed)")
      #expect(server.requests.count == 3)
    }

    @Test(
      "a file that changes before the server says that it is there stays, even if its times are set back",
      arguments: [true, false])
    func changedMeanwhile(hasChanged: Bool) async throws {
      let person = try Person()
      let path = try person.folder.write("a", Array("good".utf8))
      let server = try HostileServer { connection, _ in
        while connection.readRequest() != nil {
          if hasChanged, let file = FileHandle(forUpdatingAtPath: path) {
            var status = stat()
            fstat(file.fileDescriptor, &status)
            try? file.write(contentsOf: Data("new!".utf8))
            futimens(file.fileDescriptor, [status.st_atim, status.st_mtim])
            try? file.close()
          }
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      try person.folder.write(
        "after.toml",
        Array(
          """
          [targets.t]
          url = "\(server.url("/up"))"
          after = { move = "sent" }
          exists.url = "\(server.url("/has/"))/{file.sha256}"

          """.utf8))
      let pushed = try await person.shell("hoist push a --to t --config after.toml").end()
      #expect(names(person, "sent") == (hasChanged ? [] : ["a"]), "\(pushed)")
      #expect(server.requests.count == 1)
    }

    @Test("a status that the target calls final is enough, in the queue as well")
    func queue() async throws {
      let server = try server()
      defer { server.stop() }
      let person = try person(server, "{ move = \"sent/\", final = [201] }")
      try person.folder.write("c", Array("mute".utf8))
      let sent = try await person.shell(
        "hoist add c --config after.toml && hoist send --config after.toml && hoist history --json"
      ).end()
      #expect(sent.status == 0, "\(sent)")
      #expect(names(person, "sent") == ["c"], "\(sent)")
      #expect(sent.output.contains("the file was moved to"), "\(sent)")
    }

    @Test("dry run and JSON: what becomes of a file")
    func json() async throws {
      let server = try server()
      defer { server.stop() }
      let person = try person(server, "\"delete\"")
      try person.folder.write("a", Array("good".utf8))
      let pushed = try await person.shell("hoist push a --json --config after.toml").end()
      let event = try #require(try pushed.events().first { $0.text("event") == "after" })
      #expect(
        event.number("kept") == 0 && event.text("message")?.hasPrefix("the file was ") == true)
      let finished = try pushed.events().first { $0.text("event") == "finished" }
      #expect(finished?.text("verified") == "sha-256")
      #expect(!names(person, ".").contains("a"))
    }
  }
}
