import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// The attacks of `make resume-test`, a tenth of each.
  @Suite("Uploads go on where they were broken off")
  struct ResumeTests {
    @Test(
      "cut lines, killed senders, killed receivers; and tus servers and a client that are not ours",
      arguments: ["resuming", "tus"])
    func attack(_ name: String) async throws {
      let python = Person.repository.appendingPathComponent(".build/peers/bin/python3").path
      let script = Person.repository.appendingPathComponent("Tests/Attack/attack.py").path
      let person = try Person()
      let outcome = try await Program(
        python, [script, "\(Person.binaries)/hoist", "--quick", "--only", name],
        environment: person.environment, directory: person.folder.path
      ).end(seconds: 300)
      #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("what was broken off says where it goes on, and the history tells the ranges")
    func words() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let url = inbox.url.replacing("/upload", with: "/files")
      try person.configure(
        "[targets.desk]\nurl = \"\(url)\"\nresume = \"tus\"\nchunk = \"1 MB\"\n")
      try person.folder.write("large.bin", count: 8_000_000, seed: 3)
      _ = try await person.hoist("add", "--to", "desk", "large.bin").end()
      // What is left of it takes a quarter of a minute.
      let first = try person.hoist("send", "--limit", "500kB/s")
      try await wait(for: "some of it", otherwise: { first.output + first.errors }) {
        inbox.names.contains { $0.hasSuffix(".data") && (inbox.bytes($0)?.count ?? 0) >= 1_000_000 }
          ? true : nil
      }
      first.signal(SIGTERM)
      #expect(try await first.end().status == 130)
      let second = try await person.hoist("send").end()
      #expect(second.status == 0, "\(second)")
      #expect(second.output.firstMatch(of: /large\.bin: resumed at \d+ %\n/) != nil, "\(second)")
      #expect(inbox.bytes("large.bin") == (try bytes(person.folder.path("large.bin"))))
      let history = try await person.hoist("history").end().output
      #expect(history.firstMatch(of: /done 204  8\.0 MB from \d+ %/) != nil, "\(history)")
    }

    @Test(
      "an ordinary form goes on as well, and what hoist queue remove removes is gone on the server, too"
    )
    func form() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure("[targets.desk]\nurl = \"\(inbox.url)\"\nresume = \"http\"\n")
      try person.folder.write("large.bin", count: 8_000_000, seed: 3)
      try person.folder.write("other.bin", count: 8_000_000, seed: 4)
      // What has just changed is not believed after a kill.
      try await FileChange.waitUntilOld(person.folder.path("other.bin"))
      func begin(_ name: String) async throws {
        _ = try await person.hoist("add", "--to", "desk", name).end()
        let sender = try person.hoist("send", "--limit", "500kB/s")
        try await wait(for: "some of it", otherwise: { sender.output + sender.errors }) {
          inbox.names.contains {
            $0.hasSuffix(".data") && (inbox.bytes($0)?.count ?? 0) >= 1_000_000
          }
            ? true : nil
        }
        sender.signal(SIGKILL)
        _ = try await sender.end()
      }
      try await begin("large.bin")
      let second = try await person.hoist("send").end()
      #expect(second.status == 0, "\(second)")
      #expect(second.output.firstMatch(of: /large\.bin: resumed at \d+ %\n/) != nil, "\(second)")
      #expect(inbox.bytes("large.bin") == (try bytes(person.folder.path("large.bin"))))
      #expect(inbox.names.filter { $0.hasSuffix(".data") }.isEmpty)
      try await begin("other.bin")
      let removed = try await person.hoist("queue", "remove", "2").end()
      #expect(removed.status == 0, "\(removed)")
      #expect(
        removed.errors.contains("other.bin: deleted on the server what had arrived of it"),
        "\(removed)")
      #expect(inbox.names.filter { $0.hasSuffix(".data") }.isEmpty)
    }

    @Test("what is removed from the queue is removed on the server, too")
    func removed() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let url = inbox.url.replacing("/upload", with: "/files")
      try person.configure(
        "default_target = \"desk\"\n[targets.desk]\nurl = \"\(url)\"\nresume = \"tus\"\nchunk = \"1 MB\"\n"
      )
      try person.folder.write("large.bin", count: 8_000_000, seed: 3)
      let terminal = try await person.terminal()
      try await terminal.command("hoist --limit 500kB/s large.bin")
      // Once bytes of it have arrived, hoist knows its address as well.
      try await wait(for: "some of it", otherwise: { "\(inbox.names)" }) {
        inbox.names.contains { $0.hasSuffix(".data") && inbox.bytes($0)?.isEmpty == false }
          ? true : nil
      }
      try await terminal.press("p")
      _ = try await terminal.wait(for: "paused · goes on where it was")
      try await terminal.press("x")
      try await wait(for: "nothing", otherwise: { "\(inbox.names)" }) {
        inbox.names.isEmpty ? true : nil
      }
      try await terminal.press("q")
    }
  }
}
