import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Options for one file, for all files, and for files that would take each other's place.
  @Suite("How files are named and typed")
  struct FileOptionTests {
    @Test("type, name and field for one file as curl has them, and for all")
    func wishes() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      for name in ["a.jpg", "b.jpg"] { try person.folder.write(name, count: 100) }
      let one = try await person.shell(
        "hoist push 'a.jpg;type=image/webp;name=c d.webp;field=photo' b.jpg --to \(inbox.url) --json"
      ).end()
      #expect(one.status == 0, "\(one)")
      let files = try ["a.jpg", "b.jpg"].map { name in
        try #require((one.events().end(of: name).reply()["files"] as? [[String: Any]])?.first)
      }
      #expect(files.map { $0["name"] as? String } == ["c d.webp", "b.jpg"])
      #expect(files.map { $0["field"] as? String } == ["photo", "file"])
      #expect(files.map { $0["type"] as? String } == ["image/webp", "image/jpeg"])
      let all = try await person.shell(
        "hoist push 'a.jpg;name=mine.jpg' b.jpg --to \(inbox.url) --type application/octet-stream --file-name '{file.sha256}.{file.ext}' --json"
      ).end()
      #expect(all.status == 0, "\(all)")
      let sum = try await person.shell("sha256sum < b.jpg").end().output.prefix(64)
      let sent = try ["a.jpg", "b.jpg"].map { name in
        try #require((all.events().end(of: name).reply()["files"] as? [[String: Any]])?.first)
      }
      #expect(sent.map { $0["name"] as? String } == ["mine.jpg", "\(sum).jpg"])
      #expect(sent.allSatisfy { $0["type"] as? String == "application/octet-stream" })
      let bad = try await person.shell("hoist push 'a.jpg;type=jpeg' --to \(inbox.url)").end()
      #expect(bad.status == 2 && bad.errors.contains("not a media type"), "\(bad)")
    }

    @Test("hoist add and the screen take type, name and field of one file as well")
    func queued() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure("default_target = \"t\"\n[targets.t]\nurl = \"\(inbox.url)\"")
      for name in ["a.jpg", "b.jpg", "c.jpg"] { try person.folder.write(name, count: 100) }
      let bad = try await person.run("add", "a.jpg", "b.jpg;type=webp")
      #expect(bad.status == 2 && bad.errors.contains("not a media type"), "\(bad)")
      let added = try await person.run("add", "a.jpg;type=image/webp;name=a 2.webp;field=x")
      #expect(added.status == 0, "\(added)")
      let terminal = try await person.terminal()
      try await terminal.command("hoist 'b.jpg;name=b2.jpg'")
      try await terminal.wait(for: "2 ok")
      try await terminal.press("a")
      try await terminal.wait(for: "Add files")
      try await terminal.command("c.jpg;name=c2.jpg;type=text/plain")
      try await terminal.wait(for: "3 ok")
      #expect(inbox.names.filter { !$0.hasPrefix(".") } == ["a 2.webp", "b2.jpg", "c2.jpg"])
      let told = try await person.run("history", "--json").output
      #expect(told.contains("image/webp") && told.contains("text/plain"), "\(told)")
    }

    @Test("a field of the command line takes the place of the target's, or is one more")
    func fields() async throws {
      let person = try Person()
      try person.configure(
        """
        [targets.t]
        url = "http://127.0.0.1:9/up"
        fields = [{ name = "a", value = "1" }, { name = "b", value = "2" }]
        """)
      try person.folder.write("x", count: 1)
      let shown = try await person.shell(
        "hoist push x --to t --form a=long --form c=3 --form-add b=4 --dry-run"
      ).end()
      #expect(shown.status == 0, "\(shown)")
      let parts = shown.output.matches(of: /part (\w+): text, (\d+) byte/).map { "\($0.1) \($0.2)" }
      #expect(parts == ["a 4", "b 1", "c 1", "b 1"], "\(shown.output)")
    }

    @Test("a ticket's request is shown in words")
    func ticket() async throws {
      let person = try Person()
      try person.configure(
        """
        [targets.t.ticket]
        url = "https://api.example/presign"
        upload_url = "/data/url"
        """)
      try person.folder.write("x", count: 1)
      let shown = try await person.shell("hoist push x --to t --dry-run").end()
      #expect(shown.output.contains("POST to the ticket's /data/url\n"), "\(shown)")
    }

    @Test("no file takes another one's address; its path from the folder tells them apart")
    func addresses() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      func configure(_ slot: String) throws {
        try person.configure(
          """
          [targets.t]
          url = "http://127.0.0.1:\(server.port)/\(slot)"
          method = "PUT"
          body = "binary"
          """)
      }
      _ = try await person.shell("mkdir -p d/a 'd/b c'; echo 1 > d/a/x; echo 2 > 'd/b c/x'").end()
      try configure("{file.name}")
      let clash = try await person.shell("hoist push -r d --to t").end()
      #expect(
        clash.status == 1 && clash.errors.contains("Another file was sent to the same address"))
      #expect(server.requests.map(\.line) == ["PUT /x HTTP/1.1"])
      let shown = try await person.shell("hoist push -r d --to t --dry-run").end()
      #expect(
        shown.status == 1 && shown.errors.contains("Another file was sent to the same address"))
      try configure("in/{file.path}")
      let both = try await person.shell("hoist push -r d --to t").end()
      #expect(both.status == 0, "\(both)")
      #expect(
        server.requests.suffix(2).map(\.line).sorted()
          == ["PUT /in/a/x HTTP/1.1", "PUT /in/b%20c/x HTTP/1.1"])
    }

    @Test("a program with the name of a picture is recognised")
    func contents() async throws {
      let person = try Person()
      try person.configure(
        """
        [targets.t]
        url = "http://127.0.0.1:9/up"
        limits = { types = ["image/*"], check = "content" }
        """)
      let copied = try await person.shell("cp /bin/true holiday.jpg").end()
      #expect(copied.status == 0)
      let told = try await person.run("mime", "holiday.jpg")
      #expect(
        told.output.contains("image/jpeg")
          && told.output.contains("but its content is application/x-executable"), "\(told)")
      let refused = try await person.run("push", "holiday.jpg", "--to", "t")
      #expect(refused.status == 1 && refused.errors.contains("type not accepted"), "\(refused)")
      #expect(refused.errors.contains("application/x-executable"))
    }
  }
}
