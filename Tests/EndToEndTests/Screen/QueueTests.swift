import Foundation
import TestSupport
import Testing
import UploadModel
import UploadStore

extension EndToEnd {
  @Suite("A queue that outlives the program")
  struct QueueTests {
    let person: Person
    var queue: String { person.folder.path("state/queue.sqlite") }

    init() throws { person = try Person() }

    private func hoist(_ line: String) async throws -> Program.Outcome {
      try await person.shell("export HOIST_QUEUE=\(queue); hoist \(line)").end()
    }

    /// Opens the screen on the queue.
    private func screen(_ options: String) async throws -> Tmux {
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command("HOIST_QUEUE=\(queue) hoist \(options)")
      return terminal
    }

    @Test("What is left when the person quits goes on the next time, without saying where again")
    func goingOn() async throws {
      let inbox = try await person.receiver()
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 400_000) }
      let terminal = try await screen("a.bin b.bin --to \(inbox.url) --limit 5kB/s")
      try await terminal.wait(for: "sending")
      try await terminal.press("q")
      try await terminal.wait(for: "Quit?")
      try await terminal.press("s")
      try await terminal.wait(for: "2 files left in the queue for the next hoist")
      try await inbox.isEmpty()

      let list = try await hoist("queue list --json")
      #expect(list.output.components(separatedBy: "\"state\":\"waiting\"").count == 3)
      try await terminal.command("cd /; clear; HOIST_QUEUE=\(queue) hoist")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names == ["a.bin", "b.bin"])
      let history = try await hoist("history --csv")
      let outcomes = history.output.split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",", omittingEmptySubsequences: false)[4] }
      #expect(outcomes.sorted() == ["done", "done", "stopped", "stopped"])
    }

    @Test("commands take the numbers of any number of files")
    func manyNumbers() async throws {
      for number in 1...100 { try person.folder.write("\(number).txt", [1]) }
      let away = "http://127.0.0.1:\(try HostileServer.closedPort())/"
      _ = try await hoist("add *.txt --to \(away)")
      let retried = try await hoist("queue retry --queue \(queue) $(seq 100)")
      #expect(retried.errors.contains("· "), "\(retried)")
      #expect(retried.errors.contains("has not failed (waiting)"), "\(retried)")
      // Nothing stands between the command and the numbers.
      let removed = try await hoist("queue remove $(seq 99)")
      #expect(removed.errors == "99 files removed\n", "\(removed)")
      #expect(try UploadStore(path: queue).items().map(\.id.rawValue) == [100])
    }

    @Test("what is paused goes on without a screen, and without the limit that was set on one")
    func withoutScreen() async throws {
      let inbox = try await person.receiver()
      try person.folder.write("a.bin", count: 400_000)
      let added = try await hoist("add a.bin --to \(inbox.url)")
      #expect(added.status == 0, "\(added)")
      let store = try UploadStore(path: queue)
      try store.setRateLimit(5_000)
      try store.pause(try store.items().map(\.id))

      let all = try await hoist("queue retry")
      #expect(all.errors == "0 files queued again\n", "\(all)")
      let one = try await hoist("queue retry 1")
      #expect(one.errors == "1 file queued again\n", "\(one)")
      let sent = try await hoist("send --limit off")
      #expect(sent.status == 0 && !sent.errors.contains("still holds"), "\(sent)")
      #expect(inbox.names == ["a.bin"])
      #expect(try store.rateLimit() == 5_000)
    }

    @Test("What was interrupted says so and starts again; what may have arrived waits for a yes")
    func afterACrash() async throws {
      // It takes everything and never answers.
      let mute = try HostileServer { connection, _ in
        _ = connection.readRequest()
        _ = connection.read(1)
      }
      defer { mute.stop() }
      let inbox = try await person.receiver()
      try person.folder.write("slow.bin", count: 4_000_000)
      try person.folder.write("sent.bin", count: 1000)
      try person.configure(
        "[targets.mute]\nurl = \"\(mute.url())\"\n[targets.inbox]\nurl = \"\(inbox.url)\"\n")
      let added = try await hoist("add sent.bin --to mute")
      #expect(added.status == 0, "\(added.errors)")
      let terminal = try await screen("slow.bin --to inbox --limit 100kB/s")
      try await terminal.wait(for: "awaiting reply")
      try await terminal.wait(until: "the slow one is on its way") {
        $0.row(with: "slow.bin")?.contains("sending") == true
      }
      let process = try #require(SenderLock.holder(queue: queue))
      let alive = try await hoist("queue list")
      #expect(alive.output.contains("  sending") && alive.output.contains("  awaiting reply  "))
      #expect(!alive.errors.contains("no hoist is sending"))
      kill(process, SIGKILL)
      try await terminal.waitForShell()
      // Nobody sends it any more.
      let left = try await hoist("queue list")
      #expect(left.errors.contains("no hoist is sending them"), "\(left)")
      #expect(left.output.contains("  interrupted  ") && !left.output.contains("sending  "))
      let told = try await hoist("queue list --json")
      #expect(told.output.contains(#""state":"interrupted""#), "\(told)")
      try await terminal.command("reset; HOIST_QUEUE=\(queue) hoist --to inbox --limit 100kB/s")
      let again = try await terminal.wait(until: "what had been under way") {
        $0.shows("may have arrived") && $0.shows("1 upload was interrupted")
      }
      #expect(again.row(with: "sent.bin")?.contains("may have arrived") == true)
      #expect(mute.requests.count == 1)

      let retried = try await hoist("queue retry")
      #expect(retried.errors.contains("1 file may have arrived and is left alone"))
      try await terminal.press("u")
      try await terminal.wait(for: "Limit")
      try await terminal.press("C-u", "Enter")
      try await terminal.wait(for: "1 ok")
      #expect(try inbox.bytes("slow.bin") == bytes(person.folder.path("slow.bin")))
      #expect(mute.requests.count == 1)
    }

    @Test("hoist add in another shell appears on the running screen, and so does every other edit")
    func twoShells() async throws {
      let inbox = try await person.receiver()
      for name in ["a.bin", "b.bin", "c.bin"] { try person.folder.write(name, count: 300_000) }
      let terminal = try await screen("a.bin --to \(inbox.url) --limit 5kB/s")
      try await terminal.wait(for: "sending")
      try await terminal.press("-", "-", "-")
      let added = try await hoist("add b.bin c.bin --to \(inbox.url)")
      #expect(added.status == 0 && added.errors.contains("2 files queued"))
      try await terminal.wait(until: "three rows") { $0.shows("Queue 3") && $0.shows("c.bin") }
      let removed = try await hoist("queue remove 2")
      #expect(removed.status == 0)
      try await terminal.wait(until: "b.bin has gone") { $0.shows("Queue 2") && !$0.shows("b.bin") }
      try await terminal.press("u")
      try await terminal.wait(for: "Limit")
      try await terminal.press("C-u", "Enter")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names == ["a.bin", "c.bin"])
    }

    @Test("A queue that is opened through a link shows what others do to it")
    func throughLink() async throws {
      let inbox = try await person.receiver()
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 100) }
      _ = try await hoist("queue list")
      let link = person.folder.path("link.sqlite")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: queue)
      let terminal = try await screen("a.bin --queue \(link) --to \(inbox.url)")
      try await terminal.wait(for: "1 ok")
      let second = try await screen("--to \(inbox.url)")
      try await second.wait(for: "1 ok")
      _ = try await hoist("add b.bin --to \(inbox.url)")
      try await terminal.wait(for: "2 ok")
    }

    @Test("After ^c ^c the summary counts as unknown what the next hoist finds as that")
    func leftAtOnce() async throws {
      // It answers only the first.
      let server = try HostileServer { connection, number in
        _ = connection.readRequest()
        if number == 0 {
          connection.send(
            "HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        }
        _ = connection.read(1)
      }
      defer { server.stop() }
      for name in ["a.bin", "b.bin", "c.bin"] { try person.folder.write(name, count: 1000) }
      let terminal = try await screen(
        "a.bin b.bin c.bin --to \(server.url()) --concurrency 1")
      try await terminal.wait(until: "one sent, and one awaiting its reply") {
        $0.row(with: "b.bin")?.contains("awaiting reply") == true
      }
      try await terminal.press("C-c", "C-c")
      try await terminal.wait(for: "1 of 3 files sent")
      let shell = try await terminal.wait(for: "1 file left in the queue for the next hoist")
      #expect(shell.shows("; 1 unknown; 1 file left in the queue"), "\(shell.text)")
      #expect(shell.row(with: "b.bin: may have arrived") != nil, "\(shell.text)")
      let again = try await screen("--to \(server.url()) --concurrency 1")
      try await again.wait(until: "the same as in the summary") {
        $0.row(with: "b.bin")?.contains("may have arrived") == true && $0.shows("1 unknown")
      }
    }

    @Test("A second hoist shows the queue and adds to it; it sends when the first has gone")
    func twoHoists() async throws {
      let inbox = try await person.receiver()
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 600_000) }
      let first = try await screen("a.bin --to \(inbox.url) --limit 5kB/s")
      try await first.wait(for: "sending")
      let second = try await screen("b.bin --to \(inbox.url)")
      try await second.wait(until: "both files") {
        $0.shows("sends this queue") && $0.shows("a.bin") && $0.shows("b.bin")
      }
      try await first.wait(for: "b.bin")
      #expect(inbox.names.allSatisfy { $0.hasPrefix(".") }, "half-received at most")
      try await first.press("C-c", "C-c")
      try await first.waitForShell()
      // The sender by now, it keeps to the limit until it is lifted.
      try await second.wait(until: "the sender, with the limit") {
        !$0.shows("sends this queue") && $0.shows("limit 5.0 kB/s")
      }
      try await second.press(":")
      try await second.command("limit off")
      try await second.wait(for: "2 ok")
      try await wait(for: "both files alone", otherwise: { "\(inbox.names)" }) {
        inbox.names == ["a.bin", "b.bin"] ? true : nil
      }
    }

    @Test("What the first hoist has sent last is not called unsent by the one that takes over")
    func takingOver() async throws {
      let gate = Gate()
      let server = try SlowServer(gate)
      try person.folder.write("a.bin", count: 20_000_000)
      let first = try await screen("a.bin --to \(server.url)")
      try await first.wait(for: "sending")
      let second = try await screen("--to \(server.url)")
      // Soon it shows how far that is.
      try await second.wait(until: "how far the other one is") { screen in
        screen.row(with: "of 20 MB")?.contains(/[1-9][0-9.]*( kB)? of 20 MB/) == true
      }
      try await first.press("q")
      try await first.wait(for: "Quit?")
      try await first.press("f")
      try await first.wait(until: "no question") { !$0.shows("Quit?") }
      gate.open()
      try await first.wait(for: "1 of 1 file sent")
      try await second.wait(for: "1 ok")
      try await second.press("q")
      try await second.wait(for: "1 of 1 file sent")
    }

    @Test("An edit in a second hoist counts for the first, which sends")
    func editFromAside() async throws {
      let gate = Gate()
      let server = try HostileServer { connection, _ in
        while connection.readRequest() != nil {
          gate.pass()
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 100) }
      let first = try await screen("a.bin b.bin --concurrency 1 --to \(server.url())")
      try await first.wait(for: "awaiting reply")
      let second = try await screen("--to \(server.url())")
      try await second.wait(for: "b.bin")
      // Nothing is edited before the whole queue is read: then the log says so.
      try await second.press("4")
      try await second.wait(for: "2 files in the queue")
      try await second.press("1", "G", "e")
      try await second.wait(for: "Edit b.bin")
      try await second.press("C-u")
      try await second.type("renamed.bin")
      try await second.press("Enter")
      try await first.wait(for: "renamed.bin")
      // Those of the whole queue as well.
      for _ in 1...2 {
        let isStopped = try await first.screen().shows("stopped")
        try await second.press("s")
        for screen in [first, second] {
          try await screen.wait(until: "the other way") { $0.shows("stopped") != isStopped }
        }
      }
      gate.open()
      try await first.wait(for: "2 ok")
      #expect(String(decoding: server.requests[1].body, as: UTF8.self).contains("\"renamed.bin\""))
    }

    @Test("A path that a second hoist corrects is the one that the first sends")
    func pathFromAside() async throws {
      let inbox = try await person.receiver()
      try person.folder.write("old.bin", count: 100)
      _ = try await hoist("add old.bin --to \(inbox.url)")
      try FileManager.default.moveItem(
        atPath: person.folder.path("old.bin"), toPath: person.folder.path("new.bin"))
      let sender = try person.shell("export HOIST_QUEUE=\(queue); exec hoist send --stay")
      let store = try UploadStore(path: queue)
      try await wait(for: "it to be missing", otherwise: { sender.output }) {
        try store.items().first?.state.isFailed == true ? true : nil
      }
      let second = try await screen("--to \(inbox.url)")
      try await second.wait(for: "1 failed")
      // Nothing is edited before the whole queue is read: then the log says so.
      try await second.press("4")
      try await second.wait(for: "1 file in the queue")
      try await second.press("1", "e")
      try await second.wait(for: "Edit old.bin")
      try await second.press("C-u")
      try await second.type(person.folder.path("new.bin"))
      try await second.press("Enter")
      try await second.wait(for: "changed, r sends it")
      try await second.press("r")
      // The sender forgets it as soon as it has arrived.
      try await wait(for: "the file") { inbox.names.count == 1 ? true : nil }
      try await wait(for: "its result") { try store.items().isEmpty ? true : nil }
      #expect(inbox.names.count == 1)
      let history = try await hoist("history")
      #expect(history.output.contains(person.folder.path("new.bin")), "\(history)")
      try await sender.interrupt(SIGTERM)
      _ = try await sender.end()
    }

    @Test("--fresh begins with an empty screen and leaves the queue alone")
    func fresh() async throws {
      let inbox = try await person.receiver()
      try person.folder.write("new.bin", count: 100)
      _ = try await hoist("add old.bin --to \(inbox.url)")
      let terminal = try await screen("new.bin --fresh --to \(inbox.url)")
      let screen = try await terminal.wait(for: "1 ok")
      #expect(screen.shows("Queue 1") && !screen.shows("old.bin"))
      try await terminal.press("q")
      try await terminal.waitForShell()
      let list = try await hoist("queue list")
      #expect(list.output.contains("old.bin") && !list.output.contains("failed 1"))
    }

    @Test("A queue that is named but not there is not made by a command that adds nothing")
    func misspelt() async throws {
      for command in ["queue", "queue stop", "history", "report"] {
        let outcome = try await hoist("\(command) --queue gone/q.sqlite")
        #expect(
          outcome.status == 2 && outcome.errors.contains("gone/q.sqlite: there is no such queue"),
          "\(outcome)")
      }
      #expect(!FileManager.default.fileExists(atPath: person.folder.path("gone")))
      try FileManager.default.createDirectory(
        atPath: person.folder.path("none"), withIntermediateDirectories: true)
      let added = try await hoist("add -r none --to http://127.0.0.1:9/")
      #expect(added.errors.contains("nothing was queued: no files were found"), "\(added)")
      let pushed = try await hoist("push -r none --to http://127.0.0.1:9/")
      #expect(pushed.errors.contains("nothing was sent: no files were found"), "\(pushed)")
    }

    @Test("A file that waits already is mentioned when it is queued again, and left out on request")
    func waiting() async throws {
      try person.folder.write("a.bin", count: 100)
      let add = "add a.bin --to http://127.0.0.1:9/"
      let first = try await hoist(add)
      #expect(first.errors.contains("1 file queued") && !first.errors.contains("already"))
      let second = try await hoist(add)
      #expect(
        second.errors.contains("1 file queued")
          && second.errors.contains("1 of them already waiting"))
      let third = try await hoist("\(add) --skip-sent")
      #expect(
        third.errors.contains("0 files queued")
          && third.errors.contains("1 skipped as already waiting"))
      #expect(try await hoist("queue list --json").output.split(separator: "\n").count == 2)
    }

    @Test("Many files that were sent before are counted, and the first of them named")
    func manySentBefore() async throws {
      let inbox = try await person.receiver("--no-sync")
      let names = (1...1_001).map { "f\($0)" }
      for name in names { try person.folder.write(name, [1]) }
      _ = try await hoist("push -q f* --to \(inbox.url)")
      let told = try await hoist("add f* --to \(inbox.url)")
      let lines = told.errors.split(separator: "\n")
      #expect(lines.count == 22 && lines[20] == "… and 981 more", "\(told)")
      #expect(lines.last?.contains("1,001 files queued") == true, "\(told)")
      #expect(lines.last?.contains(", 1,001 of them sent before") == true, "\(told)")
    }

    @Test("A file that was sent before is mentioned when it is queued, and left out on request")
    func sentBefore() async throws {
      let inbox = try await person.receiver()
      try person.folder.write("a.bin", count: 100)
      let terminal = try await screen("a.bin --to \(inbox.url)")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("q")
      try await terminal.waitForShell()
      let skipped = try await hoist("add a.bin --skip-sent --to \(inbox.url)")
      #expect(skipped.errors.contains("0 files queued") && skipped.errors.contains("1 skipped"))
      let named = try await hoist("add ./inbox/../a.bin --skip-sent --to \(inbox.url)")
      #expect(named.errors.contains("1 skipped"), "\(named)")
      let told = try await hoist("add a.bin --to \(inbox.url)")
      #expect(told.errors.contains("a.bin: sent before, "))
      try person.folder.write("a.bin", count: 101)
      let changed = try await hoist("add a.bin --skip-sent --to \(inbox.url)")
      #expect(changed.errors.contains("1 file queued"))
    }

    @Test(
      "The queue knows what push has sent, and push what the queue has, in whatever folder each was started"
    )
    func sentByEither() async throws {
      let inbox = try await person.receiver()
      try person.folder.write("a.bin", count: 100)
      try person.folder.write("b.bin", count: 100, seed: 2)
      _ = try await hoist("push ./a.bin --to \(inbox.url)")
      let told = try await hoist("add a.bin --to \(inbox.url)")
      #expect(told.errors.contains("a.bin: sent before, "), "\(told)")
      let listed = try await hoist("history")
      #expect(listed.output.contains("  \(person.folder.path("a.bin")) → "), "\(listed)")
      _ = try await hoist("push \(person.folder.path("b.bin")) --to \(inbox.url)")
      let skipped = try await hoist("push b.bin --skip-sent --to \(inbox.url)")
      #expect(skipped.errors.contains("b.bin: skipped, sent before"), "\(skipped)")
      #expect(inbox.names.count == 2)
      // A push that sends them again counts them, and names them only if asked to say more.
      let again = try await hoist("push a.bin b.bin --to \(inbox.url)")
      #expect(
        again.errors.contains(
          "· 2 files were sent before and are sent again; --skip-sent leaves them out"), "\(again)")
      #expect(!again.errors.contains("a.bin: sent before"), "\(again)")
      let verbose = try await hoist("push a.bin -v --to \(inbox.url)")
      #expect(verbose.errors.contains("· a.bin: sent before, "), "\(verbose)")
      #expect(
        verbose.errors.contains(
          "· 1 file was sent before and is sent again; --skip-sent leaves it out"), "\(verbose)")
    }

    @Test("A file that is back after another one was sent from its path is sent again")
    func sentInBetween() async throws {
      let inbox = try await person.receiver()
      func move(_ name: String, _ other: String) throws {
        try FileManager.default.moveItem(
          atPath: person.folder.path(name), toPath: person.folder.path(other))
      }
      func push() async throws -> Int {
        _ = try await hoist("push a.bin --skip-sent --to \(inbox.url)")
        return inbox.names.count
      }
      try person.folder.write("a.bin", count: 100)
      #expect(try await push() == 1)
      #expect(try await push() == 1)
      try move("a.bin", "first.bin")
      try person.folder.write("a.bin", count: 100, seed: 2)
      #expect(try await push() == 2)
      try move("a.bin", "second.bin")
      try move("first.bin", "a.bin")
      #expect(try await push() == 3)
      #expect(try await push() == 3)
    }

    @Test(
      "With --checksum, the content decides what was sent before, whatever the files are called")
    func sentUnderAnotherName() async throws {
      let inbox = try await person.receiver()
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 100) }
      try person.folder.write("other.bin", count: 100, seed: 2)
      let send = "--skip-sent --checksum --to \(inbox.url)"
      let first = try await hoist("push a.bin \(send)")
      #expect(first.status == 0 && inbox.names == ["a.bin"], "\(first)")
      let second = try await hoist("push b.bin other.bin \(send)")
      #expect(second.errors.contains("b.bin: skipped, sent before"), "\(second)")
      #expect(Set(inbox.names) == ["a.bin", "other.bin"])
      let queued = try await hoist("add b.bin --checksum --to \(inbox.url)")
      #expect(queued.errors.contains("b.bin: sent before, "), "\(queued)")
      // Without it, the path decides.
      let third = try await hoist("push b.bin --skip-sent --to \(inbox.url)")
      #expect(third.status == 0 && inbox.names.contains("b.bin"), "\(third)")
    }

    @Test("A file that may have arrived is mentioned, and not left out with those that were sent")
    func mayHaveArrived() async throws {
      let server = try HostileServer { connection, _ in
        guard let request = connection.readRequest() else { return }
        // All of one file has arrived, and no answer follows.
        if String(decoding: request.body, as: UTF8.self).contains("a.bin") { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
      }
      defer { server.stop() }
      let target = server.url().absoluteString
      for name in ["a.bin", "b.bin", "c.bin"] { try person.folder.write(name, count: 100) }
      _ = try await person.run("push", "a.bin", "b.bin", "--to", target)
      let told = try await person.run("add", "a.bin", "b.bin", "c.bin", "--to", target)
      #expect(told.errors.contains("a.bin: may have arrived before, "), "\(told)")
      #expect(
        told.errors.contains("1 of them sent before, 1 of them may have arrived before"), "\(told)")
      _ = try await person.run("queue", "clear", "--all")
      let kept = try await person.run("add", "a.bin", "b.bin", "--skip-sent", "--to", target)
      #expect(kept.errors.contains("a.bin: may have arrived before, "), "\(kept)")
      #expect(kept.errors.contains("1 file queued for "), "\(kept)")
      #expect(kept.errors.contains("1 of them may have arrived before, 1 skipped"), "\(kept)")
      let pushed = try await person.run("push", "a.bin", "b.bin", "--skip-sent", "--to", target)
      #expect(
        pushed.errors.contains("1 file may have arrived before and is sent again"), "\(pushed)")
      #expect(pushed.errors.contains("b.bin: skipped, sent before"), "\(pushed)")
    }

    @Test("Options that may hold secrets are not kept, and the queue says what it needs")
    func options() async throws {
      let inbox = try await person.receiver()
      let token = "s3cr3t-token-of-the-person"
      try person.folder.write("a.bin", count: 400_000)
      let terminal = try await screen(
        "a.bin --to \(inbox.url) --header 'Authorization: Bearer \(token)' --limit 5kB/s")
      try await terminal.wait(for: "sending")
      try await terminal.press("C-c", "C-c")
      try await terminal.waitForShell()
      for name in ["queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm", "queue.sqlite.sender"] {
        let data = FileManager.default.contents(atPath: person.folder.path("state/\(name)"))
        #expect(data?.range(of: Data(token.utf8)) == nil)
      }
      try await terminal.clear()
      try await terminal.command("HOIST_QUEUE=\(queue) hoist")
      try await terminal.wait(until: "the reason") {
        $0.row(with: "a.bin")?.contains("cannot be sent") == true
      }
      try await inbox.isEmpty()
    }

    @Test("A folder appears bit by bit, with what is hidden left out and loops survived")
    func folder() async throws {
      let inbox = try await person.receiver()
      let deep = person.folder.path("photos/2026/november")
      try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
      for number in 0..<2_500 {
        try person.folder.write("photos/2026/november/\(number).txt", Array("\(number)".utf8))
      }
      try person.folder.write("photos/.hidden", [1])
      try person.folder.write("photos/left-out.tmp", [1])
      try FileManager.default.createSymbolicLink(
        atPath: "\(deep)/loop", withDestinationPath: person.folder.path("photos"))
      let terminal = try await screen(
        "photos --to \(inbox.url) --follow-links --exclude '*.tmp' --limit 1kB/s")
      try await terminal.wait(for: "Queue 2,500")
      try await terminal.wait(for: "2,500 files added")
      let screen = try await terminal.screen()
      #expect(!screen.shows("hidden") && !screen.shows("left-out"))
      try await terminal.press("C-c", "C-c")
      try await terminal.waitForShell()
      #expect(try UploadStore(path: queue).items().count == 2_500)
    }

    @Test("A file that the target does not take is refused when it is added, and not sent")
    func preflight() async throws {
      let inbox = try await person.receiver()
      try person.configure(
        """
        [targets.photos]
        url = "\(inbox.url)"
        limits = { max_bytes = "1 kB", refuse_empty = true, types = ["image/*"] }
        """)
      try person.folder.write("empty.png", [])
      try person.folder.write("big.png", count: 2_000)
      try person.folder.write("notes.txt", Array("text".utf8))
      let added = try await hoist("add empty.png big.png notes.txt gone.png --to photos")
      #expect(added.status == 1)
      for line in [
        "empty.png: is empty", "big.png: too large for the target",
        "notes.txt: type not accepted", "gone.png: file is missing", "0 files queued for photos",
      ] {
        #expect(added.errors.contains(line), "\(added.errors)")
      }
      #expect(inbox.names == [])
    }

    // MARK: What can be wrong with the place

    @Test("A full disk stops the sending, loses nothing, and goes on when there is room")
    func fullDisk() async throws {
      let inbox = try await person.receiver()
      for number in 0..<300 { try person.folder.write("\(number).bin", count: 100) }
      _ = try await hoist("queue list")
      // No file may grow beyond this, which is like a full disk.
      let full = try await person.shell(
        "ulimit -f 100; HOIST_QUEUE=\(queue) hoist add *.bin --to \(inbox.url)"
      ).end()
      #expect(full.status == 1)
      #expect(full.errors.contains("the disk"), "\(full.errors)")
      #expect(try UploadStore(path: queue).items().isEmpty, "half of an addition")

      let added = try await hoist("add *.bin --to \(inbox.url)")
      #expect(added.status == 0)
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command(
        "(ulimit -f 300; HOIST_QUEUE=\(queue) hoist --to \(inbox.url))")
      try await terminal.wait(for: "the disk")
      try await terminal.press("C-c", "C-c")
      try await terminal.waitForShell()
      let left = try UploadStore(path: queue).items().count { !$0.state.isDone }
      #expect(left > 0 && left < 300, "\(left) left")

      try await terminal.clear()
      try await terminal.command("HOIST_QUEUE=\(queue) hoist --to \(inbox.url)")
      try await terminal.wait(until: "the end of the rest") {
        !$0.shows("waiting") && !$0.shows("active") && $0.shows(" ok")
      }
      try await terminal.press("q")
      try await terminal.waitForShell()
      let store = try UploadStore(path: queue)
      let doubtful = try store.history().count {
        $0.outcome == .interrupted || $0.outcome == .failed("outcome-unknown")
      }
      let unknown = try store.items().count { $0.state.failure?.code == "outcome-unknown" }
      #expect(inbox.names.count >= 300 - unknown)
      #expect(inbox.names.count <= 300 + doubtful)
    }

    @Test("A queue of another version is refused with what to do, and not touched")
    func foreign() async throws {
      try person.folder.write("a.bin", [1])
      let target = "--to http://127.0.0.1:1/"
      _ = try await hoist("add a.bin \(target)")
      let script = """
        import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 99')
        """
      _ = try Tool.run("python3", ["-c", script, queue])
      let before = try bytes(queue)
      for command in [
        "queue list", "history", "report", "send", "--plain", "add a.bin \(target)",
        "push a.bin \(target)",
      ] {
        let refused = try await hoist("\(command) < /dev/null")
        // A push needs only the history. It sends, and says that nothing is recorded.
        #expect(refused.status == (command.hasPrefix("push") ? 1 : 2), "\(command)")
        for words in ["was written by another version of hoist", "another file with --queue FILE"] {
          #expect(refused.errors.contains(words), "\(command): \(refused)")
        }
        #expect(try bytes(queue) == before, "\(command)")
      }
    }

    @Test("A damaged queue is refused with what to do, and not touched")
    func damaged() async throws {
      try FileManager.default.createDirectory(
        atPath: person.folder.path("state"), withIntermediateDirectories: true)
      let noise = Data(repeating: 0x5A, count: 10_000)
      try noise.write(to: URL(fileURLWithPath: queue))
      let refused = try await hoist("queue list")
      #expect(refused.status == 2)
      #expect(refused.errors.contains("the file is damaged. Nothing was changed."))
      #expect(try bytes(queue) == noise)
    }

    @Test("A folder that may not be written to is named")
    func readOnly() async throws {
      // Tests may run as root, which ignores permissions; a folder inside a file is impossible for all.
      try person.folder.write("state", [])
      let refused = try await hoist("queue list")
      #expect(refused.status == 2)
      #expect(refused.errors.contains(queue))
    }
  }
}
