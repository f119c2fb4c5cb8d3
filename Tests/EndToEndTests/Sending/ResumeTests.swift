import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// The attacks of `make resume-test`, a few of each; with `make test-long` a tenth.
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
        python,
        [script, "\(Person.binaries)/hoist", "--quick", "--only", name]
          + Effort.of(["--quick"], long: []),
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
      _ = try await person.run("add", "--to", "desk", "large.bin")
      // What is left of it takes some seconds.
      let first = try person.hoist("send", "--limit", "500kB/s")
      try await wait(for: "some of it", otherwise: { first.output + first.errors }) {
        inbox.hasMegabyteOfUpload ? true : nil
      }
      try await first.interrupt(SIGTERM)
      #expect(try await first.end().status == 130)
      let second = try await person.hoist("send").end()
      #expect(second.status == 0, "\(second)")
      #expect(second.output.firstMatch(of: /large\.bin: resumed at \d+%\n/) != nil, "\(second)")
      #expect(inbox.bytes("large.bin") == (try bytes(person.folder.path("large.bin"))))
      let history = try await person.run("history").output
      #expect(history.firstMatch(of: /204 No Content  8\.0 MB from \d+%/) != nil, "\(history)")
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
        _ = try await person.run("add", "--to", "desk", name)
        let sender = try person.hoist("send", "--limit", "500kB/s")
        try await wait(for: "some of it", otherwise: { sender.output + sender.errors }) {
          inbox.hasMegabyteOfUpload ? true : nil
        }
        sender.signal(SIGKILL)
        _ = try await sender.end()
      }
      try await begin("large.bin")
      let second = try await person.hoist("send").end()
      #expect(second.status == 0, "\(second)")
      #expect(second.output.firstMatch(of: /large\.bin: resumed at \d+%\n/) != nil, "\(second)")
      #expect(inbox.bytes("large.bin") == (try bytes(person.folder.path("large.bin"))))
      #expect(inbox.names.filter { $0.hasSuffix(".data") }.isEmpty)
      try await begin("other.bin")
      let removed = try await person.run("queue", "remove", "2")
      #expect(removed.status == 0, "\(removed)")
      #expect(
        removed.errors.contains("other.bin: its partial upload was deleted from the server"),
        "\(removed)")
      #expect(inbox.names.filter { $0.hasSuffix(".data") }.isEmpty)
    }

    /// nginx takes a 104 for the answer. Where it buffers replies it holds that back until the receiver hangs up, and
    /// where it does not, it sends no more of the body.
    @Test(
      "nginx before the receiver: nothing is stored twice, and soon nothing is unknown",
      .needs("openssl", "nginx"), arguments: ["http", "auto"])
    func proxy(_ mode: String) async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let receiver = try #require(URL(string: inbox.url))
      // Beside them the receiver keeps its replies.
      func names() -> [String] { inbox.names.filter { !$0.hasPrefix(".") } }
      let authority = try CertificateAuthority()
      let hosts = [NginxServer.freshHost(), NginxServer.freshHost()]
      let sites = try zip(hosts, ["", "proxy_buffering off; proxy_request_buffering off;"]).map {
        host, more in
        let proxy = """
          { proxy_pass http://127.0.0.1:\(receiver.port ?? 0); proxy_http_version 1.1;
            proxy_set_header Host localhost; proxy_set_header Connection ""; \(more) }
          """
        return NginxServer.Site(
          host, try authority.selfSigned(host),
          extra: "location /upload \(proxy)\nlocation /uploads/ \(proxy)")
      }
      let nginx = try NginxServer(sites)
      defer { _ = nginx.stop() }
      try person.configure(
        zip(["buffered", "unbuffered"], zip(hosts, sites)).map { name, site in
          """
          [targets.\(name)]
          url = "\(nginx.url(site.0))"
          resume = "\(mode)"
          timeout = "3s"
          tls = { ca_file = "\(site.1.certificate.file)" }

          """
        }.joined())
      for name in ["small.bin", "second.bin", "third.bin"] {
        try person.folder.write(name, count: name == "third.bin" ? 8_000_000 : 200_000, seed: 7)
      }
      // Nobody has heard of it before: it arrives, and no answer comes.
      let first = try await person.hoist("push", "small.bin", "--to", "buffered").end()
      #expect(first.status == 1 && first.errors.contains("may have arrived"), "\(first)")
      for name in ["second.bin", "third.bin"] {
        let next = try await person.hoist("push", name, "--to", "buffered").end()
        #expect(next.status == 0, "\(next)")
      }
      #expect(names() == ["second.bin", "small.bin", "third.bin"])
      // It passes the 104 on as its own answer, by which it is known at once.
      for name in ["third.bin", "small.bin"] {
        let pushed = try await person.hoist("push", name, "--to", "unbuffered").end()
        #expect(pushed.status == 0, "\(pushed)")
      }
      #expect(
        names() == [
          "second.bin", "small (2).bin", "small.bin", "third (2).bin", "third.bin",
        ])
      for name in ["third.bin", "third (2).bin"] {
        #expect(inbox.bytes(name) == (try bytes(person.folder.path("third.bin"))))
      }
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
      _ = try await terminal.wait(for: "paused · resumes where it left off")
      try await terminal.press("x")
      try await wait(for: "nothing", otherwise: { "\(inbox.names)" }) {
        inbox.names.isEmpty ? true : nil
      }
      try await terminal.press("q")
    }
  }
}
