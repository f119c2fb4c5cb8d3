import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Each file of `config/recipes`, as it is but for the port, with the real program on both sides.
  @Suite("The recipes work")
  struct RecipeTests {
    /// A person with a recipe, and a receiver that the recipe's targets are pointed to.
    struct Kitchen {
      let person: Person
      let inbox: Inbox
      let recipe: String

      init(_ name: String, tls: String? = nil) async throws {
        person = try Person()
        inbox = try await person.receiver("--demo-endpoints")
        recipe = "\(name).toml"
        let source = Person.repository.appendingPathComponent("config/recipes/\(name).toml")
        var text = try String(contentsOf: source, encoding: .utf8)
          .replacing("127.0.0.1:3000", with: Self.address(inbox))
        if let tls { text = text.replacing("127.0.0.1:8443", with: tls) }
        try person.folder.write(recipe, Array(text.utf8))
      }

      static func address(_ inbox: Inbox) -> String {
        inbox.url.replacing("http://", with: "").replacing("/upload", with: "")
      }

      /// Runs a line of shell in which `$R` stands for the recipe.
      func shell(_ line: String) async throws -> Program.Outcome {
        try await person.shell("R='--config \(recipe)'; \(line)").end()
      }

      func json(_ line: String) async throws -> Any {
        let outcome = try await shell(line)
        try #require(outcome.status == 0, "\(outcome)")
        return try JSONSerialization.jsonObject(
          with: Data(outcome.output.utf8), options: .fragmentsAllowed)
      }

      /// The file of a size that `name` is.
      func write(_ name: String, _ size: Int) throws {
        try person.folder.write(name, count: size, seed: UInt64(size))
      }

      func arrived(_ name: String) throws -> Bool {
        inbox.bytes(name) == (try bytes(person.folder.path(name)))
      }
    }

    @Test("tus: a file in chunks, by itself, with its name and type")
    func tus() async throws {
      let kitchen = try await Kitchen("tus")
      try kitchen.write("disk.iso", 3_000_000)
      try kitchen.write("empty.txt", 0)
      let outcome = try await kitchen.shell("hoist push disk.iso empty.txt $R")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("/files/disk.iso\n"))
      #expect(try kitchen.arrived("disk.iso"))
      #expect(try kitchen.arrived("empty.txt"))
    }

    /// The bytes of all files below a folder.
    private func size(of folder: String) -> Int {
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
      return (names ?? []).reduce(0) { sum, name in
        sum + (FileManager.default.contents(atPath: "\(folder)/\(name)")?.count ?? 0)
      }
    }

    @Test(
      "tus in parts: several at once, also after a kill, and an empty file; to hoist, and to a server that is not ours",
      arguments: ["hoist", "tuspyserver"])
    func tusParallel(_ kind: String) async throws {
      let kitchen = try await Kitchen("tus-parallel")
      var server: Program?
      var recipe = try String(
        contentsOf: URL(filePath: kitchen.person.folder.path(kitchen.recipe)), encoding: .utf8
      ).replacing("16 MiB", with: "2 MiB")
      if kind == "tuspyserver" {
        let peer = try Program(
          Person.repository.appendingPathComponent(".build/peers/bin/python3").path,
          [
            Person.repository.appendingPathComponent("Tests/EndToEndTests/Peers/tus_server.py")
              .path,
            kind, kitchen.person.folder.path("stored"),
          ], environment: kitchen.person.environment, directory: kitchen.person.folder.path)
        let port = try await wait(for: "the server", otherwise: { peer.output + peer.errors }) {
          peer.output.firstMatch(of: /port (\d+)\n/).map { String($0.1) }
        }
        recipe = recipe.replacing(Kitchen.address(kitchen.inbox), with: "127.0.0.1:\(port)")
        server = peer
      }
      try kitchen.person.folder.write(kitchen.recipe, Array(recipe.utf8))
      try kitchen.write("large.bin", 12_000_001)
      try kitchen.write("empty.bin", 0)
      // What has just changed is not believed after a kill.
      try await FileChange.waitUntilOld(kitchen.person.folder.path("large.bin"))
      #expect(try await kitchen.shell("hoist add large.bin empty.bin $R").status == 0)
      let sender = try kitchen.person.hoist(
        "send", "--limit", "4MB/s", "--config", kitchen.recipe)
      let folder = kind == "hoist" ? kitchen.inbox.path : kitchen.person.folder.path("stored")
      try await wait(
        for: "the empty file and some of the other", otherwise: { sender.output + sender.errors }
      ) {
        sender.output.contains("empty.bin: ") && size(of: folder) >= 1_000_000 ? true : nil
      }
      sender.signal(SIGKILL)
      _ = try await sender.end()
      let second = try await kitchen.shell("hoist send $R")
      #expect(second.status == 0, "\(second)")
      let history = try await kitchen.shell("hoist history --json")
      let last = try #require(
        history.events().last { $0.path.hasSuffix("large.bin") }, "\(history)")
      let counts = ["pieces", "pieces_sent", "pieces_resumed"].compactMap { last.number($0) }
      #expect(counts.count == 3 && counts[0] == 6 && counts[1] + counts[2] == 6, "\(last)")
      if kind == "hoist" {
        #expect(try kitchen.arrived("large.bin"))
        #expect(try kitchen.arrived("empty.bin"))
      } else {
        let same = try await kitchen.shell(
          "for f in stored/*; do cmp -s $f large.bin && echo large; cmp -s $f empty.bin && echo empty; done; true"
        )
        #expect(same.output.contains("large"), "\(same)")
        #expect(same.output.contains("empty"), "\(same)")
      }
      withExtendedLifetime(server) {}
    }

    @Test("every recipe passes the check")
    func check() async throws {
      let folder = Person.repository.appendingPathComponent("config/recipes").path
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".toml") }.sorted()
      #expect(names.count > 25, "\(names)")
      let person = try Person()
      for name in names {
        // A target can only be shown whose secrets are there.
        let set =
          "for v in $(grep -o 'env\\.[A-Z_]*' \(folder)/\(name)); do export ${v#env.}=x; done; "
        let outcome = try await person.run("config", "check", "--config", "\(folder)/\(name)")
        #expect(outcome.status == 0, "\(outcome)")
        let shown = try await person.shell("\(set)hoist config show --config \(folder)/\(name)")
          .end()
        #expect(shown.status == 0, "\(shown)")
      }
    }

    @Test("rest-manager-single: one file alone, with fields")
    func restManagerSingle() async throws {
      let kitchen = try await Kitchen("rest-manager-single")
      try kitchen.write("1.bin", 1000)
      let single = try await kitchen.shell("hoist push 1.bin --json $R")
      #expect(single.status == 0, "\(single)")
      let reply = try single.events().end(of: "1.bin").reply()
      #expect(reply["fields"] as? [String: String] == ["username": "alex"])
      #expect((reply["files"] as? [[String: Any]])?.first?["field"] as? String == "uploadedFile")
      let url = try single.events().end(of: "1.bin").text("url")
      #expect(url?.hasSuffix("/files/1.bin") == true)
    }

    @Test("rest-manager: ten files in a request but for the one that cannot be read")
    func restManager() async throws {
      let kitchen = try await Kitchen("rest-manager")
      let names = (1...12).map { "\($0).bin" }
      for (index, name) in names.enumerated() { try kitchen.write(name, 1000 + index) }
      let many = try await kitchen.shell("hoist push *.bin none.bin --json $R")
      #expect(many.status == 1)
      #expect(try many.events().end(of: "none.bin").text("cause") == "missing")
      for name in names {
        #expect(try many.events().end(of: name).event == "finished")
        #expect(try kitchen.arrived(name), "\(name)")
      }
      let sizes = try names.map { name in
        (try many.events().end(of: name).reply()["files"] as? [Any])?.count ?? 0
      }
      // On a busy machine the last two may not be ready at the same moment.
      #expect(sizes.sorted().dropFirst(2).allSatisfy { $0 == 10 } && sizes.allSatisfy { $0 > 0 })
    }

    @Test("form-with-image: the fields first, the image last, and nothing but images")
    func formWithImage() async throws {
      let kitchen = try await Kitchen("form-with-image")
      try kitchen.write("me.jpg", 3000)
      try kitchen.write("notes.txt", 10)
      let outcome = try await kitchen.shell("hoist push me.jpg notes.txt --json $R")
      #expect(outcome.status == 1, "\(outcome)")
      #expect(try outcome.events().end(of: "notes.txt").text("cause") == "type-not-allowed")
      let reply = try outcome.events().end(of: "me.jpg").reply()
      #expect(
        reply["fields"] as? [String: String] == ["family_name": "Beispiel", "name": "Alex"])
      #expect(try kitchen.arrived("me.jpg"))
      let shown = try await kitchen.shell("hoist push me.jpg --dry-run $R")
      let parts = shown.output.matches(of: /part (\w+):/).map { String($0.1) }
      #expect(parts == ["family_name", "name", "image_field"])
    }

    @Test("catch-log: over TLS with a certificate of its own, and rc tells the truth")
    func catchLog() async throws {
      // The receiver's port is known before nginx needs it, and nginx's before the recipe does.
      let host = NginxServer.freshHost()
      let port = try HostileServer.closedPort()
      let kitchen = try await Kitchen("catch-log", tls: "\(host):\(port)")
      let authority = try CertificateAuthority()
      let certificate = try authority.selfSigned(host)
      // The authority's files go with it.
      let nginx = try withExtendedLifetime(authority) {
        try NginxServer(
          [
            .init(
              host, certificate,
              extra: """
                location /fishingserver/ {
                  proxy_pass http://\(Kitchen.address(kitchen.inbox));
                  proxy_set_header Host $host:$server_port;
                }
                """)
          ], port: port)
      }
      defer { _ = nginx.stop() }
      try kitchen.write("pike.jpg", 70_000)
      let untrusted = try await kitchen.shell(
        "FISHING_TOKEN=t hoist push pike.jpg --attempts 1 --json $R")
      #expect(try untrusted.events().end(of: "pike.jpg").text("cause") == "insecure")
      let trusted = try await kitchen.shell("FISHING_TOKEN=t hoist trust catches --yes $R")
      #expect(trusted.status == 0, "\(trusted)")

      let pushed = try await kitchen.shell("FISHING_TOKEN=t hoist push pike.jpg --json $R")
      #expect(pushed.status == 0, "\(pushed)")
      #expect(try kitchen.arrived("pike.jpg"))
      // The status is 200, and yet it failed.
      let wrong = try await kitchen.shell("FISHING_TOKEN=x hoist push pike.jpg --json $R")
      #expect(wrong.status == 1)
      let failed = try wrong.events().end(of: "pike.jpg")
      #expect(failed.text("cause") == "rejected" && failed.number("status") == 200)
      #expect(failed.text("message")?.contains("the token is wrong for this user") == true)
      #expect(failed.number("attempt") == 1)

      let listed = try await kitchen.shell("FISHING_TOKEN=t hoist ls $R")
      #expect(listed.output == "1\tpike\n", "\(listed)")
      let hidden = try await kitchen.shell("FISHING_TOKEN=x hoist ls $R")
      #expect(hidden.status == 1 && hidden.errors.contains("the token is wrong for this user"))
      let unasked = try await kitchen.shell("FISHING_TOKEN=t hoist rm catches 1 $R")
      #expect(unasked.status == 2 && unasked.errors.contains("nothing was deleted"))
      let removed = try await kitchen.shell("FISHING_TOKEN=t hoist rm catches 1 2 --yes $R")
      #expect(removed.status == 1 && removed.errors.contains("deleted 1"), "\(removed)")
      #expect(removed.errors.contains("2 was not deleted"))
      #expect(try await kitchen.shell("FISHING_TOKEN=t hoist ls $R").output.isEmpty)
      let everything = [pushed, wrong, listed, removed].map { $0.output + $0.errors }.joined()
      #expect(!everything.contains("token=t"))
    }

    @Test(
      "note-with-photos: JSON first, then photos that were made smaller, under names with the time")
    func recordWithPhotos() async throws {
      let kitchen = try await Kitchen("note-with-photos")
      let made = try await kitchen.shell(
        "for n in a b; do gm convert -size 300x200 plasma:fractal -quality 100 $n.jpg; done")
      try #require(made.status == 0, "gm is missing: run make setup\n\(made)")
      let outcome = try await kitchen.shell("NOTES_TOKEN=x hoist push a.jpg b.jpg --json $R")
      #expect(outcome.status == 0, "\(outcome)")
      let reply = try outcome.events().end(of: "a.jpg").reply()
      #expect(
        reply["fields"] as? [String: String] == ["request": #"{"rawMemo":"Photos of the day"}"#])
      let files = try #require(reply["files"] as? [[String: Any]])
      #expect(files.count == 2)
      for (name, file) in zip(["a.jpg", "b.jpg"], files) {
        let sent = try #require(file["name"] as? String)
        #expect(sent.wholeMatch(of: /\d{13}_photo\.jpg/) != nil)
        #expect(file["field"] as? String == "file" && file["type"] as? String == "image/jpeg")
        let place = try #require(file["stored"] as? String)
        let stored = try #require(kitchen.inbox.bytes(place))
        #expect(stored.starts(with: [0xFF, 0xD8]))
        #expect(stored.count < (try bytes(kitchen.person.folder.path(name)).count) / 2)
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: kitchen.person.folder.path)
      #expect(!left.contains { $0.hasPrefix("hoist-") }, "\(left)")
      let dashed = try await kitchen.shell(
        "cp a.jpg ./-size.jpg; NOTES_TOKEN=x hoist push $R -- -size.jpg")
      #expect(dashed.status == 0, "\(dashed)")
      let bad = try await kitchen.shell(
        "echo no picture > c.jpg; NOTES_TOKEN=x hoist push c.jpg --json $R")
      #expect(bad.status == 1)
      #expect(try bad.events().end(of: "c.jpg").text("message")?.contains("gm ended with") == true)
      let nobody = try await kitchen.shell("hoist push a.jpg $R")
      #expect(nobody.status == 2 && nobody.errors.contains("NOTES_TOKEN is not set"))
    }

    @Test("bookmarks: each upload makes a record, which is listed, filtered, cut and deleted")
    func bookmarks() async throws {
      let kitchen = try await Kitchen("bookmarks")
      for (index, name) in ["a.pdf", "b.pdf", "c.pdf"].enumerated() {
        try kitchen.write(name, 100 + index)
        let outcome = try await kitchen.shell("hoist push \(name) $R")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasSuffix("/files/\(name)\n"))
      }
      let row = try #require(
        try await kitchen.json("hoist ls --json --query name=b.pdf $R") as? [String: Any])
      #expect(row["id"] as? Int == 2 && row["content_id"] as? Int == 1)
      #expect((row["link"] as? String)?.hasSuffix("/files/b.pdf") == true)
      #expect((row["created_date"] as? String)?.hasSuffix("Z") == true)
      #expect(row["section_id"] as? Int == 3 && row["user_id"] as? Int == 7)
      // From the last to the first as the recipe has it, page by page until there are no more.
      let all = try await kitchen.shell("hoist ls --all --query _sort=id --query _limit=1 $R")
      #expect(all.output == "3\tc.pdf\n2\tb.pdf\n1\ta.pdf\n", "\(all)")
      let one = try await kitchen.json("hoist get bookmarks 3 $R") as? [String: Any]
      #expect(one?["name"] as? String == "c.pdf")
      let page = try await kitchen.shell(
        "hoist ls --query _sort=id --query _limit=2 --query _page=2 $R")
      #expect(page.output == "1\ta.pdf\n", "\(page)")
      let removed = try await kitchen.shell("hoist rm bookmarks 2 --yes --json $R")
      #expect(removed.output == "{\"deleted\":true,\"id\":\"2\"}\n")
      #expect(
        try await kitchen.shell("hoist ls --query _sort=id $R").output == "3\tc.pdf\n1\ta.pdf\n")
      let again = try await kitchen.shell("hoist rm bookmarks 2 --yes $R")
      #expect(again.status == 1 && again.errors.contains("404"))
    }

    @Test("s3-presigned: against our own receiver, which checks policy and signature")
    func presigned() async throws {
      let kitchen = try await Kitchen("s3-presigned")
      try kitchen.write("a b.txt", 70_000)
      try kitchen.write("empty.bin", 0)
      let outcome = try await kitchen.shell("hoist push 'a b.txt' empty.bin --json $R")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try outcome.events().end(of: "a b.txt").number("status") == 204)
      #expect(try kitchen.arrived("a b.txt") && kitchen.arrived("empty.bin"))
      // A field that the policy does not speak of.
      let more = try await kitchen.shell("hoist push empty.bin --form acl=public-read --json $R")
      #expect(try more.events().end(of: "empty.bin").text("cause") == "http-403")
    }

    @Test("s3-presigned: against moto's S3, with the server side that lies beside the recipe")
    func moto() async throws {
      let kitchen = try await Kitchen("s3-presigned")
      let python = Person.repository.appendingPathComponent(".build/peers/bin/python3").path
      func start(_ script: String, _ more: [String: String] = [:]) throws -> Program {
        try Program(
          python, [Person.repository.appendingPathComponent(script).path],
          environment: kitchen.person.environment.merging(more) { $1 },
          directory: kitchen.person.folder.path)
      }
      let moto = try start("Tests/EndToEndTests/Peers/moto_app.py")
      let bucket = try await wait(for: "moto", otherwise: { moto.errors }) {
        moto.output.firstMatch(of: /s3 (http:\S+)\nkeys .*\nport (\d+)/)
          .map { (s3: String($0.1), port: String($0.2)) }
      }
      let presign = try start(
        "config/recipes/s3-presign.py",
        [
          "AWS_ENDPOINT_URL": bucket.s3, "AWS_DEFAULT_REGION": "us-east-1",
          "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "BUCKET": "inbox",
          "TOKEN": "s3cret", "PORT": "0",
        ])
      let port = try await wait(for: "s3-presign.py", otherwise: { presign.errors }) {
        presign.errors.firstMatch(of: /Running on http:\/\/127\.0\.0\.1:(\d+)/).map { String($0.1) }
      }
      let swap =
        "sed -i 's|http://[^/]*/presign|http://127.0.0.1:\(port)/presign|' \(kitchen.recipe)"
      #expect(try await kitchen.shell(swap).status == 0)
      try kitchen.write("a b.txt", 70_000)
      let refused = try await kitchen.shell("hoist push 'a b.txt' --json $R")
      #expect(try refused.events().end(of: "a b.txt").text("cause") == "http-401")
      let outcome = try await kitchen.shell(
        "hoist push 'a b.txt' --header 'Authorization: Bearer s3cret' --json $R")
      #expect(outcome.status == 0, "\(outcome)")
      let fetched = try await kitchen.shell(
        "curl -sSf -o fetched -w '%{content_type}' 'http://127.0.0.1:\(bucket.port)/object/uploads/a%20b.txt'"
      )
      #expect(fetched.output.hasPrefix("text/plain"), "\(fetched)")
      #expect(
        try bytes(kitchen.person.folder.path("fetched"))
          == bytes(kitchen.person.folder.path("a b.txt")))
    }
  }
}
