import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Servers and clients that are not ours", .needs("peers", "php"))
  struct ForeignServerTests {
    static let sizes = [0, 1, 65_535, 65_536, 65_537, 5_000_000]

    enum Server: String, CaseIterable {
      case flask, nginx, php

      func start(for person: Person) async throws -> Peer {
        switch self {
        case .flask: try await Peer.flask(person)
        case .nginx: try await Peer.nginx(person)
        case .php: try await Peer.php(person)
        }
      }
    }

    /// What a peer says of the only file of one request.
    struct Seen {
      let name: String
      let type: String
      let bytes: Data
      let fields: [String: String]

      init(_ event: PushEvent) throws {
        let reply = try event.reply()
        let files = try #require(reply["files"] as? [[String: Any]])
        try #require(files.count == 1)
        name = try #require(files[0]["name"] as? String)
        type = try #require(files[0]["type"] as? String)
        bytes = try EndToEndTests.bytes(#require(files[0]["stored"] as? String))
        fields = reply["fields"] as? [String: String] ?? [:]
      }
    }

    @Test(
      "take files of every size byte for byte, and the fields with them", arguments: Server.allCases
    )
    func sizes(server: Server) async throws {
      let person = try Person()
      let peer = try await server.start(for: person)
      let names = Self.sizes.map { "\($0).bin" }
      for (name, size) in zip(names, Self.sizes) {
        try person.folder.write(name, count: size, seed: UInt64(size))
      }
      let url = server == .nginx ? peer.url.replacing("/upload", with: "/large") : peer.url
      let outcome = try await person.run(
        ["push"] + names + ["--to", url, "--json", "--form", "title=Grüße aus 東京"]
      )
      #expect(outcome.status == 0, "\(outcome)")
      for name in names {
        let seen = try Seen(outcome.events().end(of: name))
        #expect(seen.name == name)
        #expect(seen.type == "application/octet-stream")
        #expect(seen.fields == ["title": "Grüße aus 東京"])
        #expect(try seen.bytes == bytes(person.folder.path(name)), "\(name)")
      }
    }

    /// Names that people and attackers give to files, and what the WHATWG encoding makes of them.
    static let names: [(name: String, sent: String)] = [
      ("it's \"quoted\".txt", "it's %22quoted%22.txt"), ("two\nlines.txt", "two%0Alines.txt"),
      ("return\r.txt", "return%0D.txt"), ("🗼 emoji 👩‍👩‍👧.txt", "🗼 emoji 👩‍👩‍👧.txt"),
      (String(repeating: "n", count: 196) + ".txt", String(repeating: "n", count: 196) + ".txt"),
      ("\u{1B}]0;owned\u{07}\u{1B}[2J.txt", "\u{1B}]0;owned\u{07}\u{1B}[2J.txt"),
      ("50%; a&b=c.txt", "50%; a&b=c.txt"), (" blanks .txt", " blanks .txt"),
    ]

    @Test("get hostile file names as browsers send them", arguments: [Server.flask, .php])
    func names(server: Server) async throws {
      let person = try Person()
      let peer = try await server.start(for: person)
      for (name, _) in Self.names { try person.folder.write(name, Array(name.utf8)) }
      let outcome = try await person.run(
        ["push"] + Self.names.map(\.name) + ["--to", peer.url, "--json"]
      )
      #expect(outcome.status == 0, "\(outcome)")
      for (name, sent) in Self.names {
        let seen = try Seen(outcome.events().end(of: name))
        // Werkzeug turns %22 back into a quotation mark, as browsers mean it.
        #expect(seen.name == (server == .flask ? sent.replacing("%22", with: "\"") : sent))
        #expect(seen.bytes == Data(name.utf8))
      }
    }

    @Test("nginx refuses a large file with 413 of its own; a small one in the same queue arrives")
    func tooLarge() async throws {
      let person = try Person()
      let peer = try await Peer.nginx(person)
      let small = try person.folder.write("small.bin", count: 1000)
      try person.folder.write("large.bin", count: 5_000_000)
      let outcome = try await person.run(
        "push", "large.bin", "small.bin", "--to", peer.url, "--json"
      )
      #expect(outcome.status == 1)
      let events = try outcome.events()
      let failed = try events.end(of: "large.bin")
      #expect(failed.text("cause") == "http-413")
      #expect(failed.number("status") == 413)
      #expect(failed.text("reply")?.contains("nginx") == true)
      #expect(try Seen(events.end(of: "small.bin")).bytes == bytes(small))
    }

    @Test("curl -F sends several files with hostile names into our receiver")
    func curl() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let files = [
        ("plain.bin", 70_000), ("gr\u{fc}\u{df}e \u{1F389}.bin", 1), ("empty.bin", 0),
        ("q\"uote.bin", 65_536), ("esc\u{1B}[31m.bin", 10), ("large.bin", 5_000_000),
      ]
      var arguments = ["-sS", "--fail-with-body"]
      for (index, (name, size)) in files.enumerated() {
        // curl's own syntax wants the path by another name; what is sent is the real one.
        let path = try person.folder.write("source-\(index)", count: size, seed: UInt64(index))
        let quoted = name.replacing("\"", with: "\\\"")
        arguments += ["-F", "f\(index)=@\(path);filename=\"\(quoted)\""]
      }
      let url = inbox.url.replacing("/upload", with: "/multiupload")
      let outcome = try await Program(
        "curl", arguments + [url], environment: person.environment, directory: person.folder.path
      ).end()
      try #require(outcome.status == 0, "\(outcome)")
      let reply = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      let seen = try #require(reply["files"] as? [[String: Any]])
      try #require(seen.count == files.count)
      for (index, (_, size)) in files.enumerated() {
        let source = person.folder.path("source-\(index)")
        let stored = try #require(seen[index]["stored"] as? String)
        #expect(seen[index]["size"] as? Int == size)
        #expect(try inbox.bytes(stored) == bytes(source), "\(stored)")
        let digest = try await person.shell("sha256sum source-\(index) | cut -d ' ' -f 1").end()
        #expect(seen[index]["sha256"] as? String == digest.output.trimmingCharacters(in: .newlines))
      }
      #expect(inbox.names.count == files.count)
      #expect(inbox.names.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("/") })
    }
  }
}
