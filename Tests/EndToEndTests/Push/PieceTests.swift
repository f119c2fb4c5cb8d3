import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// The recipes for services that take files in pieces, as they are but for addresses and sizes, against strict copies.
  @Suite("Files go in pieces", StrictCopies("pieces.py"))
  struct PieceTests {
    /// A service: its recipe, the address in it, the name of its copy, the smallest piece, and what the secret is.
    struct Service: Sendable, CustomTestStringConvertible {
      let recipe: String
      let origin: String
      let copy: String
      let least: String
      var variable = "TOKEN"
      var secret = "s3cret-token"
      var testDescription: String { recipe }
    }

    static let services: [Service] = [
      Service(
        recipe: "nextcloud", origin: "https://cloud.example", copy: "nextcloud", least: "5 MiB",
        variable: "NEXTCLOUD_PASSWORD", secret: "secret"),
      Service(
        recipe: "zipline", origin: "https://zipline.example", copy: "zipline", least: "3 MiB",
        variable: "ZIPLINE_TOKEN"),
      Service(
        recipe: "cloudinary", origin: "https://api.cloudinary.com", copy: "cloudinary",
        least: "5 MiB"),
      Service(
        recipe: "cloudinary-signed", origin: "https://api.cloudinary.com", copy: "cloudinary",
        least: "5 MiB", variable: "CLOUDINARY_API_SECRET", secret: "cloud-secret"),
      Service(
        recipe: "azure", origin: "https://account.blob.core.windows.net", copy: "azure",
        least: "3 MiB", variable: "AZURE_SAS",
        secret: "sv=2023-11-03&sp=cw&se=2099-01-01T00%3A00%3A00Z&sr=c&sig=abc%2Bdef%3D"),
      Service(
        recipe: "gcs", origin: "https://storage.googleapis.com", copy: "gcs", least: "3 MiB"),
      Service(
        recipe: "dropbox", origin: "https://content.dropboxapi.com", copy: "dropbox",
        least: "4 MiB", variable: "DROPBOX_TOKEN"),
      Service(
        recipe: "s3-parts", origin: "https://app.example", copy: "presign", least: "5 MiB",
        variable: "APP_TOKEN", secret: "app-token"),
      Service(
        recipe: "b2", origin: "https://api001.backblazeb2.com", copy: "b2", least: "5 MB",
        variable: "B2_TOKEN"),
    ]

    /// A person with a recipe that leads to a copy.
    struct Desk {
      let person: Person
      let service: Service
      let port: Int

      init(_ service: Service, _ edit: (String) -> String = { $0 }) async throws {
        (person, self.service, port) = (try Person(), service, try #require(StrictCopies.port))
        let source = Person.repository.appendingPathComponent(
          "config/recipes/\(service.recipe).toml")
        // The application that presigns has another origin than S3.
        let base =
          service.copy == "presign"
          ? "http://localhost:\(port)" : "http://127.0.0.1:\(port)/\(service.copy)"
        let text = try String(contentsOf: source, encoding: .utf8)
          .replacing(service.origin, with: base)
          .replacing(try Regex("(?m)^size = .*$"), with: "size = \"\(service.least)\"")
          .replacing(try Regex("(?m)^above = .*$"), with: "above = \"1 MiB\"")
          .replacing(
            "[\"gcloud\", \"auth\", \"print-access-token\"]", with: "[\"echo\", \"token\"]")
        try person.folder.write("recipe.toml", Array(edit(text).utf8))
        // Unless a test has another folder, it is there.
        if service.copy == "nextcloud" {
          let folder = "http://127.0.0.1:\(port)/nextcloud/remote.php/dav/files/me/Uploads"
          _ = try await person.shell("curl -s -u me:secret -X MKCOL \(folder)").end()
        }
      }

      func hoist(_ line: String, secret: String? = nil) async throws -> Program.Outcome {
        try await person.shell(
          "export \(service.variable)='\(secret ?? service.secret)'; hoist \(line) --config recipe.toml"
        ).end()
      }

      /// The most requests with content that the copy has had at once.
      func most() async throws -> Int {
        let outcome = try await person.shell("curl -sS http://127.0.0.1:\(port)/state").end()
        let state = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        return ((state as? [String: Any])?["most"] as? [String: Int])?[service.copy] ?? 0
      }

      /// What the copy has of a file whose name contains this, by the SHA-256.
      func stored(_ name: String) async throws -> [String] {
        let outcome = try await person.shell("curl -sS http://127.0.0.1:\(port)/state").end()
        let state = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        let objects = (state as? [String: Any])?["objects"] as? [[String: Any]] ?? []
        return objects.compactMap { object in
          guard object["service"] as? String == service.copy, "\(object)".contains(name) else {
            return nil
          }
          return object["sha256"] as? String
        }
      }

      func digest(_ name: String) async throws -> String {
        String(try await person.shell("sha256sum \(name)").end().output.prefix(64))
      }
    }

    @Test(
      "a large file and a small one are taken by the strict copy, byte for byte",
      arguments: services)
    func uploads(_ service: Service) async throws {
      let desk = try await Desk(service)
      let id = UUID().uuidString.prefix(8)
      // B2 takes no small files in this way.
      let files =
        [("large-\(id).bin", 11_000_001)]
        + (service.copy == "b2" ? [] : [("small-\(id).bin", 70_000)])
      for (name, size) in files {
        // Two recipes lead to one copy, which is asked for the content.
        try desk.person.folder.write(name, count: size, seed: UInt64(service.recipe.utf8.count))
        let outcome = try await desk.hoist("push \(name) --json")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.output.contains("\"doubtful\""), "\(outcome)")
        let digest = try await desk.digest(name)
        // Zipline and Cloudinary choose names of their own.
        let stored = try await desk.stored(
          ["zipline", "cloudinary"].contains(service.copy) ? digest : name)
        #expect(stored == [digest])
        #expect(!(outcome.output + outcome.errors).contains(service.secret))
        // The recipe with presigned parts knows no other way.
        let isLarge = size > 1 << 20
        let counts = isLarge ? 2...6 : service.recipe == "s3-parts" ? 1...1 : nil
        try await tells(of: name, outcome, inPieces: counts, desk)
      }
    }

    /// Checks what the events and the history say of the pieces of a file that has arrived.
    private func tells(
      of name: String, _ outcome: Program.Outcome, inPieces counts: ClosedRange<Int>?, _ desk: Desk
    ) async throws {
      let events = try outcome.events().about(name)
      let told = events.filter { $0.event == "piece" }
      let end = try #require(events.last)
      let history = try await desk.person.shell("hoist history --json --last 1").end()
      let entry = try #require(history.events().last, "\(history)")
      guard let counts else {
        #expect(told.isEmpty && end.number("pieces") == nil && entry.number("pieces") == nil)
        return
      }
      let count = try #require(end.number("pieces"))
      #expect(counts.contains(count))
      for line in [end, entry] {
        #expect(line.number("pieces") == count)
        #expect(line.number("pieces_sent") == count && line.number("pieces_resumed") == 0)
      }
      let sent = told.compactMap { $0.number("pieces_sent") }
      // The reply to the last piece may be that to the whole.
      #expect(sent == Array(1...sent.count) && sent.count >= count - 1, "\(sent) of \(count)")
    }

    @Test("the curl commands are the requests of the dry run", arguments: services)
    func asCurl(_ service: Service) async throws {
      let desk = try await Desk(service)
      let name = "$HOME `id` a.bin"
      try desk.person.folder.write(name, count: 11_000_001)
      let shown = try await desk.hoist("push '\(name)' --as-curl")
      #expect(shown.status == 0, "\(shown)")
      #expect(!(shown.output + shown.errors).contains(service.secret))
      try desk.person.folder.write("commands", Array(shown.output.utf8))
      // A shell reads them: each prints its method and its address, with the variables as they are called.
      let read = try await desk.person.shell(
        """
        for name in $(grep -o '"$[A-Z0-9_]*"' commands | tr -d '"$' | sort -u); do eval "$name='\\$$name'"; done
        curl() { printf '%s %s\\n' "$3" "$4"; }
        . ./commands
        """
      ).end()
      #expect(read.status == 0, "\(read)")
      let dry = try await desk.hoist("push '\(name)' --dry-run --json")
      let plan = try #require(
        JSONSerialization.jsonObject(with: Data(dry.output.utf8)) as? [String: Any], "\(dry)")
      let pieces = try #require(plan["pieces"] as? [String: Any])
      let heads =
        (plan["folders"] as? [Any] ?? [])
        + [pieces["begin"], pieces["ticket"], plan, pieces["finish"]].compactMap { $0 }
      let lines = heads.compactMap { $0 as? [String: Any] }.map {
        "\($0["method"] ?? "") \($0["url"] ?? "")"
      }
      #expect(read.output.split(separator: "\n").map(String.init) == lines, "\(shown.output)")
    }

    @Test("Nextcloud gets a tree into folders that it lacks, large files among it")
    func intoMissingFolders() async throws {
      let id = UUID().uuidString.prefix(8)
      let desk = try await Desk(Self.services[0]) { text in
        text.replacing("/Uploads/", with: "/new-\(id)/in/")
      }
      for folder in ["t/a", "t/b c/d#e"] {
        try FileManager.default.createDirectory(
          atPath: desk.person.folder.path(folder), withIntermediateDirectories: true)
      }
      let files = [
        ("t/a/large-\(id).bin", 11_000_001), ("t/b c/d#e/wide-\(id).bin", 12_000_000),
        ("t/b c/small-\(id).bin", 70_000), ("t/top-\(id).bin", 10),
      ]
      for (index, (name, size)) in files.enumerated() {
        try desk.person.folder.write(name, count: size, seed: UInt64(index + 1))
      }
      // The large file by itself, so that the server speaks of the folder while pieces go.
      let first = try await desk.hoist("push -r t/a --json")
      #expect(first.status == 0, "\(first)")
      let outcome = try await desk.hoist("push -r t --json")
      #expect(outcome.status == 0, "\(outcome)")
      for (name, _) in files {
        let path = name.dropFirst(2)
        #expect(
          try await desk.stored("new-\(id)/in/\(path)").first == desk.digest("'\(name)'"),
          "\(name)")
      }
    }

    @Test(
      "pieces go several at once, also after the sender was killed, and the file arrives byte for byte",
      arguments: ["azure", "presign", "nextcloud", "b2"])
    func parallel(_ copy: String) async throws {
      let service = try #require(Self.services.first { $0.copy == copy })
      let desk = try await Desk(service)
      let name = "wide-\(UUID().uuidString.prefix(8)).bin"
      try desk.person.folder.write(name, count: 24_000_001)
      // What has just changed is not believed after a kill.
      try await FileChange.waitUntilOld(desk.person.folder.path(name))
      let added = try await desk.hoist("add \(name)")
      #expect(added.status == 0, "\(added)")
      let killed = try await desk.person.shell(
        "export \(service.variable)='\(service.secret)'; timeout -s KILL 1 hoist send --limit 6MB/s --config recipe.toml"
      ).end()
      #expect(killed.status != 0, "\(killed)")
      let second = try await desk.hoist("send")
      #expect(second.status == 0, "\(second)")
      // The history says what each attempt has sent.
      let history = try await desk.person.shell("hoist history --json").end()
      let last = try #require(history.events().last, "\(history)")
      let counts = ["pieces", "pieces_sent", "pieces_resumed"].compactMap { last.number($0) }
      #expect(counts.count == 3 && counts[0] == counts[1] + counts[2], "\(last)")
      #expect(try await desk.stored(name) == [try await desk.digest(name)])
      // There is no upper bound here: the copy may still be busy with what the killed sender sent.
      #expect(try await desk.most() > 1)
    }

    @Test("an empty file in pieces is sent without a range of bytes")
    func empty() async throws {
      let desk = try await Desk(try #require(Self.services.first { $0.copy == "gcs" })) { text in
        text.replacing("above = \"8 MiB\"\n", with: "")
      }
      try desk.person.folder.write("empty.bin", count: 0)
      let preview = try await desk.hoist("push empty.bin --dry-run")
      #expect(!preview.output.contains("Content-Range: bytes 0-"), "\(preview)")
      let outcome = try await desk.hoist("push empty.bin")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try await desk.stored("empty.bin") == [try await desk.digest("empty.bin")])
    }

    @Test(
      "a server that is not ours takes what the recipe for Google Cloud Storage sends, also after a kill"
    )
    func emulator() async throws {
      let port = try HostileServer.closedPort()
      let desk = try await Desk(try #require(Self.services.first { $0.copy == "gcs" })) { text in
        text.replacing(#/http://127\.0\.0\.1:\d+/gcs/#, with: "http://127.0.0.1:\(port)")
      }
      let server = try Program(
        Person.repository.appendingPathComponent(".build/peers/bin/python3").path,
        [
          "-m", "gcp_storage_emulator", "start", "--host", "127.0.0.1", "--port", "\(port)",
          "--in-memory", "--default-bucket", "bucket",
        ], environment: desk.person.environment, directory: desk.person.folder.path)
      _ = try await wait(for: "the emulator", otherwise: { server.output + server.errors }) {
        (server.output + server.errors).contains("All services started") ? true : nil
      }
      func stored(_ name: String) async throws -> Data {
        let fetched = try await desk.person.shell(
          "curl -sSf -o fetched 'http://127.0.0.1:\(port)/download/storage/v1/b/bucket/o/\(name)?alt=media'"
        ).end()
        try #require(fetched.status == 0, "\(fetched)")
        return try bytes(desk.person.folder.path("fetched"))
      }
      for (name, size) in [("small.bin", 70_000), ("large.bin", 24_000_001)] {
        try desk.person.folder.write(name, count: size)
        // What has just changed is not believed after a kill.
        try await FileChange.waitUntilOld(desk.person.folder.path(name))
        let added = try await desk.hoist("add \(name)")
        #expect(added.status == 0, "\(added)")
      }
      let sender = try desk.person.hoist("send", "--limit", "6MB/s", "--config", "recipe.toml")
      // It claims one byte of an upload of which it has none, which no other server does.
      try await wait(
        for: "the small file and a piece",
        otherwise: { sender.output + sender.errors + server.output + server.errors }
      ) {
        sender.output.contains("small.bin: ")
          && (server.output + server.errors).contains(" 308 ") ? true : nil
      }
      sender.signal(SIGKILL)
      _ = try await sender.end()
      let second = try await desk.hoist("send")
      #expect(second.status == 0, "\(second)")
      for name in ["small.bin", "large.bin"] {
        #expect(try await stored(name) == bytes(desk.person.folder.path(name)), "\(name)")
      }
      withExtendedLifetime(server) {}
    }

    @Test("what would be sent is shown: begin, the first piece, finish")
    func preview() async throws {
      let desk = try await Desk(try #require(Self.services.first { $0.copy == "presign" }))
      try desk.person.folder.write("a.bin", count: 6_000_000)
      let shown = try await desk.hoist("push a.bin --dry-run")
      #expect(shown.status == 0, "\(shown)")
      for line in [
        "in 2 pieces of at most 5.2 MB, up to 2 at once",
        "first POST http://localhost:\(desk.port)/presign/begin",
        "before each piece GET http://localhost:\(desk.port)/presign/part?number=1&upload={begin.upload}",
        "  body {\"name\":\"a.bin\",\"size\":6000000,\"type\":\"application/octet-stream\"}",
        "piece 1 of 2: PUT {ticket:/url}", "  in this piece 5,242,880 bytes",
        "at the end POST http://localhost:\(desk.port)/presign/finish",
      ] {
        #expect(shown.output.contains("\(line)\n"), "\(line) in \(shown.output)")
      }
      #expect(!shown.output.contains(desk.service.secret))
    }

    /// A change to a recipe that makes the service refuse: what of the failure names the request (`message`), and what
    /// quotes the service (`reply`).
    struct Refusal: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let copy: String
      let change: [(from: String, to: String)]
      /// The recipe, if there is more than one for the copy.
      var recipe: String?
      let message: String
      let reply: String
    }

    static let refusals: [Refusal] = [
      Refusal(
        testDescription: "wrong credentials", copy: "gcs",
        change: [("[\"echo\", \"token\"]", "[\"echo\", \"bad\"]")],
        message: "begins the upload (pieces.begin): 401", reply: "Invalid Credentials"),
      Refusal(
        testDescription: "a wrong sum", copy: "b2",
        change: [("{piece.sha1}\" }", "{file.sha1}\" }")],
        message: "of 3 (pieces.piece): 400", reply: "Checksum did not match"),
      Refusal(
        testDescription: "a missing piece", copy: "azure",
        change: [("<Latest>{piece", "<Latest>{piece.index|05|base64}</Latest><Latest>{piece")],
        message: "finishes the upload (pieces.finish): 400", reply: "InvalidBlockList"),
      Refusal(
        testDescription: "a wrong total", copy: "nextcloud",
        change: [("OC-Total-Length = \"{file.size}\"", "OC-Total-Length = \"{piece.count}\"")],
        message: "finishes the upload (pieces.finish): 400", reply: "Chunks on server do not sum up"
      ),
      Refusal(
        testDescription: "a piece that is too small", copy: "presign",
        change: [("size = \"5 MiB\"", "size = \"2 MiB\""), ("min = \"5 MiB\"\n", "")],
        message: "finishes the upload (pieces.finish): 400", reply: "EntityTooSmall"),
      Refusal(
        testDescription: "pieces in the wrong order", copy: "cloudinary",
        change: [("bytes {piece.offset}-{piece.end}/", "bytes {piece.next}-{piece.end}/")],
        message: "piece 1 of 3 (pieces.piece): 400", reply: "ange"),
      Refusal(
        testDescription: "an upload that nobody knows", copy: "dropbox",
        change: [("\"session_id\": \"{begin.id|json}\"", "\"session_id\": \"pid_x\"")],
        message: "piece 1 of 3 (pieces.piece): 409", reply: "not_found"),
      Refusal(
        testDescription: "a wrong signature", copy: "cloudinary",
        change: [("folder=hoist&", "folder=other&")], recipe: "cloudinary-signed",
        message: "piece 1 of 3 (pieces.piece): 401", reply: "Invalid Signature"),
      Refusal(
        testDescription: "an unknown preset", copy: "cloudinary",
        change: [("value = \"hoist\"", "value = \"bad\"")],
        message: "piece 1 of 3 (pieces.piece): 400", reply: "preset"),
    ]

    @Test(
      "what the service would not take fails, and says which request and why", arguments: refusals)
    func refused(_ row: Refusal) async throws {
      let service = try #require(
        Self.services.first { $0.recipe == row.recipe ?? $0.recipe && $0.copy == row.copy })
      let desk = try await Desk(service) { text in
        row.change.reduce(text) { $0.replacing($1.from, with: $1.to) }
      }
      try desk.person.folder.write("a.bin", count: 11_000_001)
      let outcome = try await desk.hoist("push a.bin --json --attempts 1")
      #expect(outcome.status == 1, "\(outcome)")
      let end = try outcome.events().end(of: "a.bin")
      #expect(end.text("message")?.contains(row.message) == true, "\(outcome.output)")
      #expect(outcome.output.contains(row.reply), "\(outcome.output)")
    }
  }

  /// What has become of an upload whose last replies are lost. These copies are not those of the other tests, which
  /// would lose theirs.
  @Suite("The reply to the last request is lost", StrictCopies("pieces.py"))
  struct LostFinishTests {
    @Test(
      "it is asked for again, and if that does not help, nobody can tell",
      arguments: [
        ("azure", 9, false), ("nextcloud", 1, false), ("gcs", 1, true),
        ("cloudinary", 9, false),
      ])
    func lost(_ copy: String, _ times: Int, _ isSent: Bool) async throws {
      let service = try #require(PieceTests.services.first { $0.copy == copy })
      let desk = try await PieceTests.Desk(service)
      let fault =
        "{\"service\": \"\(copy)\", \"kind\": \"drop-reply\", \"of\": \"finish\", \"times\": \(times)}"
      let set = try await desk.person.shell(
        "curl -sSf -d '\(fault)' http://127.0.0.1:\(desk.port)/fault"
      ).end()
      #expect(set.status == 0, "\(set)")
      let name = "lost-\(copy)-\(times).bin"
      try desk.person.folder.write(name, count: 11_000_001, seed: UInt64(times))
      let outcome = try await desk.hoist("push \(name) --json --attempts 3")
      let end = try outcome.events().end(of: name)
      if isSent {
        #expect(outcome.status == 0, "\(outcome)")
      } else {
        #expect(end.text("cause") == "outcome-unknown", "\(outcome)")
      }
      let digest = try await desk.digest(name)
      #expect(try await desk.stored(copy == "cloudinary" ? digest : name) == [digest])
    }
  }
}
