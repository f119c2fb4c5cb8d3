import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// What messages, summaries and reports advise, apart from the advice about failures.
  @Suite("A person runs the commands, and presses the keys, that messages name")
  struct NamedCommandTests {
    /// Who carries out a command that is named.
    enum Proof {
      /// Only a help text names it, or it remedies nothing.
      case help
      /// A test by this name, in a file below `Tests/EndToEndTests`.
      case test(String, in: String = "Advice/NamedCommandTests")
    }

    /// The commands that the program's messages name.
    static let commands: [String: Proof] = [
      "add": .help, "completions": .help, "ls": .help, "rm": .help, "push -r": .help,
      "push -q": .help, "push --watch": .help, "push --from-file": .help, "receive": .help,
      "receive --port": .help,
      "demo": .test("demo", in: "Screen/ScreenAddingTests"),
      "--plain": .test("withoutScreen"),
      "add -r": .test("folder"),
      "push": .test("standardInput"),
      "push --help": .test("nothingToSend"),
      "push --retry-failed": .test("command", in: "Advice/AdviceTests"),
      "queue list": .test("numbers"),
      "queue retry": .test("checksAgain"),
      "queue start": .test("staysStopped", in: "Sending/SendTests"),
      "send": .test("nobodySends"),
      "target new": .test("new", in: "Program/ConfigCommandTests"),
      "target recipes": .test("recipes"),
      "trust": .test("aPinnedServerTakesUploadsAndAnImpostorDoesNot", in: "Program/TrustTests"),
    ]

    /// A new command in a message fails until it is in the table.
    @Test func everyCommandThatIsNamed() throws {
      let sources = Person.repository.appendingPathComponent("Sources")
      let files = try #require(FileManager.default.enumerator(atPath: sources.path))
      let first = Set(Self.commands.keys.compactMap { $0.split(separator: " ").first })
      var named: Set<String> = []
      for case let file as String in files where file.hasSuffix(".swift") {
        let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
        let parts = text.components(separatedBy: "hoist ")
        for (before, after) in zip(parts, parts.dropFirst()) {
          let line = before[(before.lastIndex(of: "\n") ?? before.startIndex)...]
          guard !line.contains("//") || line.contains("\"") else { continue }
          let words = after.prefix(40).prefix { $0.isASCII && ($0.isLetter || "- ".contains($0)) }
            .split(separator: " ", maxSplits: 2)
          guard let word = words.first, first.contains(word) else { continue }
          // "push -" sends standard input.
          let next = words.dropFirst().first.map { $0 == "-" ? "" : String($0) } ?? ""
          let isPart = next.hasPrefix("-") || ["queue", "target"].contains(word)
          named.insert(isPart && !next.isEmpty ? "\(word) \(next)" : String(word))
        }
      }
      #expect(named == Set(Self.commands.keys))
      for case .test(let name, let file) in Self.commands.values {
        let path = Person.repository.appendingPathComponent("Tests/EndToEndTests/\(file).swift")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(text.contains("func \(name)("), "\(name) in \(file)")
      }
    }

    private let person: Person
    private let server: AdviceServer

    init() throws {
      person = try Person()
      server = try AdviceServer { request, isMended in
        request.path == "/u" || isMended ? .take : .reply("422 No")
      }
      try person.configure("[targets.t]\nurl = \"\(server.address)/u\"\n")
      try person.folder.write("a", [1])
    }

    private var sent: [[UInt8]] { server.copies.map(\.bytes) }

    @Test("hoist add of a folder: add -r, and nothing else stays in the queue")
    func folder() async throws {
      _ = try await person.shell("mkdir -p d empty; echo 1 > d/a").end()
      let added = try await person.run("add", "d", "a", "--to", "t")
      #expect(added.status == 1 && added.errors.contains("1 file queued"), "\(added)")
      #expect(added.errors.contains("hoist add -r adds the files in a folder"), "\(added)")
      let again = try await person.run("add", "-r", "d", "empty", "--to", "t")
      #expect(
        again.errors.contains("1 file queued for t; no files were found in empty"), "\(again)")
      let all = try await person.hoist("send").end()
      #expect(all.status == 0 && sent.count == 2, "\(all)")
    }

    @Test("hoist add of a file that is not there yet: queue retry")
    func checksAgain() async throws {
      let added = try await person.run("add", "b", "--to", "t")
      #expect(added.errors.contains("hoist queue retry checks again"), "\(added)")
      try person.folder.write("b", [2])
      let again = try await person.run("queue", "retry")
      #expect(again.errors.contains("1 file queued again"), "\(again)")
      let all = try await person.hoist("send").end()
      #expect(all.status == 0 && sent == [[2]], "\(all)")
    }

    @Test("hoist add of standard input: push, with the name that it asks for")
    func standardInput() async throws {
      let added = try await person.run(["add", "-", "--to", "t"], input: [3])
      #expect(added.status == 2 && added.errors.contains("send it with hoist push"), "\(added)")
      let unnamed = try await person.run(["push", "-", "--to", "t"], input: [3])
      #expect(unnamed.status == 2 && unnamed.errors.contains("add --name NAME"), "\(unnamed)")
      let pushed = try await person.run(["push", "-", "--to", "t", "--name", "x"], input: [3])
      #expect(pushed.status == 0 && sent == [[3]], "\(pushed)")
    }

    @Test("what was sent before: --skip-sent")
    func sentBefore() async throws {
      for options in [[], [], ["--skip-sent"]] {
        let pushed = try await person.run(["push", "a", "--to", "t"] + options)
        #expect(pushed.status == 0, "\(pushed)")
        #expect(
          pushed.errors.contains("--skip-sent leaves it out")
            == (sent.count == 2 && options.isEmpty))
      }
      #expect(sent.count == 2)
    }

    @Test("a queue that nobody sends: hoist send")
    func nobodySends() async throws {
      _ = try await person.run("add", "a", "--to", "t")
      let followed = try await person.run("queue", "list", "--follow")
      #expect(followed.status == 1 && followed.errors.contains("Start hoist send"), "\(followed)")
      let all = try await person.hoist("send").end()
      #expect(all.status == 0 && sent == [[1]], "\(all)")
    }

    @Test("a number that nothing has: queue list shows them")
    func numbers() async throws {
      _ = try await person.run("add", "a", "--to", "t")
      let wrong = try await person.run("queue", "remove", "7")
      #expect(wrong.status == 2 && wrong.errors.contains("hoist queue list shows"), "\(wrong)")
      let list = try await person.run("queue", "list")
      let number = try #require(list.output.firstMatch(of: /#(\d+)/), "\(list)").1
      let removed = try await person.run("queue", "remove", String(number))
      #expect(removed.errors == "1 file removed\n", "\(removed)")
    }

    @Test("a push of nothing: push --help")
    func nothingToSend() async throws {
      let nothing = try await person.run("push", "--to", "t")
      #expect(nothing.status == 2 && nothing.errors.contains("hoist push --help"), "\(nothing)")
      let help = try await person.run("push", "--help")
      #expect(help.output.contains("--from-file") && help.output.contains("--watch"), "\(help)")
    }

    @Test("no targets yet: target new, and the services of target recipes")
    func recipes() async throws {
      try person.configure("")
      let targets = try await person.run("targets")
      #expect(targets.errors.contains("hoist target new makes one"), "\(targets)")
      let recipes = try await person.run("target", "recipes")
      #expect(recipes.status == 0 && recipes.output.contains("nextcloud"), "\(recipes)")
    }

    @Test("a terminal without a screen: hoist --plain")
    func withoutScreen() async throws {
      let terminal = try await person.terminal()
      try await terminal.command("TERM=nonsense hoist --to t; echo $?")
      try await terminal.wait(for: "hoist --plain prints lines instead")
      let plain = try await person.shell("echo 'add a' | TERM=nonsense hoist --plain --to t").end()
      #expect(plain.status == 0 && sent == [[1]], "\(plain)")
    }

    /// The usual configuration may have another target of the same name.
    @Test("a configuration and a history of one's own are in the command that sends again")
    func otherConfiguration() async throws {
      let own = "[targets.t]\nurl = \"\(server.address)/own\"\n"
      try person.folder.write("it's mine.toml", Array(own.utf8))
      let failed = try await person.run(
        "push", "a", "--to", "t", "--config", "it's mine.toml", "--queue", "q", "--report", "r.json"
      )
      #expect(failed.status == 1, "\(failed)")
      let command = try #require(failed.errors.firstMatch(of: /hoist push --retry-failed.*/)).output
      server.mend()
      let again = try await person.shell(String(command)).end()
      #expect(again.status == 0, "\(again)")
      #expect(server.lines == ["POST /own", "POST /own"] && sent == [[1]])
      let history = try await person.run("history", "--queue", "q")
      #expect(history.output.split(separator: "\n").count == 2, "\(history)")
    }

    @Test("a queue of one's own is in the command that starts it, and no other is started")
    func otherQueue() async throws {
      _ = try await person.run("add", "a", "--to", "t", "--queue", "q")
      _ = try await person.run("add", "a", "--to", "t")
      _ = try await person.run("queue", "stop")
      let stopped = try await person.run("queue", "stop", "--queue", "q")
      let held = try await person.hoist("send", "--queue", "q").end()
      for words in [stopped.errors, held.errors] {
        let command = try #require(words.firstMatch(of: /"hoist (.*?)"/), "\(words)").1
        #expect(command == "queue start --queue q")
        _ = try await person.run(command.split(separator: " ").map(String.init))
      }
      let all = try await person.hoist("send", "--queue", "q").end()
      #expect(all.status == 0 && sent == [[1]], "\(all)")
      let usual = try await person.run("queue")
      #expect(usual.errors.contains("\"hoist queue start\" resumes it"), "\(usual)")
    }

    @Test("a secret that others can read: chmod 600, or [secrets]", arguments: [true, false])
    func readableSecret(_ closes: Bool) async throws {
      let server = try AdviceServer(
        AdviceServer.failing("401 No", unless: { $0.headers["authorization"] == "Bearer hunter2" }))
      let url = "url = \"\(server.address)/u\""
      try person.configure("[targets.t]\n\(url)\nauth = { bearer = \"hunter2\" }\n")
      let path = "\(person.home.path)/.config/hoist/config.toml"
      chmod(path, 0o644)
      let warned = try await person.run("config", "check")
      let advice = "chmod 600 it, or keep the secret elsewhere with [secrets]"
      #expect(warned.status == 0 && warned.errors.contains(advice), "\(warned)")
      if closes {
        chmod(path, 0o600)
      } else {
        try person.folder.write("word", Array("hunter2\n".utf8))
        try person.configure(
          "[targets.t]\n\(url)\nauth = { bearer = \"{secret.word}\" }\n[secrets]\n"
            + "word = { file = \"\(person.folder.path("word"))\" }\n")
        chmod(person.folder.path("word"), 0o600)
        chmod(path, 0o644)
      }
      let good = try await person.run("config", "check")
      #expect(good.status == 0 && !good.errors.contains("holds a secret"), "\(good)")
      let pushed = try await person.run("push", "a", "--to", "t")
      #expect(pushed.status == 0 && server.copies.map(\.bytes) == [[1]], "\(pushed)")
    }

    @Test("a rule that takes an empty reply for a good one: what a good reply has")
    func goodReply() async throws {
      let server = try AdviceServer(AdviceServer.failing("200 OK"))
      func configure(_ more: String) throws {
        let rules = "{ pointer = \"/error\", is = \"quota\" }\(more)"
        try person.configure(
          "[targets.t]\nurl = \"\(server.address)/u\"\nresponse = { fail_when = [\(rules)] }\n")
      }
      try configure("")
      let warned = try await person.run("config", "check")
      #expect(
        (warned.errors + warned.output).contains("as { pointer = \"/id\", missing = true }"),
        "\(warned)")
      try configure(", { pointer = \"/id\", missing = true }")
      let good = try await person.run("config", "check")
      #expect(good.status == 0 && !(good.errors + good.output).contains("good reply"), "\(good)")
      let pushed = try await person.run("push", "a", "--to", "t")
      #expect(pushed.status == 1, "an empty reply counts as no reply: \(pushed)")
    }

    @Test("a key with a pass phrase: openssl pkey")
    func passPhrase() async throws {
      let made = try await person.shell(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -passout pass:x -keyout KEY -out c.pem "
          + "-days 2 -subj /CN=me 2> said"
      ).end()
      #expect(made.status == 0, "\(made)")
      func configure(_ key: String) throws {
        let files =
          "client_cert = \"\(person.folder.path("c.pem"))\", client_key = \"\(person.folder.path(key))\""
        try person.configure("[targets.t]\nurl = \"https://h/u\"\ntls = { \(files) }\n")
      }
      try configure("KEY")
      let refused = try await person.run("config", "check")
      let command = try #require(
        refused.errors.firstMatch(of: /openssl pkey -in KEY -out NEW/), "\(refused)"
      ).output
      let done = try await person.shell("umask 022; \(command) -passin pass:x").end()
      #expect(done.status == 0, "\(done)")
      var status = stat()
      #expect(stat(person.folder.path("NEW"), &status) == 0 && status.st_mode & 0o077 == 0)
      try configure("NEW")
      let good = try await person.run("config", "check")
      #expect(good.status == 0, "\(good)")
    }

    @Test("credentials that the server takes again: c")
    func loggedIn() async throws {
      let server = try AdviceServer(
        AdviceServer.failing("401 No", unless: { $0.headers["authorization"] == "Bearer new" }))
      try person.configure(
        "[targets.t]\nurl = \"\(server.address)/u\"\nauth = { bearer_command = [\"cat\", \"word\"] }\n"
      )
      try person.folder.write("word", Array("old".utf8))
      let terminal = try await person.terminal()
      try await terminal.command("hoist a --to t")
      try await terminal.wait(for: "1 failed")
      try person.folder.write("word", Array("new".utf8))
      try await terminal.press("5")
      try await terminal.wait(for: "Targets 1")
      try await terminal.press("c")
      try await terminal.wait(for: "1 ok")
      // The question that the key asks has no body.
      #expect(server.copies.map(\.bytes).filter { !$0.isEmpty } == [[1]])
    }

    @Test("a run whose last request was refused: R on the screen")
    func run() async throws {
      try person.configure(
        """
        [targets.t]
        url = "\(server.address)/u"
        close = { url = "\(server.address)/close" }
        """)
      _ = try await person.run("add", "a", "--to", "t")
      let open = try await person.hoist("send").end()
      #expect(open.status == 1, "\(open)")
      #expect((open.errors + open.output).contains("R on the screen tries again"), "\(open)")
      server.mend()
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to t")
      try await terminal.wait(for: "Queue")
      try await terminal.press("R")
      try await wait(for: "the last request", otherwise: { "\(server.lines)" }) {
        server.lines == ["POST /u", "POST /close", "POST /close"] ? true : nil
      }
    }

    @Test(
      "a run that is left open since a file failed: queue retry, or queue remove",
      arguments: ["retry", "remove"])
    func keptRun(_ way: String) async throws {
      let server = try AdviceServer { request, isMended in
        let isBad = String(decoding: request.body, as: UTF8.self).contains("filename=\"b\"")
        return isBad && !isMended ? .reply("400 No") : .take
      }
      try person.configure(
        "[targets.t]\nurl = \"\(server.address)/u\"\nconcurrency = 1\nclose = { url = \"\(server.address)/close\" }\n"
      )
      try person.folder.write("b", [2])
      _ = try await person.run("add", "a", "b", "--to", "t")
      let open = try await person.hoist("send").end()
      #expect((open.errors + open.output).contains("retry or remove the failed files"), "\(open)")
      server.mend()
      let done = try await person.run(["queue", way, "2"])
      #expect(done.status == 0, "\(done)")
      let closed = try await person.hoist("send").end()
      #expect(closed.status == 0, "\(closed)")
      let middle = way == "retry" ? ["POST /u"] : []
      #expect(server.lines == ["POST /u", "POST /u"] + middle + ["POST /close"], "\(closed)")
    }
  }
}
