import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  /// Files whose names are taken on the server, and a person who is asked.
  @Suite("A person is asked about names that are taken")
  struct ScreenTakenNameTests {
    /// A server of files, which answers as WebDAV does.
    private final class Files: Sendable {
      let all: Mutex<[String: [UInt8]]>
      init(_ names: [String]) {
        all = Mutex(Dictionary(uniqueKeysWithValues: names.map { ($0, Array("theirs".utf8)) }))
      }

      var sorted: [String] { all.withLock { $0.keys.sorted() } }
      func isOurs(_ name: String) -> Bool { all.withLock { $0[name] != Array("theirs".utf8) } }

      func start() throws -> HostileServer {
        try HostileServer { [self] connection, _ in
          while let request = connection.readRequest() {
            let words = request.line.split(separator: " ")
            let name = words[1].dropFirst().description.removingPercentEncoding ?? ""
            let (status, length) = all.withLock { files -> (String, Int) in
              let found = files[name]
              if words[0] == "PUT" {
                if found != nil, request.headers["if-none-match"] != nil { return ("412 No", 0) }
                files[name] = request.body
                return ("201 Created", 0)
              }
              return found.map { ("200 OK", $0.count) } ?? ("404 No", 0)
            }
            connection.send(
              "HTTP/1.1 \(status)\r\nLast-Modified: Sun, 29 Nov 2026 12:00:00 GMT\r\n"
                + "Content-Length: \(length)\r\n\r\n")
          }
        }
      }
    }

    private func person(_ server: HostileServer, _ names: [String]) throws -> Person {
      let person = try Person()
      try person.configure(
        """
        default_target = "nas"
        [targets.nas]
        url = "\(server.url("").absoluteString)/{file.name}"
        method = "PUT"
        body = "binary"
        if_there = "ask"
        """)
      for name in names { try person.folder.write(name, Array("ours: \(name)".utf8)) }
      return person
    }

    @Test("about one file, and both are kept")
    func one() async throws {
      let files = Files(["a.txt"])
      let server = try files.start()
      defer { server.stop() }
      let person = try person(server, ["a.txt", "b.txt"])
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist a.txt b.txt")
      let question = try await terminal.wait(for: "The name is taken")
      // The lines of the box, joined.
      let words = question.text.split { " \n│".contains($0) }.joined(separator: " ")
      #expect(words.contains("The server has a.txt: 6 B, 2026-11-29"), "\(question.text)")
      #expect(words.contains("This one: 11 B, 20"), "\(question.text)")
      try await terminal.press("b")
      let screen = try await terminal.wait(for: "2 ok")
      #expect(screen.row(with: "✓ a.txt")?.contains("as a (2).txt") == true, "\(screen.text)")
      #expect(files.sorted == ["a (2).txt", "a.txt", "b.txt"] && !files.isOurs("a.txt"))
    }

    @Test("about all files, and none is sent")
    func all() async throws {
      let names = (1...5).map { "f\($0).txt" }
      let files = Files(names)
      let server = try files.start()
      defer { server.stop() }
      let person = try person(server, names)
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist f*.txt")
      try await terminal.wait(for: "The name is taken")
      try await terminal.press("S")
      try await terminal.wait(until: "all are skipped") { screen in
        // The details of the file under the cursor say it once more.
        names.allSatisfy {
          screen.row(with: "· \($0)")?.contains("skipped, the name is taken") == true
        }
      }
      #expect(!names.contains(where: files.isOurs))
    }

    @Test("Esc leaves the file as it is, and a retry asks again")
    func undone() async throws {
      let files = Files(["a.txt"])
      let server = try files.start()
      defer { server.stop() }
      let person = try person(server, ["a.txt"])
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist a.txt")
      try await terminal.wait(for: "The name is taken")
      try await terminal.press("Escape")
      try await terminal.wait(until: "the failure") {
        !$0.shows("The name is taken") && $0.row(with: "✗ a.txt")?.contains("name is taken") == true
      }
      #expect(!files.isOurs("a.txt"))
      try await terminal.press("r")
      try await terminal.wait(for: "The name is taken")
      try await terminal.press("r")
      try await terminal.wait(for: "1 ok")
      #expect(files.sorted == ["a.txt"] && files.isOurs("a.txt"))
    }

    @Test("a receiver that replaces nothing is not said to have replaced the file")
    func kept() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let base = inbox.url.replacing("/upload", with: "/")
      try person.configure(
        """
        default_target = "desk"
        [targets.desk]
        type = "hoist"
        url = "\(base)"
        if_there = "ask"
        """)
      try person.folder.write("pic.png", Array("first".utf8))
      #expect(try await person.run(["push", "pic.png"]).status == 0)
      try person.folder.write("pic.png", Array("second".utf8))
      let terminal = try await person.terminal(columns: 110, rows: 24)
      try await terminal.command("hoist pic.png")
      try await terminal.wait(for: "The name is taken")
      try await terminal.press("r")
      let screen = try await terminal.wait(for: "1 ok")
      #expect(screen.row(with: "✓ pic.png")?.contains("pic (2).png") == true, "\(screen.text)")
      #expect(screen.shows("replaced nothing: the server keeps both"), "\(screen.text)")
      #expect(inbox.names == ["pic (2).png", "pic.png"])
    }

    @Test("a script is not asked: it says how to choose")
    func script() async throws {
      let files = Files(["a.txt"])
      let server = try files.start()
      defer { server.stop() }
      let person = try person(server, ["a.txt"])
      let choice = #"set if_there in the target to "replace", "skip" or "rename""#
      let push = try await person.run(["push", "a.txt"])
      #expect(push.status == 1 && push.errors.contains("name is taken"), "\(push)")
      #expect(push.errors.contains(choice), "\(push.errors)")
      _ = try await person.run(["add", "a.txt"])
      let send = try await person.run(["send"])
      #expect(send.status == 1 && send.errors.contains("✗ a.txt: name is taken"), "\(send)")
      #expect(send.errors.contains(choice), "\(send.errors)")
      #expect(!files.isOurs("a.txt"))
    }
  }
}
