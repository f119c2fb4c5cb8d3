import Foundation
import TestSupport
import Testing
import UploadStore

extension EndToEnd {
  @Suite("What push sends")
  struct PushSelectionTests {
    /// Makes files with their own paths as content.
    private static func make(_ paths: [String], for person: Person) throws {
      for path in paths {
        let folder = (person.folder.path(path) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try person.folder.write(path, Array(path.utf8))
      }
    }

    @Test("-r: the files in a folder, in order, and --exclude and --include choose")
    func folders() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try Self.make(["d/b.jpg", "d/a/c.jpg", "d/a/d.tmp", "d/.hidden", "e.txt"], for: person)
      let all = try await person.run(
        "push", "-r", "d", "e.txt", "--to", inbox.url, "--json", "--concurrency", "1"
      )
      #expect(all.status == 0, "\(all)")
      let ends = try all.events().filter { $0.event == "finished" }.map(\.path)
      #expect(ends == ["d/a/c.jpg", "d/a/d.tmp", "d/b.jpg", "e.txt"])
      #expect(inbox.bytes("c.jpg") == Data("d/a/c.jpg".utf8))

      let some = try await person.run(
        "push", "-r", "d", "--exclude", "*.tmp", "--hidden", "--to", inbox.url, "--json"
      )
      let paths = try some.events().filter { $0.event == "queued" }.map(\.path)
      #expect(paths == ["d/.hidden", "d/a/c.jpg", "d/b.jpg"])

      let without = try await person.run("push", "d", "--to", inbox.url)
      #expect(without.status == 1 && without.errors.contains("-r does"), "\(without)")
    }

    @Test("a folder that may not be read is named and counts as a failure; the rest is sent")
    func unreadable() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try Self.make(["d/open/a", "d/shut/b", "d/z"], for: person)
      let line =
        "chmod 000 d/shut; \(Person.bound) hoist push -r d --to \(inbox.url) --json; echo status $?; "
        + "chmod 755 d/shut"
      let outcome = try await person.shell(line).end()
      #expect(outcome.output.contains("status 1\n"), "\(outcome)")
      let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("{") }
      let failed = lines.filter { $0.contains("\"event\":\"failed\"") }
      #expect(failed.count == 1)
      #expect(failed.first?.contains("\"path\":\"d/shut\"") == true, "\(outcome.output)")
      #expect(failed.first?.contains("Permission denied") == true)
      #expect(inbox.names == ["a", "z"])
    }

    @Test("--from-file: lines, NULs, names that are not UTF-8, a list that is still being written")
    func lists() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try Self.make(["a", "b c", "d\ne"], for: person)
      let outcome = try await person.shell(
        """
        printf x > "$(printf 'n\\377')"
        printf 'a\\n\\nb c\\nn\\377' > list
        hoist push --from-file list --to \(inbox.url) -q || exit 9
        printf 'd\\ne\\0a' | hoist push --from-file - -0 --to \(inbox.url) -q || exit 8
        """
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors == "")
      #expect(inbox.names == ["a", "a (2)", "b c", "d%0Ae", "n\u{FFFD}"])

      // Uploads begin before the list has ended.
      let early = try person.shell(
        "(echo a; until [ -e go ]; do sleep 0.05; done; echo 'b c') | "
          + "hoist push --from-file - --to \(inbox.url) --json")
      try await wait(for: "the first file", otherwise: { early.output }) {
        early.output.contains("finished") ? true : nil
      }
      try person.folder.write("go", [])
      let end = try await early.end()
      #expect(try end.events().last?.number("sent") == 2)
    }

    /// More than all that holds files on their way: the walk, the engine's line, the history's portions.
    private static let manyFiles = Effort.of(900, long: 10_000)

    @Test("thousands of files from a list")
    func many() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      let outcome = try await person.shell(
        """
        mkdir many && cd many && seq \(Self.manyFiles) | split -l 1 -a 4 - f && cd .. && find many -type f > list
        exec hoist push --from-file list --to \(inbox.url) --report r.json --concurrency 8 > urls
        """
      ).end(seconds: 300)
      #expect(outcome.status == 0, "\(outcome.errors.suffix(2000))")
      #expect(outcome.errors.contains("\(Self.manyFiles) of \(Self.manyFiles) files sent"))
      let urls = String(decoding: try bytes(person.folder.path("urls")), as: UTF8.self)
      #expect(urls.split(separator: "\n").count == Self.manyFiles)
      let compared = try await person.shell("diff -r many inbox").end(seconds: 120)
      #expect(compared.status == 0, "\(compared.output.suffix(500))")
    }

    @Test("hundreds of files as arguments")
    func arguments() async throws {
      let person = try Person()
      let files = Self.manyFiles / 4
      let inbox = try await person.receiver("--no-sync")
      let outcome = try await person.shell(
        """
        mkdir many && cd many && seq \(files) | split -l 1 -a 4 - f
        exec hoist push --concurrency 8 * -q --to \(inbox.url) > ../urls
        """
      ).end()
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors.suffix(2000))")
      let compared = try await person.shell("diff -r many inbox").end(seconds: 120)
      #expect(compared.status == 0, "\(compared.output.suffix(500))")
    }

    @Test("standard input is a file with a name, and leaves nothing in the temporary folder")
    func standardInput() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      let path = try person.folder.write("source.bin", count: 3_000_000)
      let outcome = try await person.shell(
        "mkdir t; TMPDIR=$PWD/t; export TMPDIR; "
          + "cat source.bin | hoist push - --name dump.sql --to \(inbox.url) --json; ls -A t"
      ).end()
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.allSatisfy { $0.hasPrefix("{") }, "\(outcome.output)")
      #expect(outcome.output.contains("\"path\":\"-\""))
      #expect(outcome.output.contains("\"type\":\"application/sql\""), "\(outcome.output)")
      #expect(try inbox.bytes("dump.sql") == bytes(path))
    }

    @Test("standard input that finds no room fails with the reason")
    func standardInputWithoutRoom() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("a", [65])
      let outcome = try await person.shell(
        "ulimit -f 100; head -c 1000000 /dev/zero | hoist push a - --name x --to \(inbox.url)"
      ).end()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("cannot store standard input in"), "\(outcome.errors)")
      #expect(outcome.errors.contains("File too large"))
      #expect(inbox.names == ["a"])
    }

    @Test(
      "mistakes are found before anything is sent",
      arguments: [
        (["--from-file", "missing"], "--from-file missing: cannot read the list"),
        (["--from-file", "."], "it is a folder"), (["-"], "add --name NAME"),
        (["a", "--name", "x"], "no file is \"-\""), (["a", "-0"], "--from-file"),
        (["-", "--from-file", "-", "--name", "x"], "read only once"), ([], "nothing to send"),
        (["a", "--exclude", ""], "--exclude"), (["a", "--existing"], "--watch"),
        (["a", "--even-arrived"], "--retry-failed"),
        (["--watch", "missing"], "--watch missing"), (["--watch", "a"], "is not a folder"),
        (["a", "--report", "r.txt"], ".json or .csv"),
        (["a", "--report", "no/r.json"], "No such file or directory"),
        (["--retry-failed", "a"], "is not a report"),
        (["--retry-failed", "missing.json"], "missing.json"),
        (["a", "--timeout", "soon"], "--timeout soon"), (["a", "--bogus"], "hoist push --help"),
        (["a", "--ignore-file", "x/y"], "--ignore-file x/y"),
      ])
    func mistakes(arguments: [String], words: String) async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try person.folder.write("a", [1])
      let outcome = try await person.run(
        ["push"] + arguments + ["--to", server.url().absoluteString]
      )
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("hoist: ") && outcome.errors.contains(words), "\(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
      #expect(outcome.output == "" && server.requests.isEmpty)
    }

    @Test("a mistyped command is not taken for a file, and a file is not taken for a command")
    func verbs() async throws {
      let person = try Person()
      let wrong = try await person.run("pusj", "a.jpg", "--to", "http://127.0.0.1:9/")
      #expect(wrong.status == 2 && wrong.errors.contains("did you mean hoist push?"), "\(wrong)")
      let inner = try await person.run("queue", "lsit")
      for arguments in [["queue", "pause", "3"], ["target", "add", "x"]] {
        let outcome = try await person.run(arguments)
        #expect(outcome.errors.contains("has no command \"\(arguments[1])\"; "), "\(outcome)")
      }
      let words = "hoist: queue has no command \"lsit\"; did you mean hoist queue list?\n"
      #expect(inner.status == 2 && inner.errors == words, "\(inner)")
      let topic = try await person.run("help", "queue", "lsit")
      #expect(topic.status == 2 && topic.errors == words && topic.output.isEmpty, "\(topic)")
      let unknown = try await person.run("help", "foo")
      let told = "hoist: there is no command \"foo\"; see hoist --help\n"
      #expect(unknown.status == 2 && unknown.errors == told, "\(unknown)")
      try person.folder.write("pusj", [1])
      // Without a terminal the screen cannot open; that it wanted to is the point.
      let file = try await person.shell("setsid -w hoist pusj --to http://127.0.0.1:9/").end()
      #expect(file.errors.contains("hoist push uploads without a screen"), "\(file.errors)")
    }

    @Test("--watch sends what is closed after writing or moved in, and no half of it")
    func watching() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try Self.make(["w/old", "w/skip.tmp"], for: person)
      let watch = try person.hoist(
        "push", "--watch", "w", "-r", "--existing", "--exclude", "*.tmp", "--to", inbox.url,
        "--json")
      try await wait(for: "the old file", otherwise: { watch.errors }) {
        inbox.bytes("old") == nil ? nil : true
      }
      let writer = try person.shell(
        """
        exec 3> w/slow; printf begun >&3
        printf moved > other; mv other w/moved
        mkdir -p w/sub/deep; printf deep > w/sub/deep/file; printf x > w/x.tmp
        until [ -e go ]; do sleep 0.05; done
        printf ' and done' >&3; exec 3>&-
        """)
      try await wait(for: "what was moved and what lies deep", otherwise: { watch.output }) {
        inbox.bytes("moved") != nil && inbox.bytes("file") != nil ? true : nil
      }
      #expect(inbox.bytes("slow") == nil)
      try person.folder.write("go", [])
      #expect(try await writer.end().status == 0)
      try await wait(for: "the slow one", otherwise: { watch.output }) {
        inbox.bytes("slow") == nil ? nil : true
      }
      // Written to again, it is sent again.
      #expect(try await person.shell("printf more >> w/moved").end().status == 0)
      // Until push itself knows: stopped before the reply has come, it would rightly doubt.
      try await wait(for: "the changed one", otherwise: { watch.output }) {
        watch.output.components(separatedBy: "\"event\":\"finished\"").count == 6 ? true : nil
      }
      try await watch.interrupt(SIGTERM)
      let outcome = try await watch.end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(inbox.bytes("slow") == Data("begun and done".utf8))
      #expect(inbox.bytes("moved (2)") == Data("movedmore".utf8))
      #expect(inbox.names == ["file", "moved", "moved (2)", "old", "slow"])
      #expect(try outcome.events().last?.number("sent") == 5)
    }

    @Test(
      "--watch: a file that is written anew while its reply is awaited is sent twice, and says so twice"
    )
    func rewrittenWhileAwaited() async throws {
      let person = try Person()
      let gate = Gate()
      let server = try SlowServer(gate)
      try Self.make(["w/f"], for: person)
      let push = try person.hoist(
        "push", "--watch", "w", "--existing", "--to", server.url, "--json", "--report", "all.json",
        "--queue", person.folder.path("queue.sqlite"))
      try await wait(for: "the first", otherwise: { push.errors }) {
        server.visitors == 1 ? true : nil
      }
      try await wait(for: "all of it to be handed over", otherwise: { push.output }) {
        push.output.contains("\"event\":\"sent\"") ? true : nil
      }
      #expect(try await person.shell("echo changed > w/f").end().status == 0)
      try await wait(for: "the second", otherwise: { push.output }) {
        server.mostVisitors == 2 ? true : nil
      }
      gate.open()
      try await wait(for: "both ends", otherwise: { push.output }) {
        push.output.components(separatedBy: "\"event\":\"finished\"").count == 3 ? true : nil
      }
      try await push.interrupt(SIGTERM)
      let outcome = try await push.end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try outcome.events().last?.number("sent") == 2)
      let report = String(decoding: try bytes(person.folder.path("all.json")), as: UTF8.self)
      #expect(report.components(separatedBy: "\"path\"").count == 3, "\(report)")
      let history = try UploadStore(path: person.folder.path("queue.sqlite")).history()
      #expect(history.map(\.outcome) == [.done, .done])
    }

    @Test("--watch: what comes while other inputs are gone through is sent in its turn")
    func watchedMeanwhile() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try Self.make(["w/old"], for: person)
      let push = try person.shell(
        "mkfifo in; (until [ -e go ]; do sleep 0.05; done; echo last) > in & "
          + "exec hoist push - --name x --watch w --to \(inbox.url) --json < in")
      // Standard input is kept in a file without a name; by then the watch has begun.
      try await wait(for: "standard input being read", otherwise: { push.errors }) {
        // Not what it may have inherited from the process that runs the tests.
        Self.openFiles(of: push).contains { $0.hasSuffix(" (deleted)") && !$0.hasPrefix("/dev/") }
          ? true : nil
      }
      try Self.make(["w/one.txt"], for: person)
      try person.folder.write("go", [])
      try await wait(for: "both", otherwise: { push.output }) {
        push.output.components(separatedBy: "\"event\":\"finished\"").count == 3 ? true : nil
      }
      try await push.interrupt(SIGTERM)
      let outcome = try await push.end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(inbox.names == ["one.txt", "x"])
    }

    /// Where the open files of a program lie.
    private static func openFiles(of program: Program) -> [String] {
      let folder = "/proc/\(program.identifier)/fd"
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return files.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
    }

    @Test("a watched folder that goes away ends the watch with an error")
    func watchedFolderGoes() async throws {
      let person = try Person()
      try Self.make(["w/a"], for: person)
      let watch = try person.hoist(
        "push", "--watch", "w", "--existing", "--json", "--attempts", "1", "--to",
        "http://127.0.0.1:9/")
      // It has looked through the folder once it names the file there. A folder that goes before is a mistake.
      try await wait(for: "the watch", otherwise: { watch.errors }) {
        watch.output.contains("queued") ? true : nil
      }
      try FileManager.default.removeItem(atPath: person.folder.path("w"))
      let outcome = try await watch.end()
      #expect(outcome.status == 1)
      let end = try outcome.events().end(of: "--watch")
      #expect(
        end.text("message")?.contains("the watched folder w no longer exists") == true,
        "\(outcome)")
    }
  }
}
