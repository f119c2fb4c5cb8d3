import Foundation
import TestSupport
import Testing
import UploadEngine

extension EndToEnd {
  @Suite("What push tells")
  struct PushTellingTests {
    @Test("-q: nothing but the URL, so that it can be piped on")
    func quiet() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("pic.png", [1])
      let outcome = try await person.shell(
        "hoist push pic.png -q --to \(inbox.url) | tr a-z A-Z"
      ).end()
      let base = inbox.url.replacingOccurrences(of: "/upload", with: "")
      #expect(outcome.output == "\(base)/files/pic.png\n".uppercased())
      #expect(outcome.errors == "")
      let failed = try await person.run("push", "pic.png", "gone", "-q", "--to", inbox.url)
      #expect(failed.status == 1)
      #expect(failed.errors.contains("✗ gone: file is missing") && !failed.errors.contains("✓"))
    }

    @Test("the summary says what failed, why, and how to send it again; that then works")
    func retryFailed() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync", "--max-file-bytes", "1 MB")
      try person.folder.write("good", [1])
      for name in ["big 1", "big 2"] { try person.folder.write(name, count: 1_500_000) }
      let first = try await person.run(
        "push", "good", "big 1", "missing", "big 2", "--to", inbox.url, "--report", "r.json"
      )
      #expect(first.status == 1)
      #expect(first.errors.contains("1 of 4 files sent"), "\(first.errors)")
      let said = "The file in part 1 is longer than 1000000 bytes"
      #expect(first.errors.contains("  2 × 413, \(said): big 1, big 2"))
      #expect(first.errors.contains("  1 × file is missing: missing"))
      let hint = "hoist push --retry-failed r.json --to \(inbox.url)"
      #expect(first.errors.contains(hint))
      // The advice is printed once for both.
      #expect(first.errors.components(separatedBy: "Retrying will not help").count == 2)
      // Without a report that can be read again, there is no such command.
      let bare = try await person.run("push", "missing", "--to", inbox.url, "--report", "r.csv")
      #expect(bare.status == 1 && !bare.errors.contains("--retry-failed"), "\(bare)")

      try person.folder.write("missing", [2])
      for name in ["big 1", "big 2"] { try person.folder.write(name, Array(name.utf8)) }
      // As the summary says it, but from another folder.
      let again = try await person.shell(
        "cd / && \(hint.replacingOccurrences(of: "r.json", with: person.folder.path("r.json")))"
      ).end()
      #expect(again.status == 0, "\(again)")
      #expect(again.errors.contains("3 of 3 files sent"))
      #expect(inbox.names == ["big 1", "big 2", "good", "missing"])
    }

    @Test("what may have arrived is sent again only by those who say so")
    func evenArrived() async throws {
      let person = try Person()
      // It takes everything and never answers.
      let mute = try HostileServer { connection, _ in
        _ = connection.readRequest()
        connection.close()
      }
      defer { mute.stop() }
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("a", [1])
      let first = try await person.run(
        "push", "a", "--to", mute.url().absoluteString, "--report", "r.json"
      )
      #expect(first.status == 1 && mute.requests.count == 1, "\(first)")
      #expect(
        first.errors.hasSuffix(
          "again: hoist push --retry-failed r.json --even-arrived --to \(mute.url())\n"), "\(first)"
      )
      // The report takes the place of the one before, and keeps what was left out.
      let cautious = try await person.run(
        "push", "--retry-failed", "r.json", "--to", inbox.url, "--report", "r.json"
      )
      #expect(cautious.status == 1 && cautious.errors.contains("; 1 left out"), "\(cautious)")
      #expect(cautious.errors.contains("1 file may have arrived and is left out"), "\(cautious)")
      #expect(inbox.names == [])
      let bold = try await person.run(
        "push", "--retry-failed", "r.json", "--even-arrived", "--to", inbox.url
      )
      #expect(bold.status == 0, "\(bold)")
      #expect(inbox.names == ["a"])
    }

    @Test("an expired nonce has a limit of its own, which is told")
    func nonces() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let isStale = request.headers["authorization"]?.hasPrefix("Digest ") == true
          connection.send(
            "HTTP/1.1 401 Who\r\nWWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"1\", stale=\(isStale)\r\n"
              + "Content-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      try person.configure(
        """
        [targets.t]
        url = "\(server.url())"
        retry = { base = 0, max = 0 }
        auth = { digest = { user = "me", password = "{env.WORD}" } }
        """)
      try person.folder.write("a", [1])
      let pushed = try await person.run(
        ["push", "a", "--to", "t"], variables: ["WORD": "w"])
      #expect(pushed.errors.contains("attempt 2 of 3 in"), "\(pushed)")
      #expect(pushed.errors.contains("attempt 3 of 3 in"), "\(pushed)")
      #expect(pushed.errors.contains("It was tried 3 times"), "\(pushed)")
    }

    @Test("what failed goes again to where it was to go, whatever the default target is")
    func retriedWhere() async throws {
      let person = try Person()
      let (first, other) = (
        try HostileServer.answering("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
        try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      )
      defer {
        first.stop()
        other.stop()
      }
      try person.configure(
        """
        default_target = "other"
        [targets.other]
        url = "\(other.url())"
        """)
      try person.folder.write("a", [1])
      let url = first.url().absoluteString
      _ = try await person.run("push", "a", "--to", url, "--report", "r.json")
      let again = try await person.run(
        "push", "--retry-failed", "r.json", "--report", "r.json"
      )
      #expect(again.status == 1 && first.requests.count == 2, "\(again)")
      // What a report does not store is asked for.
      _ = try await person.run(
        "push", "a", "--to", "\(url)?key=hunter2", "--report", "q.json"
      )
      let kept = try #require(FileManager.default.contents(atPath: person.folder.path("q.json")))
      #expect(!String(decoding: kept, as: UTF8.self).contains("hunter2"))
      let asked = try await person.run("push", "--retry-failed", "q.json")
      #expect(asked.status == 2, "\(asked)")
      #expect(asked.errors.contains("give --to with its query as before"), "\(asked)")
      #expect(other.requests.isEmpty && first.requests.count == 3)
    }

    @Test("--report: a full disk is a clear error, the old report stays, and so does what was sent")
    func fullDisk() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      for number in 1...20 { try person.folder.write("\(number)", [1]) }
      try person.folder.write("r.csv", Array("old".utf8))
      let outcome = try await person.shell(
        "ulimit -f 1; hoist push $(seq 20) --to \(inbox.url) -q --report r.csv"
      ).end()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("the report was not written"), "\(outcome.errors)")
      #expect(outcome.errors.contains("File too large"))
      #expect(outcome.errors.contains("20 of 20 files were sent anyway"))
      #expect(try bytes(person.folder.path("r.csv")) == Data("old".utf8))
      #expect(inbox.names.count == 20)
      let left = try FileManager.default.contentsOfDirectory(atPath: person.folder.path)
      #expect(!left.contains { $0.hasPrefix(".hoist-") })
    }

    @Test("--fail-fast stops at the first failure")
    func failFast() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("a", count: 9_000_000)
      let outcome = try await person.run(
        "push", "a", "missing", "a", "--to", server.url, "--fail-fast", "--json"
      )
      #expect(outcome.status == 1)
      let summary = try #require(try outcome.events().last)
      #expect(summary.event == "summary" && summary.number("sent") == 0)
      let causes = try outcome.events().filter { $0.event == "failed" }.compactMap {
        $0.text("cause")
      }
      #expect(
        causes.contains("missing") && causes.allSatisfy { ["missing", "cancelled"].contains($0) })
    }

    @Test(
      "what a stop leaves over is in the report, and can be sent again", arguments: [true, false])
    func leftOver(failsFast: Bool) async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      // More than wait in the engine's line.
      let made = try await person.shell(
        "mkdir many && cd many && seq 560 | split -l 1 -a 4 - f; cd ..; head -c 200000 /dev/zero > big"
      ).end()
      #expect(made.status == 0)
      // The seconds that a stop leaves for what is still being found do not pass: a slow machine finds it all, too.
      let (system, (signals, signal)) = (TimeSource.system, AsyncStream.makeStream(of: Int32.self))
      let time = TimeSource(
        now: system.now, date: system.date, random: system.random,
        after: { _, _, _ in TimeSource.Timer {} })
      async let push = person.run(
        // What is missing comes last, when all others have been found and counted.
        ["push", "big", "-r", "many", failsFast ? "missing" : "big", "--to", server.url]
          + ["--report", "r.json"] + (failsFast ? ["--fail-fast"] : []),
        time: time, signals: signals)
      if !failsFast {
        // It begins when no other command of these tests uses the working folder.
        try await wait(for: "an upload", seconds: 300) { server.visitors > 0 ? true : nil }
        signal.yield(SIGINT)
      }
      let outcome = try await push
      #expect(outcome.status == (failsFast ? 1 : 130), "\(outcome)")
      #expect(outcome.errors.contains("0 of 562 files sent"), "\(outcome.errors.suffix(2000))")
      // One line for each of them would bury the rest.
      #expect(outcome.errors.split(separator: "\n").count < 30, "\(outcome.errors.suffix(2000))")
      #expect(outcome.errors.contains(" × cancelled: "))
      // What nobody let end has not failed.
      #expect(outcome.errors.contains(#/; 5\d\d cancelled; /#), "\(outcome.errors.suffix(2000))")
      #expect(!outcome.errors.contains(#/\d\d failed/#), "\(outcome.errors.suffix(2000))")
      #expect(!outcome.errors.contains("not counted"))

      try person.folder.write("missing", [65])
      let again = try await person.run(
        "push", "-q", "--retry-failed", "r.json", "--even-arrived", "--to", inbox.url,
        "--concurrency", "8"
      )
      #expect(again.status == 0, "\(again.errors.suffix(2000))")
      #expect(inbox.names.count == 562)
    }

    @Test("stopped while a list or standard input has not ended, it says that files may be missing")
    func openInputs() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      for name in ["a", "b"] { try person.folder.write(name, count: 9_000_000) }
      let list = try person.shell(
        "mkfifo in; (echo a; echo b; until [ -e go ]; do sleep 0.05; done) > in & "
          + "exec hoist push --from-file - --to \(server.url) --report r.json < in")
      try await wait(for: "both uploads", otherwise: { list.errors }) {
        server.visitors == 2 ? true : nil
      }
      try await list.interrupt(SIGTERM)
      let outcome = try await list.end()
      #expect(outcome.status == 130, "\(outcome)")
      #expect(
        outcome.errors.contains("inputs that were not read to the end are not counted"),
        "\(outcome)")
      let report = String(decoding: try bytes(person.folder.path("r.json")), as: UTF8.self)
      #expect(report.contains("\"is_incomplete\" : true") && report.contains("\"failed\" : 2"))

      // Standard input as a file is one entry, however much of it has come.
      let input = try person.shell(
        "mkfifo in2; (echo x; until [ -e go ]; do sleep 0.05; done) > in2 & "
          + "exec hoist push a - b --name x --to \(server.url) --report r2.json --json < in2")
      try await wait(for: "an upload", otherwise: { input.errors }) {
        server.visitors == 3 ? true : nil
      }
      try await input.interrupt(SIGTERM)
      let events = try await input.end().events()
      try person.folder.write("go", [])
      for path in ["a", "-", "b"] {
        #expect(try events.end(of: path).text("cause") == "cancelled")
      }
      #expect(events.last?.number("failed") == 3 && events.last?.fields["incomplete"] == nil)
    }

    @Test("the history: standard input is \"-\", people read the time here, scripts UTC")
    func history() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("a", [65])
      let outcome = try await person.shell(
        """
        export TZ=Asia/Tokyo; unset LC_ALL
        echo x | hoist push - --name x.txt --to \(inbox.url) -q || exit 9
        hoist history; hoist history --json; hoist push a --to \(inbox.url) -q
        hoist push a -v --to \(inbox.url)
        """
      ).end()
      let lines = outcome.output.split(separator: "\n")
      let row = try #require(lines.first { $0.contains("  201 Created  ") }, "\(outcome)")
      #expect(row.contains("  - → "), "\(row)")
      let json = try #require(lines.first { $0.hasPrefix("{") })
      #expect(json.contains("\"path\":\"-\""), "\(json)")
      let began = try #require(json.firstMatch(of: #/"began":"([^"]+)"/#)?.1)
      let date = try Date(String(began), strategy: .iso8601)
      let there = (date + 9 * 3600).formatted(.iso8601)
      #expect(there.hasPrefix(row.prefix(19).replacing(" ", with: "T")), "\(row) \(json)")
      let before = try #require(
        outcome.errors.firstMatch(of: #/sent before, (\S+) (\S+)/#), "\(outcome)")
      let note = try Date("\(before.1)T\(before.2)+09:00", strategy: .iso8601)
      #expect(abs(note.timeIntervalSinceNow) < 3600, "\(outcome.errors)")
    }

    @Test("as cron starts it: no terminal, no HOME, nothing on standard input")
    func cron() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("a", [1])
      let outcome = try await person.shell(
        "setsid -w env -i PATH=\"$PATH\" hoist push a --to \(inbox.url) <&- 2> err; echo $?; cat err"
      ).end()
      #expect(outcome.output.hasPrefix("http://127.0.0.1:"), "\(outcome)")
      #expect(outcome.output.contains("\n0\n"))
      #expect(outcome.output.contains("✓ a: 201 Created") && !outcome.output.contains("\u{1B}"))
    }

    @Test("--log tells each attempt, with its cause, and no secret, whatever the server says")
    func log() async throws {
      let person = try Person()
      let token = "tok3n-of-mine"
      let reply = "bad token \(token) for you"
      let server = try HostileServer.answering(
        "HTTP/1.1 503 No\r\nRetry-After: 0\r\nContent-Length: \(reply.utf8.count)\r\n\r\n\(reply)")
      try person.configure(
        """
        [targets.desk]
        url = "\(server.url("/in?key=k3y-in-the-url").absoluteString)"
        headers = { Authorization = "Bearer {env.DESK_TOKEN}" }
        fields = [ { name = "api_key", value = "f1eld-secret" } ]
        """)
      try person.folder.write("a b.txt", [65])
      let outcome = try await person.shell(
        "umask 022; DESK_TOKEN=\(token) hoist push 'a b.txt' gone --to desk --attempts 2 -v --log log"
          + " --report r.json; stat -c %a log"
      ).end()
      #expect(outcome.output == "600\n", "\(outcome)")
      let log = String(decoding: try bytes(person.folder.path("log")), as: UTF8.self)
      let lines = log.split(separator: "\n")
      #expect(
        lines.allSatisfy {
          $0.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) /#)
        }, "\(log)")
      let about = lines.filter { $0.contains("path=\"a b.txt\"") }
      #expect(about.contains { $0.contains(" debug started attempt=1 ") }, "\(log)")
      #expect(
        about.contains {
          $0.contains(" warning will be tried again attempt=1 ") && $0.contains("cause=http-503")
            && $0.contains("reply=\"bad token (secret) for you\"") && $0.contains("next=\"2 of 2\"")
        }, "\(log)")
      #expect(about.last?.contains(" error failed attempt=2 ") == true)
      #expect(lines.contains { $0.contains("cause=missing") && $0.contains("path=gone") })
      #expect(lines.last?.contains(" info over ") == true)
      let report = String(decoding: try bytes(person.folder.path("r.json")), as: UTF8.self)
      for secret in [token, "k3y-in-the-url", "f1eld-secret"] {
        #expect(!log.contains(secret) && !report.contains(secret), "\(secret)")
      }
    }

    @Test("a log that cannot be written is an error before, or afterwards")
    func logTrouble() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      for number in 1...20 { try person.folder.write("\(number)", [1]) }
      let before = try await person.run("push", "1", "--to", inbox.url, "--log", "no/log")
      #expect(before.status == 2 && before.errors.contains("--log no/log"), "\(before)")
      let after = try await person.shell(
        "ulimit -f 1; hoist push $(seq 20) --to \(inbox.url) -q --log log"
      ).end()
      #expect(after.status == 1 && after.errors.contains("everything was sent, but"), "\(after)")
      #expect(inbox.names.count == 20)
    }

    @Test("the screen logs too")
    func screenLog() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("a", [1])
      let terminal = try await person.terminal()
      try await terminal.command("hoist a --to \(inbox.url) --log log")
      try await terminal.wait(for: "done 201")
      try await wait(for: "a line") {
        let log = FileManager.default.contents(atPath: person.folder.path("log")) ?? Data()
        return String(decoding: log, as: UTF8.self).contains(" info sent attempt=1 ") ? true : nil
      }
    }

    @Test("SIGINT does not stop a push in a script's background, where shells ignore it")
    func ignoredInterrupt() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("a.bin", count: 9_000_000)
      let push = try person.shell(
        "hoist push a.bin --to \(server.url) --json & echo $! > pid; wait $!")
      try await wait(for: "an upload") { server.visitors == 1 ? true : nil }
      let process = try await wait(for: "its process ID") {
        let written = try? String(contentsOfFile: person.folder.path("pid"), encoding: .utf8)
        return written.flatMap { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
      }
      // SIGTERM is handled from the same moment on as SIGINT would be.
      try await wait(for: "the handlers") { Program.handles(SIGTERM, in: process) ? true : nil }
      #expect(!Program.handles(SIGINT, in: process))
      kill(process, SIGINT)
      gate.open()
      #expect(try await push.end().status == 0)
    }

    @Test("SIGHUP ends in order; under nohup it does not end at all")
    func hangUp() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("a.bin", count: 9_000_000)
      let push = try person.hoist("push", "a.bin", "--to", server.url, "--json")
      try await wait(for: "an upload") { server.visitors == 1 ? true : nil }
      try await push.interrupt(SIGHUP)
      let outcome = try await push.end()
      #expect(outcome.status == 130)
      #expect(try outcome.events().last?.event == "summary")

      let stays = try person.shell("exec nohup hoist push a.bin --to \(server.url) --json")
      try await wait(for: "an upload") { server.visitors == 2 ? true : nil }
      stays.signal(SIGHUP)
      gate.open()
      #expect(try await stays.end().status == 0)
    }

    @Test("bars on a terminal, one for each file and one for all; lines above stay")
    func bars() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      for name in ["one.bin", "two.bin"] { try person.folder.write(name, count: 2_000_000) }
      let terminal = try await person.terminal(columns: 80)
      try await terminal.command("hoist push missing one.bin two.bin --to \(server.url)")
      let screen = try await terminal.wait(until: "bars") {
        $0.shows("1 of 3 files") && $0.shows("✗ missing: file is missing")
          && $0.rows.count { $0.contains(".bin  ") && $0.contains("2.0 MB") } == 2
      }
      #expect(screen.rows.count { $0.contains("of 3 files") } == 1, "\(screen.text)")
      try await terminal.resize(columns: 30, rows: 12)
      try await terminal.wait(until: "narrow bars") {
        $0.rows.allSatisfy { $0.count <= 30 } && $0.shows("1 of 3 files")
      }
      gate.open()
      let end = try await terminal.wait(until: "the summary") { $0.shows("2 of 3 files sent") }
      #expect(!end.shows("of 3 files  "), "\(end.text)")
    }

    @Test(
      "completions are scripts that the shells themselves understand",
      arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
      let person = try Person()
      let check = shell == "fish" ? "fish --no-execute" : "\(shell) -n"
      let outcome = try await person.shell(
        "hoist completions \(shell) > script && \(check) script"
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      let script = String(decoding: try bytes(person.folder.path("script")), as: UTF8.self)
      #expect(script.contains("retry-failed") && script.contains("receive"))
      guard shell == "bash" else { return }
      let completed = try await person.shell(
        "bash -c 'source ./script; COMP_WORDS=(hoist pu); COMP_CWORD=1; COMP_LINE=\"hoist pu\"; "
          + "COMP_POINT=8; COMP_TYPE=9; _hoist hoist pu hoist; echo ${COMPREPLY[@]}'"
      ).end()
      #expect(completed.output == "push\n", "\(completed)")
    }
  }
}
