import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Getting files onto the screen")
  struct ScreenAddingTests {
    @Test(
      "the prompt shows what it would add, keeps what is nothing, and knows braces and several paths"
    )
    func prompt() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      for name in ["a.txt", "b.txt", "c d.txt"] { try person.folder.write(name, count: 1000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Press a to add files")
      try await terminal.press("a")
      try await terminal.wait(for: "in \(person.folder.path)")
      try await terminal.type("*.jpeg")
      try await terminal.wait(for: "nothing matches *.jpeg")
      try await terminal.press("Enter")
      try await terminal.press("C-u")
      try await terminal.type("{a,b}.txt 'c d.txt'")
      try await terminal.wait(for: "3 files, 3.0 kB")
      try await terminal.press("Enter")
      try await terminal.wait(for: "3 ok")
      #expect(inbox.names == ["a.txt", "b.txt", "c d.txt"])
    }

    @Test("what waits already is not queued twice without a word")
    func twice() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", count: 1000)
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("s")
      try await terminal.press("a")
      try await terminal.command("a.txt")
      try await terminal.wait(for: "waiting · stopped, s resumes")
      try await terminal.press("a")
      try await terminal.command("a.txt")
      try await terminal.wait(for: "is in the queue already")
      try await terminal.press("Enter")
      try await terminal.wait(until: "the queue") {
        !$0.shows("Already in the queue") && $0.shows("Queue 1")
      }
      try await terminal.press("a")
      try await terminal.command("a.txt")
      try await terminal.wait(for: "add again")
      try await terminal.press("a")
      try await terminal.wait(until: "the second to be marked") { screen in
        screen.shows("Queue 2") && screen.rows.count { $0.contains("2 a.txt") } == 1
          && screen.rows.contains { $0.contains("waiting · copy 2") }
      }
      try await terminal.press("x")
      try await terminal.wait(until: "the one that is left") {
        $0.shows("Queue 1") && !$0.shows("copy 2")
      }
    }

    @Test("what was sent is not sent again unasked, and the rest of a pattern goes")
    func sentBefore() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      for name in ["a.jpg", "b.jpg"] { try person.folder.write(name, count: 1000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist *.jpg --to \(inbox.url)")
      try await terminal.wait(for: "2 ok")
      try person.folder.write("c.jpg", count: 1000)
      try await terminal.press("a")
      try await terminal.command("*.jpg")
      try await terminal.wait(for: "2 files were sent to this target before")
      try await terminal.press("Enter")
      try await terminal.wait(for: "3 ok")
      #expect(inbox.names == ["a.jpg", "b.jpg", "c.jpg"])
      try await terminal.press("a")
      try await terminal.command("a.jpg")
      try await terminal.wait(for: "was sent to this target before")
      try await terminal.press("a")
      try await terminal.wait(for: "4 ok")
      #expect(inbox.names.count == 4)
    }

    @Test(
      "a window that looks on notes what may have arrived as arrived; all show it, and the local file stays"
    )
    func noted() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in _ = connection.readRequest() }
      defer { server.stop() }
      try person.configure(
        """
        default_target = "nas"
        [targets.nas]
        url = "\(server.url().absoluteString)"
        after = "delete"
        """)
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, count: 1000) }
      let sender = try await person.terminal(columns: 100, rows: 30)
      try await sender.command("hoist a.txt b.txt")
      try await sender.wait(for: "2 unknown")
      let other = try await person.terminal(columns: 100, rows: 30)
      try await other.command("hoist")
      // While the queue is being read, keys change nothing.
      try await other.wait(until: "the queue, read to its end") {
        $0.shows("2 unknown") && $0.shows("3 shows what was sent before")
      }
      try await other.press("g", "r")
      try await other.wait(for: "it has arrived")
      try await other.press("a")
      for terminal in [other, sender] {
        let screen = try await terminal.wait(for: "1 unknown")
        let row = try await terminal.wait(for: "confirmed by hand").row(with: "✓ a.txt")
        #expect(row?.contains("arrived, confirmed by hand") == true, "\(screen.text)")
      }
      #expect(server.requests.count == 2, "nothing is sent again")
      for terminal in [other, sender] {
        try await terminal.press("q")
        try await terminal.waitForShell()
      }
      let history = try await person.run("history", "--json")
      #expect(history.output.contains("\"confirmed\""), "\(history)")
      let shown = try await person.run("history")
      #expect(shown.output.contains("arrived, confirmed by hand"), "\(shown)")
      #expect(FileManager.default.fileExists(atPath: "\(person.folder.path)/a.txt"))
    }

    @Test("nor is what may have arrived, whether it is added anew or taken from the history")
    func mayHaveArrived() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in
        // All of it has arrived, and no answer follows.
        _ = connection.readRequest()
      }
      defer { server.stop() }
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, count: 1000) }
      let terminal = try await person.terminal(columns: 120, rows: 40)
      try await terminal.command("hoist a.txt --to \(server.url())")
      try await terminal.wait(for: "1 unknown")
      try await terminal.press("a")
      try await terminal.command("?.txt")
      try await terminal.wait(for: "may have arrived before")
      // Leaving it out is lit, and the other one goes.
      try await terminal.press("Enter")
      try await terminal.wait(for: "2 unknown")
      #expect(server.requests.count == 2)
      try await terminal.press("3")
      try await terminal.wait(for: "OUTCOME")
      try await terminal.wait(for: "b.txt")
      try await terminal.press("r")
      try await terminal.wait(for: "b.txt may have arrived; check the server.")
      try await terminal.press("Enter", "1")
      try await terminal.wait(for: "2 unknown")
      #expect(server.requests.count == 2)
      try await terminal.press("3", "r")
      try await terminal.wait(for: "Send again?")
      try await terminal.press("r", "1")
      // It is sent again in its row.
      try await wait(for: "a third request") { server.requests.count == 3 ? true : nil }
      // The row may still be as it was before; the log has its third end only afterwards.
      try await terminal.press("4")
      try await terminal.wait(until: "its end") { screen in
        screen.rows.count { $0.contains("may have arrived") } >= 3
      }
      try await terminal.press("q")
      try await terminal.waitForShell()
      // Named on the command line it is asked for as well, though what was sent is to be left out.
      try await terminal.clear()
      try await terminal.command("hoist a.txt --skip-sent --to \(server.url())")
      try await terminal.wait(for: "may have arrived before")
      try await terminal.press("a")
      try await terminal.wait(for: "3 unknown")
      #expect(server.requests.count == 4)
    }

    @Test(
      "nor is what an earlier hoist left, though the queue is still being read when it is named")
    func twiceFromTheStart() async throws {
      let person = try Person()
      let gate = Gate()
      let server = try SlowServer(gate)
      defer { gate.open() }
      try person.folder.write("a.bin", count: 20_000_000)
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.bin --to \(server.url)")
      try await terminal.wait(for: "sending")
      try await terminal.press("q")
      try await terminal.wait(for: "stop and keep the queue")
      try await terminal.press("s")
      try await terminal.wait(for: "1 file left in the queue")
      try await terminal.clear()
      try await terminal.command("hoist a.bin --to \(server.url)")
      try await terminal.wait(for: "is in the queue already")
      try await terminal.press("Escape")
      gate.open()
      let end = try await terminal.wait(for: "1 ok")
      #expect(end.shows("Queue 1"))
    }

    @Test("a target that is made for a file that is edited is not for those that are added later")
    func targetOfAnEdit() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure("default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\n")
      try person.folder.write("b.txt", count: 10)
      let terminal = try await person.terminal(columns: 120, rows: 24)
      try await terminal.command("hoist gone.txt")
      try await terminal.wait(for: "failed: file is missing")
      try await terminal.press("e")
      try await terminal.wait(for: "Edit gone.txt")
      try await terminal.press("BTab")
      try await terminal.type("new")
      try await terminal.wait(for: "new target…")
      try await terminal.press("Enter")
      try await terminal.wait(for: "Form field")
      try await terminal.type(inbox.url)
      try await terminal.press("Tab")
      try await terminal.type("attic")
      try await terminal.press("Enter")
      try await terminal.wait(for: "attic is saved; files added from now on still go to desk")
      try await terminal.press("Enter")
      try await terminal.wait(until: "the edited file at attic") {
        $0.row(with: "gone.txt")?.contains("attic") == true
      }
      try await terminal.press("a")
      try await terminal.command("b.txt")
      let sent = try await terminal.wait(for: "1 ok")
      #expect(sent.row(with: "b.txt")?.contains("desk") == true, "\(sent.text)")
    }

    @Test("a broken link is said to be one, and is not queued twice unasked")
    func brokenLink() async throws {
      let person = try Person()
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command(
        "mkdir links; cd links; ln -s nowhere dangling; hoist --to http://127.0.0.1:9/upload")
      try await terminal.wait(for: "Nothing is queued.")
      try await terminal.press("b")
      try await terminal.wait(for: "broken")
      try await terminal.press("Enter")
      try await terminal.wait(for: "1 broken link cannot be sent")
      try await terminal.wait(for: "Queue 1")
      try await terminal.press("b")
      try await terminal.wait(until: "the list of files") {
        $0.shows("CHANGED") && $0.shows("broken  ")
      }
      try await terminal.press("Enter")
      try await terminal.wait(for: "dangling is in the queue already")
      try await terminal.press("Escape")
      try await terminal.wait(until: "no second row") {
        $0.shows("Queue 1") && !$0.shows("in the queue already")
      }
    }

    @Test(
      "files that are named before there is a target wait, and are not forgotten without a word")
    func filesWithoutTarget() async throws {
      let person = try Person()
      for name in ["a.txt", "b.txt", "c.txt"] { try person.folder.write(name, count: 10) }
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist ?.txt; echo status $?")
      try await terminal.wait(for: "Where should files go?")
      try await terminal.press("Escape")
      let screen = try await terminal.wait(for: "There is no target yet")
      #expect(screen.shows("Waiting for one: a.txt and 2 more."), "\(screen.text)")
      try await terminal.press("q")
      let end = try await terminal.wait(for: "status 1")
      #expect(
        end.says("hoist: a.txt and 2 more: not queued, since there is no target yet"), "\(end.text)"
      )
    }

    @Test("a first start asks where files go, tries it, and writes it down")
    func firstStart() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", count: 1000)
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt")
      try await terminal.wait(for: "Where should files go?")
      try await terminal.type("http://127.0.0.1:9/upload")
      try await terminal.press("Enter")
      try await terminal.wait(for: "no answer from 127.0.0.1")
      // Back to the form, with the address as it was typed.
      try await terminal.press("Escape")
      try await terminal.wait(until: "the form again") { !$0.shows("save it anyway") }
      try await terminal.press("C-u")
      try await terminal.type(inbox.url.replacing("/upload", with: "/uplaod"))
      try await terminal.press("Enter")
      try await terminal.wait(for: "127.0.0.1 answers 404 Not Found there")
      try await terminal.press("Escape")
      try await terminal.wait(until: "the form again") { !$0.shows("save it anyway") }
      try await terminal.press("C-u")
      try await terminal.type(inbox.url)
      try await terminal.press("Tab")
      try await terminal.type("desk")
      try await terminal.press("Enter")
      let saved = try await terminal.wait(for: "1 ok")
      #expect(
        saved.shows("desk is saved as the default target in ~/.config/hoist/config.toml"),
        "\(saved)")
      #expect(inbox.names == ["a.txt"])
      let written = try String(
        contentsOfFile: "\(person.home.path)/.config/hoist/config.toml", encoding: .utf8)
      #expect(written.contains("default_target = \"desk\""))
      // It has noticed that this is hoist's own receiver.
      let base = inbox.url.replacing("/upload", with: "/")
      #expect(written.contains("[targets.desk]\ntype = \"hoist\"\nurl = \"\(base)\""), "\(written)")
      try await terminal.press("q")
      try await terminal.wait(for: "1 of 1 file sent")
      // From now on nobody asks.
      try await terminal.clear()
      try await terminal.command("hoist")
      let screen = try await terminal.wait(for: "Nothing is queued.")
      #expect(screen.shows("They go to desk"))
      try await terminal.press("3")
      try await terminal.wait(for: "201 Created")
      try await terminal.press("r")
      try await terminal.wait(for: "Send again?")
      try await terminal.press("r")
      try await terminal.wait(for: "1 file queued")
      try await terminal.press("1")
      try await terminal.wait(for: "1 ok")

      // Another target is made the same way, and one that was written into the file is there at once.
      let attic = try await person.receiver()
      try await terminal.press("t")
      try await terminal.wait(for: "new target…")
      try await terminal.type(attic.url)
      try await terminal.press("Enter")
      try await terminal.type("attic")
      try await terminal.press("Enter")
      try await terminal.wait(
        for:
          "from now on go to attic; on its next start, hoist uses desk: default_target in ~/.config/hoist"
      )
      try await terminal.press("a")
      try await terminal.command("a.txt")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names.count == 3, "both receivers share a folder")
      try await terminal.wait(until: "a.txt at attic") {
        $0.rows.contains { $0.contains("a.txt") && $0.contains("attic") }
      }
      try person.configure(
        "default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\n"
          + "[targets.shed]\nurl = \"\(attic.url)\"\n")
      try await terminal.press("t")
      try await terminal.wait(until: "the file as it is now") {
        $0.shows("shed  ") && !$0.rows.contains { $0.contains("attic  ") && $0.contains("http:") }
      }
      try await terminal.type("shed")
      try await terminal.press("Enter")
      try await terminal.wait(for: "files added from now on go to shed")
      try await terminal.press("2")
      try await terminal.wait(until: "where to say how") {
        $0.shows("add a table") && $0.shows("~/.config/hoist/config.toml (docs/targets.md)")
      }
      // What is sent once more goes where it went, if that is still there.
      try await terminal.press("3")
      try await terminal.wait(for: "History 2")
      // The cursor has stayed with the other file.
      try await terminal.press("g", "r")
      try await terminal.wait(for: "Send again?")
      try await terminal.press("r")
      try await terminal.wait(for: "a.txt was not queued: there is no target attic any more")
      try await terminal.press("j", "r")
      try await terminal.wait(for: "Send again?")
      try await terminal.press("r")
      try await terminal.wait(for: "1 file queued")
      try await terminal.press("1")
      try await terminal.wait(for: "3 ok")
      try await terminal.wait(until: "a.txt at desk twice") {
        $0.rows.count { $0.contains("a.txt") && $0.contains(" desk   text/plain ") } == 2
      }
      try await terminal.press("q")
      try await terminal.waitForShell()
    }

    @Test("a wide window shows the details beside the queue, and a tall one the throughput")
    func wide() async throws {
      let person = try Person()
      let server = try HostileServer.answering(
        "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\n"
          + "Content-Length: 40\r\n\r\n{\"message\": \"no more than 10 kB a file\"}")
      defer { server.stop() }
      try person.folder.write("big.bin", count: 100_000)
      let terminal = try await person.terminal(columns: 200, rows: 60)
      try await terminal.command("hoist big.bin --to \(server.url().absoluteString)")
      let screen = try await terminal.wait(until: "the whole screen") {
        $0.shows("1 failed") && $0.shows("r retry")
      }
      #expect(
        screen.shows("╮╭─ big.bin ─") && screen.shows("─ Throughput ─") && screen.shows("Just now"))
      #expect(screen.shows("0 B of 100 kB arrived") && screen.shows("no more than 10 kB a file"))
      #expect(screen.rows.last { !$0.isEmpty }?.contains("r retry") == true)
      try await terminal.resize(columns: 80, rows: 24)
      try await terminal.wait(until: "the narrow screen") {
        !$0.shows("Throughput") && $0.shows("Retrying will not help")
      }
    }

    @Test("a folder that is added beside others and has no files is named")
    func emptyFolder() async throws {
      let person = try Person()
      _ = try await person.shell("mkdir d empty; echo 1 > d/a").end()
      let terminal = try await person.terminal()
      try await terminal.command(
        "hoist d empty --to http://127.0.0.1:\(try HostileServer.closedPort())/")
      try await terminal.wait(for: "no files were found in empty")
    }

    @Test("the demo shows a refusal, a retry and an unknown outcome, and says what to try")
    func demo() async throws {
      let person = try Person()
      let terminal = try await person.terminal()
      try await terminal.command("hoist demo --dir demo; echo \"status $?\"")
      try await terminal.wait(
        for: "try: Enter why it failed · r retry · p pause · u limit · a add · ? help")
      try await terminal.wait(for: "no more than 1 MB, please")
      try await terminal.wait(for: "may have arrived")
      try await terminal.press("u", "C-u", "Enter")
      let end = try await terminal.wait(for: "8 ok", seconds: 120)
      #expect(end.shows("1 failed") && end.shows("1 unknown"))
      try await terminal.press("4")
      try await terminal.wait(for: "503 Service Unavailable")
      try await terminal.press("q")
      try await terminal.wait(for: "received files: demo/inbox")
      try await terminal.wait(for: "status 0")
    }
  }
}
