import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// The recipes for endpoints elsewhere, as they are but for the address, against strict copies of them.
  @Suite("The recipes work for endpoints elsewhere", StrictCopies("endpoints.py"))
  struct EndpointTests {
    /// A recipe, whose server it is, and the address that it gives a file.
    struct Case: Sendable, CustomTestStringConvertible {
      let recipe: String
      let origin: String
      let path: String
      let secret: String?
      let url: String?
      /// What the variable of the secret is set to, if it is not just the secret.
      var value = "s3cret"
      var file = "photo.png"
      /// What the copy keeps it under, if not under its name.
      var kept: String?
      /// A part of the reply to a wrong secret.
      var refusal = "credentials"
      var testDescription: String { recipe }
    }

    static let cases: [Case] = [
      Case(
        recipe: "0x0", origin: "https://0x0.st", path: "0x0", secret: nil,
        url: "https://0x0.st/Xy1z.png"),
      Case(
        recipe: "transfer-sh", origin: "https://transfer.sh", path: "transfer", secret: nil,
        url: "https://transfer.sh/k3Yx/photo.png"),
      Case(
        recipe: "nextcloud", origin: "https://cloud.example", path: "nextcloud",
        secret: "NEXTCLOUD_PASSWORD", url: nil),
      Case(
        recipe: "gitea-release", origin: "https://gitea.example", path: "gitea",
        secret: "GITEA_TOKEN",
        url: "https://gitea.example/me/tool/releases/download/v1.0/photo.png"),
      Case(
        recipe: "gitlab-package", origin: "https://gitlab.com", path: "gitlab",
        secret: "GITLAB_TOKEN", url: "https://gitlab.example/files/photo.png"),
      Case(
        recipe: "gitlab-upload", origin: "https://gitlab.com", path: "gitlab",
        secret: "GITLAB_TOKEN", url: "/-/project/42/uploads/66dbcd21/photo.png"),
      Case(
        recipe: "jira", origin: "https://jira.example", path: "jira", secret: "JIRA_TOKEN",
        url: "https://jira.example/attachment/content/100"),
      Case(
        recipe: "wordpress", origin: "https://blog.example", path: "wordpress",
        secret: "WORDPRESS_PASSWORD", url: "https://blog.example/wp-content/uploads/9"),
      Case(
        recipe: "cloudinary", origin: "https://api.cloudinary.com", path: "cloudinary",
        secret: nil, url: "https://res.cloudinary.com/demo/image/upload/photo.png"),
      Case(
        recipe: "slack", origin: "https://slack.com", path: "slack", secret: "SLACK_TOKEN",
        url: nil, refusal: "invalid_auth"),
      Case(
        recipe: "imgur", origin: "https://api.imgur.com", path: "imgur", secret: "IMGUR_CLIENT",
        url: "https://i.imgur.com/orunSTu.png"),
      Case(
        recipe: "immich", origin: "https://photos.example", path: "immich", secret: "IMMICH_KEY",
        url: "/immich/photos/3fe388e4-2078-44d7-b36c-39d9dee3a657"),
      Case(
        recipe: "immich-album", origin: "https://photos.example", path: "immich",
        secret: "IMMICH_KEY", url: "/immich/photos/3fe388e4-2078-44d7-b36c-39d9dee3a657"),
      Case(
        recipe: "mattermost", origin: "https://chat.example", path: "mattermost",
        secret: "MATTERMOST_TOKEN", url: nil, refusal: "Invalid or expired session"),
      Case(
        recipe: "matrix", origin: "https://matrix.example", path: "matrix", secret: "MATRIX_TOKEN",
        url: "mxc://matrix.example/AQwafuaFswefuhsfAFAgsw", refusal: "M_UNKNOWN_TOKEN"),
      Case(
        recipe: "catbox", origin: "https://catbox.moe", path: "catbox", secret: nil,
        url: "https://files.catbox.moe/abc123.png"),
      Case(
        recipe: "litterbox", origin: "https://litterbox.catbox.moe", path: "litterbox", secret: nil,
        url: "https://litter.catbox.moe/xyz987.png"),
      Case(
        recipe: "pixeldrain", origin: "https://pixeldrain.com", path: "pixeldrain",
        secret: "PIXELDRAIN_KEY", url: "/pixeldrain/u/k3YxAb9Z"),
      Case(
        recipe: "gofile", origin: "https://upload.gofile.io", path: "gofile",
        secret: "GOFILE_TOKEN", url: "https://gofile.io/d/Z19n9a", refusal: "error-token"),
      Case(
        recipe: "internet-archive", origin: "https://s3.us.archive.org", path: "internet-archive",
        secret: "IA_S3_KEYS", url: nil, value: "me:s3cret"),
      Case(
        recipe: "artifactory", origin: "https://artifactory.example", path: "artifactory",
        secret: "ARTIFACTORY_TOKEN",
        url: "https://artifactory.example/artifactory/libs-local/tool/photo.png"),
      Case(
        recipe: "nexus", origin: "https://nexus.example", path: "nexus", secret: "NEXUS_PASSWORD",
        url: nil, refusal: ""),
      Case(
        recipe: "pypi", origin: "https://upload.pypi.org", path: "pypi", secret: "PYPI_TOKEN",
        url: nil, file: "tool-1.0.0.tar.gz", refusal: "authentication information"),
      Case(
        recipe: "telegram", origin: "https://api.telegram.org", path: "telegram",
        secret: "TELEGRAM_TOKEN", url: nil, value: "7:s3cret", refusal: "Unauthorized"),
      Case(
        recipe: "discord", origin: "https://discord.com", path: "discord", secret: "DISCORD_TOKEN",
        url: "https://cdn.discordapp.com/attachments/1/0/photo.png",
        refusal: "Invalid Webhook Token"),
      Case(
        recipe: "mastodon", origin: "https://mastodon.example", path: "mastodon",
        secret: "MASTODON_TOKEN", url: "https://files.mastodon.example/photo.png",
        refusal: "access token is invalid"),
      // 202: there is no address until it is processed.
      Case(
        recipe: "mastodon", origin: "https://mastodon.example", path: "mastodon",
        secret: "MASTODON_TOKEN", url: "https://files.mastodon.example/film.mp4", file: "film.mp4",
        refusal: "access token is invalid"),
      Case(
        recipe: "paperless", origin: "https://paperless.example", path: "paperless",
        secret: "PAPERLESS_TOKEN",
        url: "/paperless/documents/12",
        refusal: "Invalid token"),
      Case(
        recipe: "paperless", origin: "https://paperless.example", path: "paperless3",
        secret: "PAPERLESS_TOKEN", url: "/paperless3/documents/12", refusal: "Invalid token"),
      Case(
        recipe: "github-release", origin: "https://api.github.com", path: "github",
        secret: "GITHUB_TOKEN",
        url: "https://github.com/octocat/Hello-World/releases/download/v1.0.0/photo.png"),
      Case(
        recipe: "git-lfs", origin: "https://git.example", path: "git-lfs", secret: "LFS_PASSWORD",
        url: nil, kept: "object"),
      Case(
        recipe: "zenodo", origin: "https://zenodo.org", path: "zenodo", secret: "ZENODO_TOKEN",
        url: nil),
    ]

    /// A person with a recipe that leads to the copies, behind a port of their own.
    struct Desk {
      let person: Person
      let base: String

      init() throws {
        (person, base) = (try Person(), "http://127.0.0.1:\(try Self.port())")
      }

      /// Opens a port with copies of its own, or with the same ones as another port.
      private static func port(_ query: String = "") throws -> String {
        let copies = try RawClient(port: try #require(StrictCopies.port))
        try copies.send(
          "POST /port\(query) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        return try copies.readReply().text
      }

      func take(_ row: Case, _ edit: (String) -> String = { $0 }) throws {
        var edit = edit
        if row.recipe == "github-release" {
          // The API and the files are at two hosts.
          let first = try #require(URL(string: base)?.port)
          let second = try Self.port("?beside=\(first)")
          let change = edit
          edit = { change($0.replacing("uploads.github.com", with: "127.0.0.1:\(second)")) }
        }
        let source = Person.repository.appendingPathComponent("config/recipes/\(row.recipe).toml")
        let text = try String(contentsOf: source, encoding: .utf8)
          .replacing(row.origin, with: "\(base)/\(row.path)")
          .replacing("every = \"2s\"", with: "every = \"100ms\"")
        try person.folder.write("recipe.toml", Array(edit(text).utf8))
      }

      /// Sends the file of a case in one attempt, within this process.
      func push(_ row: Case, secret: String) async throws -> Program.Outcome {
        try await person.run(
          ["push", row.file, "--json", "--attempts", "1", "--config", "recipe.toml"],
          variables: row.secret.map { [$0: secret] } ?? [:])
      }

      /// What the copies have under this name.
      func kept(_ name: String) throws -> [UInt8] {
        let port = try #require(URL(string: base)?.port)
        let client = try RawClient(port: port)
        try client.send("GET /kept/\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let reply = try client.readReply()
        try #require(reply.status == 200, "nothing is called \(name)")
        return reply.body
      }

      /// Runs a line of shell in which `$R` stands for the recipe.
      func shell(_ line: String, secret: String?) async throws -> Program.Outcome {
        let set = secret.map { "export \($0)=s3cret; " } ?? ""
        return try await person.shell("\(set)R='--config recipe.toml'; \(line)").end()
      }
    }

    @Test("an upload is taken by the strict copy, byte for byte", arguments: cases)
    func uploads(_ row: Case) async throws {
      let desk = try Desk()
      try desk.take(row)
      let content = try desk.person.folder.write(row.file, count: 70_000)
      let outcome = try await desk.push(row, secret: row.value)
      #expect(outcome.status == 0, "\(outcome)")
      let end = try outcome.events().end(of: row.file)
      let url = end.text("url")
      // What these services say when they take a file must not look like a no.
      #expect(end.text("doubtful") == nil)
      #expect(
        row.url.map { url == $0 || url == desk.base + $0 } ?? (url == nil),
        "\(url ?? "none") for \(row.url ?? "none")")
      #expect(try desk.kept(row.kept ?? row.file) == Array(bytes(content)))
      #expect(!(outcome.output + outcome.errors).contains("s3cret"))
    }

    @Test(
      "what makes a file visible is sent after it",
      arguments: [
        ("mattermost", #""file_ids": ["6tq7iyk4cbbzdjpmpguze6s7sw"]"#),
        ("matrix", #""url": "mxc://matrix.example/AQwafuaFswefuhsfAFAgsw""#),
      ])
    func posts(_ recipe: String, _ said: String) async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == recipe })
      try desk.take(row)
      try desk.person.folder.write("photo.png", count: 100)
      let pushed = try await desk.push(row, secret: row.value)
      #expect(pushed.status == 0, "\(pushed)")
      #expect(String(decoding: try desk.kept("post"), as: UTF8.self).contains(said))
    }

    @Test(
      "what is no success fails, whatever its status",
      arguments: [
        ("litterbox", "24h", "No expire time"), ("catbox", "fileupload", "No request type"),
        ("gofile", "2d3c5f5e", "error-folderNotFound"),
        ("artifactory", "{file.sha256}", "Checksum error"),
        ("telegram", "-1001234567890", "chat not found"),
      ])
    func failures(_ recipe: String, _ value: String, _ reply: String) async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == recipe })
      try desk.take(row) { $0.replacing(value, with: "x") }
      try desk.person.folder.write("photo.png", count: 100)
      let pushed = try await desk.push(row, secret: row.value)
      #expect(pushed.status == 1, "\(pushed)")
      #expect(pushed.output.contains(reply), "\(pushed)")
    }

    @Test(
      "what a server has accepted and then cannot use fails, with what it said",
      arguments: [
        ("mastodon", "broken.mp4", "http-422", "could not be processed"),
        ("paperless", "broken.pdf", "rejected", "Not consuming broken.pdf"),
        ("paperless3", "broken.pdf", "rejected", "Not consuming broken.pdf"),
      ])
    func acceptedButFailed(_ path: String, _ file: String, _ code: String, _ said: String)
      async throws
    {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.path == path })
      try desk.take(row)
      try desk.person.folder.write(file, count: 100)
      let pushed = try await desk.shell("hoist push \(file) --json $R", secret: row.secret)
      #expect(pushed.status == 1, "\(pushed)")
      let events = try pushed.events()
      #expect(events.contains { $0.text("event") == "processing" }, "\(pushed)")
      let end = try events.end(of: file)
      #expect(end.text("cause") == code, "\(pushed)")
      #expect(end.text("reply")?.contains(said) == true, "\(pushed)")
    }

    @Test(
      "what paperless calls a duplicate is there already", arguments: ["paperless", "paperless3"])
    func duplicate(_ path: String) async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.path == path })
      try desk.take(row)
      try desk.person.folder.write("same.pdf", count: 100)
      let pushed = try await desk.shell("hoist push same.pdf --json $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
      let end = try pushed.events().end(of: "same.pdf")
      #expect(end.number("there_already") == 1, "\(pushed)")
      #expect(end.text("url")?.hasSuffix("/\(path)/documents/12") == true, "\(pushed)")
    }

    @Test(
      "paperless: a hoist that is killed while the server works goes on asking, and sends nothing again"
    )
    func killedWhileProcessing() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "paperless" })
      try desk.take(row)
      try desk.person.folder.write("photo.png", count: 100)
      func busy(_ word: String) throws -> String {
        let client = try RawClient(port: try #require(URL(string: desk.base)?.port))
        try client.send(
          "POST /busy/\(word) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        return try client.readReply().text
      }
      _ = try busy("yes")
      let killed = try await desk.shell(
        """
        hoist add photo.png --to paperless $R
        hoist send $R & sender=$!
        until hoist queue list --json | grep -q '"state":"processing"'; do sleep 0.05; done
        kill -9 $sender; wait $sender
        hoist queue list --json
        """, secret: row.secret)
      #expect(killed.output.contains(#""state":"processing""#), "\(killed)")
      let before = try busy("no").split(separator: " ")
      let sent = try await desk.shell("hoist send $R", secret: row.secret)
      #expect(sent.status == 0, "\(sent)")
      let after = try busy("no").split(separator: " ")
      #expect(before.first == "1" && after.first == "1", "it was sent again")
      #expect(Int(after[1]) ?? 0 > Int(before[1]) ?? 0, "the server was not asked")
      let history = try await desk.shell("hoist history --json", secret: row.secret)
      #expect(history.output.contains(#""outcome":"done""#), "\(history)")
      #expect(history.output.contains("/paperless/documents/12"), "\(history)")
    }

    @Test("github: a host that the target does not name gets no token")
    func unnamedHost() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "github-release" })
      try desk.take(row) { $0.replacing("send_auth_to", with: "# send_auth_to") }
      try desk.person.folder.write("photo.png", count: 100)
      let pushed = try await desk.push(row, secret: row.value)
      #expect(pushed.status == 1, "\(pushed)")
      #expect(try pushed.events().end(of: "photo.png").text("cause") == "http-401", "\(pushed)")
      let shown = try await desk.shell("hoist push photo.png --dry-run $R", secret: row.secret)
      #expect(shown.output.contains("GET http"), "\(shown)")
    }

    @Test("discord: several files in one message, each with an address of its own")
    func discord() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "discord" })
      try desk.take(row)
      for name in ["a.png", "b.png"] { try desk.person.folder.write(name, count: 100) }
      let pushed = try await desk.shell("hoist push *.png $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
      #expect(pushed.output.contains("/a.png\n") && pushed.output.contains("/b.png\n"))
    }

    @Test("Git LFS: what the server has is not sent again, and what it refuses is reported")
    func lfs() async throws {
      let desk = try Desk()
      try desk.take(try #require(Self.cases.first { $0.recipe == "git-lfs" }))
      try desk.person.folder.write("film.mov", count: 70_000)
      try desk.person.folder.write("large.mov", count: 1_100_000)
      let first = try await desk.shell("hoist push film.mov --json $R", secret: "LFS_PASSWORD")
      #expect(first.status == 0, "\(first)")
      #expect(try first.events().end(of: "film.mov").number("there_already") == nil)
      let second = try await desk.shell("hoist push film.mov --json $R", secret: "LFS_PASSWORD")
      #expect(second.status == 0, "\(second)")
      let end = try second.events().end(of: "film.mov")
      #expect(end.number("there_already") == 1 && end.number("bytes_sent") == 0, "\(second)")
      // Where the reply has an action "verify", it is called once for the upload, and nothing else is.
      #expect(try desk.kept("told") == Array("1".utf8))
      try desk.person.folder.write("small.mov", count: 100)
      let small = try await desk.shell("hoist push small.mov --json $R", secret: "LFS_PASSWORD")
      #expect(small.status == 0, "\(small)")
      #expect(try desk.kept("told") == Array("1".utf8))
      // A file that cannot be confirmed has failed, although it has arrived.
      try desk.person.folder.write("odd.mov", count: 600_000)
      let odd = try await desk.shell("hoist push odd.mov --json $R", secret: "LFS_PASSWORD")
      #expect(odd.status == 1, "\(odd)")
      let message = try odd.events().end(of: "odd.mov").text("message") ?? ""
      #expect(
        message.contains(
          "The server has the file, but the request that confirms the upload (ticket.confirm) failed"
        )
          && message.contains("422"), "\(odd)")
      #expect(try desk.kept("told") == Array("2".utf8))
      // An object with an error has no actions either.
      let refused = try await desk.shell(
        "hoist push large.mov --attempts 1 --json $R", secret: "LFS_PASSWORD")
      #expect(refused.status == 1, "\(refused)")
      #expect(
        try refused.events().end(of: "large.mov").text("message")?.contains("object is too large")
          == true, "\(refused)")
    }

    @Test("a photo takes its sidecar along, in a push, from the queue and in a command of curl's")
    func sidecar() async throws {
      let desk = try Desk()
      try desk.take(try #require(Self.cases.first { $0.recipe == "immich" }))
      func shell(_ line: String) async throws -> Program.Outcome {
        try await desk.shell(line, secret: "IMMICH_KEY")
      }
      func sidecar(_ name: String) throws -> String {
        String(decoding: try desk.kept(name), as: UTF8.self)
      }
      let folder = desk.person.folder
      _ = try await shell("mkdir photos")
      for name in ["a b", "b", "alone"] {
        try folder.write("photos/\(name).png", count: 7_000 + name.utf8.count)
      }
      // Both ways of naming it, the first of which wins, and one that stands alone.
      for name in ["a b.png.xmp", "a b.xmp", "b.xmp", "of nothing.xmp"] {
        try folder.write("photos/\(name)", Array("<\(name)>".utf8))
      }
      let shown = try await shell("hoist push 'photos/a b.png' --dry-run $R")
      #expect(
        shown.output.contains("sidecarData") && shown.output.contains("\"a b.png.xmp\""), "\(shown)"
      )
      #expect(!shown.output.contains("a b.xmp"), "\(shown)")

      let pushed = try await shell("hoist push -r photos $R")
      #expect(pushed.errors.contains("· photos/b.xmp: goes with b.png\n"), "\(pushed)")
      #expect(pushed.errors.contains("3 of 5 files sent"), "\(pushed)")
      #expect(pushed.errors.contains("of nothing.xmp"), "\(pushed)")
      #expect(try sidecar("a%20b.png.xmp") == "<a b.png.xmp>")
      #expect(try sidecar("b.xmp") == "<b.xmp>")

      // It belongs to its file: if it cannot be looked at, the file does not go without it, or with another one.
      try folder.write("d.png", count: 12_000)
      try folder.write("d.xmp", Array("<d>".utf8))
      let broken = try await shell("ln -s nowhere d.png.xmp; hoist push d.* $R")
      #expect(
        broken.status == 1
          && broken.errors.contains("d.png.xmp, which goes with it, cannot be sent"),
        "\(broken)")
      // A folder is no companion whatever its name, and takes none along.
      try folder.write("e.png", count: 13_000)
      try folder.write("e.xmp", Array("<e>".utf8))
      let folders = try await shell("mkdir e.png.xmp g.png; hoist push e.png $R")
      #expect(folders.status == 0, "\(folders)")
      #expect(try sidecar("e.xmp") == "<e>")
      try folder.write("g.png.xmp", Array("<g>".utf8))
      let alone = try await shell("hoist push g.png.xmp $R")
      #expect(alone.status == 1 && alone.errors.contains("type not accepted"), "\(alone)")

      // In a watched folder, nobody knows which of two files comes first.
      let watched = try await shell("hoist push --watch photos $R")
      #expect(
        watched.status == 2 && watched.errors.contains("--watch: the target's \"companions\""),
        "\(watched)")

      try folder.write("new.png", count: 9_000)
      try folder.write("new.xmp", Array("<new>".utf8))
      let added = try await shell("hoist add new.* $R")
      #expect(
        added.errors.contains("1 file queued for immich, 1 file goes with another\n"), "\(added)")
      let sent = try await shell("hoist send $R")
      #expect(sent.status == 0, "\(sent)")
      #expect(try sidecar("new.xmp") == "<new>")

      try folder.write("c.png", count: 10_000)
      try folder.write("c\".xmp", Array("<c>".utf8))
      try folder.write("c\".png", count: 11_000)
      let curl = try await shell("hoist push 'c\".png' --as-curl $R > c.sh && sh c.sh")
      #expect(curl.status == 0 && curl.output.contains("created"), "\(curl)")
      #expect(try sidecar("c%2522.xmp") == "<c>")
    }

    @Test("immich is told the checksum, and keeps one copy of a file that is sent twice")
    func immich() async throws {
      let desk = try Desk()
      try desk.take(try #require(Self.cases.first { $0.recipe == "immich" }))
      try desk.person.folder.write("photo.png", count: 70_000)
      let sums = try await desk.person.shell(
        "openssl dgst -sha1 -binary < photo.png | openssl base64 -A"
      ).end()
      let shown = try await desk.shell("hoist push photo.png --dry-run $R", secret: "IMMICH_KEY")
      #expect(shown.output.contains("x-immich-checksum: \(sums.output)"), "\(shown)")
      let sent = try await desk.shell("hoist push photo.png --json $R", secret: "IMMICH_KEY")
      #expect(sent.status == 0, "\(sent)")
      let first = try sent.events().end(of: "photo.png")
      #expect(try first.reply()["status"] as? String == "created")
      // It is asked first, and nothing is sent a second time.
      let second = try await desk.shell("hoist push photo.png --json $R", secret: "IMMICH_KEY")
      #expect(second.status == 0, "\(second)")
      let end = try second.events().end(of: "photo.png")
      #expect(end.number("there_already") == 1 && end.number("bytes_sent") == 0)
      #expect(end.text("url") == first.text("url"))
      let lines = try await desk.shell("hoist push photo.png $R", secret: "IMMICH_KEY")
      #expect(lines.errors.contains("✓ photo.png: there already\n"), "\(lines)")
      #expect(lines.errors.contains("\nthe file is there already\n"), "\(lines)")
      // Without the question, the server's reply says so.
      let unasked = try await desk.shell(
        "sed -i '/targets.immich.exists/,$d' recipe.toml; hoist push photo.png --json $R",
        secret: "IMMICH_KEY")
      #expect(
        try unasked.events().end(of: "photo.png").number("there_already") == 1, "\(unasked)")
      let history = try await desk.shell("hoist history --json", secret: "IMMICH_KEY")
      #expect(
        history.output.components(separatedBy: "\"outcome\":\"there-already\"").count == 4,
        "\(history)")
      try desk.take(try #require(Self.cases.first { $0.recipe == "immich" }))
      let deleted = try await desk.shell(
        "hoist rm immich 3fe388e4-2078-44d7-b36c-39d9dee3a657 --yes $R", secret: "IMMICH_KEY")
      #expect(deleted.status == 0, "\(deleted)")
      let again = try await desk.shell("hoist push photo.png --json $R", secret: "IMMICH_KEY")
      #expect(try again.events().end(of: "photo.png").reply()["status"] as? String == "created")
    }

    @Test(
      "what they would not take fails, and says why",
      arguments: cases.filter { $0.secret != nil })
    func refusals(_ row: Case) async throws {
      let desk = try Desk()
      try desk.take(row)
      try desk.person.folder.write(row.file, count: 700)
      let outcome = try await desk.push(row, secret: "wrong")
      #expect(outcome.status == 1, "\(outcome)")
      let reply = try outcome.events().end(of: row.file).text("reply") ?? ""
      #expect(row.refusal.isEmpty ? reply.isEmpty : reply.contains(row.refusal), "\(outcome)")
    }

    @Test("nextcloud: what it has stored otherwise than it was sent fails")
    func damaged() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "nextcloud" })
      try desk.take(row)
      try desk.person.folder.write("damaged.png", count: 700)
      let outcome = try await desk.shell("hoist push damaged.png --json $R", secret: row.secret)
      #expect(outcome.status == 1, "\(outcome)")
      let end = try outcome.events().end(of: "damaged.png")
      #expect(end.text("cause") == "rejected", "\(outcome)")
    }

    @Test("nextcloud: a time that it would refuse is left out, and any other is kept")
    func times() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "nextcloud" })
      try desk.take(row)
      for (name, time) in [
        ("undated-1.png", 0), ("undated-2.png", 86_400), ("undated-3.png", -5_000_000_000),
        ("dated.png", 1_700_000_000),
      ] {
        try desk.person.folder.write(name, count: 700)
        let touched = try await desk.person.shell("touch -d @\(time) \(name)").end()
        #expect(touched.status == 0, "\(touched)")
      }
      let pushed = try await desk.shell("hoist push *.png $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
    }

    @Test("jira: names that are hard, several in one request, each with its own address")
    func jira() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "jira" })
      try desk.take(row)
      for name in ["a \"b\".log", "gr\u{fc}n.log"] {
        try desk.person.folder.write(name, count: 100)
      }
      let pushed = try await desk.shell("hoist push *.log $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
      #expect(
        pushed.output.split(separator: "\n").sorted()
          == (100...101).map { "https://jira.example/attachment/content/\($0)" })
      let listed = try await desk.shell("hoist ls $R", secret: row.secret)
      #expect(listed.output == "100\ta.log\n", "\(listed)")
      let removed = try await desk.shell("hoist rm issue 100 --yes $R", secret: row.secret)
      #expect(removed.status == 0, "\(removed)")
    }

    @Test("gitlab and wordpress: pages, columns, times and one record")
    func lists() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "gitlab-package" })
      try desk.take(row)
      let first = try await desk.shell("TZ=UTC hoist ls $R", secret: row.secret)
      #expect(
        first.output
          == "1\ttool\t1.0.1\t2026-11-20 22:15:00\n2\ttool\t1.0.2\t2026-11-20 22:15:00\n",
        "\(first)")
      #expect(first.errors.contains("2 of 5 are listed; --all lists every page"))
      let all = try await desk.shell("hoist ls --all $R", secret: row.secret)
      #expect(all.output.split(separator: "\n").count == 5 && all.errors.isEmpty, "\(all)")
      let one = try await desk.shell("hoist get package 3 $R", secret: row.secret)
      #expect(one.output == "{\"id\":3,\"name\":\"tool\",\"status\":\"default\"}\n", "\(one)")

      let blog = try #require(Self.cases.first { $0.recipe == "wordpress" })
      try desk.take(blog)
      let media = try await desk.shell("hoist ls --all $R", secret: blog.secret)
      #expect(media.output.split(separator: "\n").count == 4, "\(media)")
      #expect(media.output.hasPrefix("1\tPicture 1\n"))
      try desk.person.folder.write("a \"b\".png", count: 100)
      let quoted = try await desk.shell("hoist push 'a \"b\".png' $R", secret: blog.secret)
      #expect(quoted.status == 0, "\(quoted)")
    }

    @Test("a list without an end is not called whole")
    func endlessList() async throws {
      let server = try HostileServer { connection, number in
        var page = 0
        while connection.readRequest() != nil {
          page += 1
          let body = #"{"entries": [{"id": "\#(number).\#(page)"}], "next": "\#(number).\#(page)"}"#
          connection.send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
          )
        }
      }
      defer { server.stop() }
      let person = try Person()
      try person.configure(
        """
        [targets.library]
        url = "\(server.url())"
        [targets.library.server.list]
        url = "\(server.url("/list"))"
        items = "/entries"
        id = "/id"
        next = { pointer = "/next", query = "page" }
        """)
      let all = try await person.run("ls", "library", "--all")
      #expect(all.status == 1, "\(all.errors)")
      #expect(all.errors.contains("more than 1000 pages"), "\(all.errors)")
      #expect(all.output.split(separator: "\n").count == 1000)
    }

    @Test(
      "cloudinary and wordpress: a cursor leads through the list, and a reply's number into a post")
    func repliesInRequests() async throws {
      let desk = try Desk()
      let list = """
        default_target = "library"
        [targets.library]
        url = "\(desk.base)/cloudinary/v1_1/demo/auto/upload"
        auth = { basic = { user = "key", password = "{env.KEY}" } }
        [targets.library.server.list]
        url = "\(desk.base)/cloudinary/v1_1/demo/resources/image?max_results=2"
        items = "/resources"
        id = "/public_id"
        size = "/bytes"
        next = { pointer = "/next_cursor", query = "next_cursor" }
        """
      try desk.person.folder.write("recipe.toml", Array(list.utf8))
      let all = try await desk.shell("hoist ls --all $R", secret: "KEY")
      #expect(all.status == 0 && all.errors.isEmpty, "\(all)")
      #expect(
        all.output.split(separator: "\n").map { $0.prefix(2) } == ["p1", "p2", "p3"], "\(all)")

      let row = try #require(Self.cases.first { $0.recipe == "wordpress" })
      try desk.take(row)
      let post = """

        [targets.blog.server.create]
        url = "\(desk.base)/wordpress/wp-json/wp/v2/posts"
        json = { title = "{file.stem}", featured_media = "{reply:/id}" }
        """
      let recipe = String(
        decoding: try bytes(desk.person.folder.path("recipe.toml")), as: UTF8.self)
      try desk.person.folder.write("recipe.toml", Array((recipe + post).utf8))
      try desk.person.folder.write("photo.png", count: 100)
      let pushed = try await desk.shell("hoist push photo.png $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
      let made = try await desk.shell("curl -sSf \(desk.base)/kept/post", secret: nil)
      #expect(made.output.contains("\"featured_media\": \"9\""), "\(made)")
    }

    @Test("slack: what was told in the first step goes into the third")
    func slack() async throws {
      let desk = try Desk()
      let row = try #require(Self.cases.first { $0.recipe == "slack" })
      try desk.take(row)
      try desk.person.folder.write("a b.png", count: 100)
      let pushed = try await desk.shell("hoist push 'a b.png' $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
      let shared = try await desk.shell("curl -sSf \(desk.base)/kept/shared", secret: nil)
      #expect(shared.output.contains("\"id\": \"F0TEST\""), "\(shared)")
      #expect(shared.output.contains("\"title\": \"a b\""))
    }

    @Test("a fixed type, and a name as JSON in a header field, as Dropbox has them")
    func dropbox() async throws {
      let desk = try Desk()
      let recipe = #"""
        default_target = "box"
        [targets.box]
        url = "\#(desk.base)/dropbox/2/files/upload"
        body = "binary"
        file_type = "application/octet-stream"
        headers = { Dropbox-API-Arg = '{{"path":"/{file.name|json}","mode":"add"}}', Authorization = "Bearer {env.BOX}" }
        response = { url = { pointer = "/path_display", prefix = "https://www.dropbox.com/home" } }
        """#
      try desk.person.folder.write("recipe.toml", Array(recipe.utf8))
      let name = "a \"b\" gr\u{fc}\u{df}e.png"
      let content = try desk.person.folder.write(name, count: 700)
      let pushed = try await desk.shell("hoist push *.png --json $R", secret: "BOX")
      #expect(pushed.status == 0, "\(pushed)")
      #expect(
        try pushed.events().end(of: name).text("url")?.hasPrefix("https://www.dropbox.com/home/a")
          == true)
      let fetched = try await desk.shell(
        "curl -sSf -o fetched '\(desk.base)/kept/a%20%22b%22%20gr%C3%BC%C3%9Fe.png'", secret: nil)
      #expect(fetched.status == 0, "\(fetched)")
      #expect(try bytes(desk.person.folder.path("fetched")) == bytes(content))
      // What would end the quotation marks is refused unless the target says how it is to be written.
      let bare = "sed -i 's/|json//' recipe.toml; hoist push *.png --json $R"
      let refused = try await desk.shell(bare, secret: "BOX")
      #expect(try refused.events().end(of: name).text("cause") == "unsendable", "\(refused)")
    }

    @Test(
      "a ticket in plain text, and header fields and sums for the server that takes the file, as with Azure"
    )
    func azure() async throws {
      let desk = try Desk()
      // The same server by another name is another one: no credentials go there.
      let recipe = """
        default_target = "blob"
        [targets.blob]
        method = "PUT"
        body = "binary"
        headers = { Authorization = "Bearer {env.BLOB}" }
        public_headers = { x-ms-blob-type = "BlockBlob", x-ms-meta-md5 = "{file.md5}" }
        [targets.blob.ticket]
        url = "\(desk.base.replacing("127.0.0.1", with: "localhost"))/azure/sas"
        method = "GET"
        query = { name = "{file.name}" }
        upload_url = { regex = 'http\\S+/azure(/\\S+)', prefix = "\(desk.base)/azure" }
        """
      try desk.person.folder.write("recipe.toml", Array(recipe.utf8))
      let content = try desk.person.folder.write("photo.png", count: 70_000)
      let pushed = try await desk.shell("hoist push photo.png --json $R", secret: "BLOB")
      #expect(pushed.status == 0, "\(pushed)")
      let fetched = try await desk.shell(
        "curl -sSf -o fetched \(desk.base)/kept/photo.png", secret: nil)
      #expect(fetched.status == 0, "\(fetched)")
      #expect(try bytes(desk.person.folder.path("fetched")) == bytes(content))
      let wrong = try await desk.shell(
        "sed -i 's/x-ms-blob-type/x-ms-blob/' recipe.toml; hoist push photo.png --attempts 1 --json $R",
        secret: "BLOB")
      #expect(
        try wrong.events().end(of: "photo.png").text("reply")?.contains("MissingRequiredHeader")
          == true)
    }

    @Test("catch log: id 0, six decimals, a page for people as the answer, and the list tells")
    func catchLog() async throws {
      let desk = try Desk()
      let row = Case(
        recipe: "catch-log", origin: "https://127.0.0.1:8443", path: "fishing",
        secret: "FISHING_TOKEN", url: nil)
      try desk.take(row)
      let content = try desk.person.folder.write("pike.jpg", count: 70_000)
      let wrong = try await desk.shell(
        "FISHING_TOKEN=wrong hoist push pike.jpg --json $R", secret: nil)
      #expect(try wrong.events().end(of: "pike.jpg").text("cause") == "rejected", "\(wrong)")
      let pushed = try await desk.shell("hoist push pike.jpg --json $R", secret: row.secret)
      #expect(pushed.status == 0, "\(pushed)")
      let reply = try pushed.events().end(of: "pike.jpg").text("reply")
      #expect(reply?.contains("Thank you!") == true)
      let fetched = try await desk.shell(
        "curl -sSf -o fetched \(desk.base)/kept/pike.jpg", secret: nil)
      #expect(fetched.status == 0, "\(fetched)")
      #expect(try bytes(desk.person.folder.path("fetched")) == bytes(content))
      let listed = try await desk.shell("hoist ls $R", secret: row.secret)
      #expect(listed.output == "1\tpike\n", "\(listed)")
      let removed = try await desk.shell("hoist rm catches 1 --yes $R", secret: row.secret)
      #expect(removed.status == 0, "\(removed)")
      // What a page for people means for a deletion cannot be told.
      let again = try await desk.shell("hoist rm catches 1 --yes $R", secret: row.secret)
      #expect(
        again.status == 1 && again.errors.contains("whether 1 was deleted is unknown"),
        "\(again)")
    }

    /// The body goes once the challenge is known, and whole.
    @Test(
      "digest: a challenge is answered, and the password never sent", arguments: ["MD5", "SHA-256"])
    func digest(_ algorithm: String) async throws {
      let desk = try Desk()
      let content = try desk.person.folder.write("photo.png", count: 3_000_000)
      let recipe = """
        default_target = "d"
        [targets.d]
        url = "\(desk.base)/digest/upload?algorithm=\(algorithm)"
        auth = { digest = { user = "me", password = "{env.PASSWORD}" } }
        """
      try desk.person.folder.write("recipe.toml", Array(recipe.utf8))
      let outcome = try await desk.shell("hoist push photo.png --json $R", secret: "PASSWORD")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(!(outcome.output + outcome.errors).contains("s3cret"))
      let fetched = try await desk.shell(
        "curl -sSf -o fetched \(desk.base)/kept/photo.png", secret: nil)
      #expect(fetched.status == 0, "\(fetched)")
      #expect(try bytes(desk.person.folder.path("fetched")) == bytes(content))
      let wrong = try await desk.shell(
        "PASSWORD=wrong hoist push photo.png --attempts 1 --json $R", secret: nil)
      #expect(wrong.status == 1)
      #expect(try wrong.events().end(of: "photo.png").text("cause") == "http-401", "\(wrong)")
      let shown = try await desk.shell("hoist push photo.png --as-curl $R", secret: "PASSWORD")
      #expect(
        shown.output.contains("--digest") && shown.output.contains("--user me:\"$PASSWORD\""),
        "\(shown)")
    }
  }
}
