import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Each side against one that speaks a single version, and is written from that version's text.
  @Suite("Resumable Uploads for HTTP, in each version of the draft")
  struct DraftVersionTests {
    private static let versions = Array(3...10)
    private static let python =
      Person.repository.appendingPathComponent(".build/peers/bin/python3").path
    private static let size = Effort.of(4 << 20, long: 64 << 20)
    /// After how many bytes of the upload the line breaks.
    private static let cuts = (1...Effort.of(2, long: 10)).map {
      "\($0 * (size / Effort.of(3, long: 11)) + 7 * $0)"
    }

    private static func script(_ name: String) -> String {
      Person.repository.appendingPathComponent("Tests/EndToEndTests/Peers/\(name)").path
    }

    /// What a strict server has said.
    private struct Said {
      let lines: [Substring]
      init(_ program: Program) { lines = program.output.split(separator: "\n") }
      var faults: [Substring] {
        lines.filter { !$0.hasPrefix("request ") && !$0.hasPrefix("port ") }
      }
      func requests(_ method: String) -> [(version: Substring, bytes: Int)] {
        lines.filter { $0.hasPrefix("request \(method) ") }.map { line in
          let words = line.split(separator: " ")
          return (words[2], Int(words[3]) ?? 0)
        }
      }
    }

    @Test("hoist sends to a strict server", arguments: versions, ["binary", "multipart"])
    func client(_ version: Int, _ body: String) async throws {
      let person = try Person()
      let stored = person.folder.path("stored")
      try FileManager.default.createDirectory(atPath: stored, withIntermediateDirectories: true)
      let server = try Program(
        Self.python, [Self.script("draft_server.py"), "\(version)", stored] + Self.cuts,
        environment: person.environment, directory: person.folder.path)
      let port = try await wait(for: "the server", otherwise: { server.errors }) {
        server.output.firstMatch(of: /port (\d+)/).map { String($0.1) }
      }
      try person.configure(
        """
        [targets.desk]
        url = "http://127.0.0.1:\(port)/upload"
        body = "\(body)"
        resume = "http"
        retry = { attempts = 2, base = "10ms", max = "10ms" }
        """)
      let file = try person.folder.write("large.bin", count: Self.size, seed: UInt64(version))
      let first = try await person.hoist("push", "--to", "desk", "large.bin").end(seconds: 300)
      #expect(first.status == 0, "\(first)")
      let one = Said(server)
      #expect(one.faults == [], "\(server.output)")
      // The newest is offered first; then one after the other, until one is taken.
      let tried = (version...10).reversed().map { "\($0)" }
      #expect(one.requests("POST").map { String($0.version) } == tried)
      let patches = one.requests("PATCH")
      #expect(patches.count == Self.cuts.count)
      #expect(patches.allSatisfy { $0.version == "\(version)" })
      // Each request goes on where the one before was cut: what they announce becomes less by that.
      let starts = patches.map { (one.requests("POST").last?.bytes ?? 0) - $0.bytes }
      #expect(starts.map { "\($0)" } == Self.cuts)

      // The next session knows the version.
      let second = try await person.hoist("push", "--to", "desk", "large.bin")
        .end(seconds: 300)
      #expect(second.status == 0, "\(second)")
      let posts = Said(server).requests("POST").dropFirst(tried.count)
      #expect(posts.map { String($0.version) } == ["\(version)"])
      #expect(Said(server).faults == [], "\(server.output)")

      let names = try FileManager.default.contentsOfDirectory(atPath: stored).sorted()
      #expect(names.count == 2)
      let content = try bytes(file)
      for name in names {
        let all = try bytes("\(stored)/\(name)")
        #expect(body == "binary" ? all == content : all.range(of: content) != nil, "\(name)")
      }
    }

    @Test("a strict client sends to hoist receive", arguments: versions)
    func receiver(_ version: Int) async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let file = try person.folder.write("large.bin", count: Self.size, seed: UInt64(version))
      for cuts in [[], Self.cuts] {
        let outcome = try await Program(
          Self.python, [Self.script("draft_client.py"), "\(version)", inbox.url, file] + cuts,
          environment: person.environment, directory: person.folder.path
        ).end(seconds: 300)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("\"size\":\(Self.size)"), "\(outcome)")
      }
      #expect(inbox.names.filter { !$0.hasPrefix(".") } == ["large (2).bin", "large.bin"])
      let content = try bytes(file)
      #expect(inbox.bytes("large.bin") == content && inbox.bytes("large (2).bin") == content)
    }
  }
}
