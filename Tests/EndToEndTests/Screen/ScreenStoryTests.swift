import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person works with the screen")
  struct ScreenStoryTests {
    private static func created(at path: String) throws -> HostileServer {
      try HostileServer.answering(
        "HTTP/1.1 201 Created\r\nLocation: \(path)\r\nContent-Length: 11\r\n"
          + "Content-Type: application/json\r\n\r\n{\"id\": [1]}")
    }

    @Test("b shows files; those marked are added, and a folder is entered")
    func browse() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try FileManager.default.createDirectory(
        atPath: person.folder.path("album"), withIntermediateDirectories: true)
      for name in ["album/one.jpg", "album/two.jpg", "album/three.txt", "outside.txt"] {
        try person.folder.write(name, Array(name.utf8))
      }
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("b")
      try await terminal.wait(for: "album/")
      try await terminal.press("/")
      try await terminal.command("alb")
      try await terminal.press("Enter")
      try await terminal.wait(for: "two.jpg")
      try await terminal.press("Space", "G", "Space")
      try await terminal.wait(for: "2/3 marked")
      try await terminal.press("a")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names == ["one.jpg", "two.jpg"])
    }

    @Test("the list tells links and pipes, sorts, counts what is marked, and remembers its folder")
    func browseWell() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try FileManager.default.createDirectory(
        atPath: person.folder.path("sub/deep"), withIntermediateDirectories: true)
      for (name, count) in [("sub/large.bin", 3000), ("sub/small.bin", 10), ("sub/deep/in.bin", 5)]
      {
        try person.folder.write(name, count: count)
      }
      _ = try await person.shell("ln -s small.bin sub/alias.bin; mkfifo sub/pipe").end()
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("b")
      try await terminal.wait(for: "sub/")
      try await terminal.press("/")
      try await terminal.command("sub")
      try await terminal.press("Enter")
      let list = try await terminal.wait(for: "large.bin")
      #expect(list.row(with: "alias.bin")?.contains("link") == true)
      #expect(list.row(with: "pipe")?.contains("no file") == true)
      #expect(list.row(with: "large.bin")?.contains(/3\.0 kB +20\d\d-\d\d-\d\d \d\d:\d\d/) == true)
      try await terminal.press("o", "o")
      let sorted = try await terminal.wait(for: "largest first")
      let order = sorted.rows.compactMap { $0.firstMatch(of: /(deep|large|small)(\/|\.bin)/)?.1 }
      #expect(order == ["deep", "large", "small"])
      // The files first; asked once more, the folders as well.
      try await terminal.press("C-a")
      try await terminal.wait(for: "3/4 marked · 3.0 kB")
      try await terminal.press("C-a")
      try await terminal.wait(for: "4/4 marked")
      try await terminal.press("a")
      try await terminal.wait(for: "4 ok")
      #expect(inbox.names == ["alias.bin", "in.bin", "large.bin", "small.bin"])
      try await terminal.press("b")
      // The queue has a row of that name as well.
      try await terminal.wait(until: "the folder again") { screen in
        screen.rows.contains { $0.contains("alias.bin") && $0.contains("link") }
      }
      try await terminal.press("q", "3")
      try await terminal.wait(for: "History 4")
      try await terminal.press("r")
      try await terminal.wait(for: "Send again?")
      try await terminal.press("r")
      try await terminal.wait(for: "1 file queued")
      try await terminal.press("1")
      try await terminal.wait(for: "5 ok")
    }

    @Test("e changes name and type before a file goes; what arrives has them")
    func edit() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let terminal = try await person.terminal()
      // It is missing, so it fails at once and can be edited.
      try await terminal.command("hoist later.bin --to \(server.url().absoluteString)")
      try await terminal.wait(for: "file is missing")
      try person.folder.write("later.bin", [1, 2, 3])
      try await terminal.press("e")
      try await terminal.wait(for: "Edit later.bin")
      // Its path comes first, since nothing was there. Tab would complete it.
      try await terminal.press("Down", "C-u")
      try await terminal.type("renamed.dat")
      try await terminal.press("Tab", "C-u")
      try await terminal.type("nonsense")
      try await terminal.press("Enter")
      try await terminal.wait(for: "not a media type")
      try await terminal.press("C-u")
      try await terminal.type("application/x-custom")
      try await terminal.press("Enter")
      try await terminal.wait(for: "r sends it again")
      try await terminal.press("r")
      try await terminal.wait(for: "1 ok")
      let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
      #expect(body.contains("filename=\"renamed.dat\""))
      #expect(body.contains("Content-Type: application/x-custom"), "\(body)")
    }

    @Test("T sends first what waits and J later, while another file is being sent")
    func reorder() async throws {
      let gate = Gate()
      let person = try Person()
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          if String(decoding: request.body, as: UTF8.self).contains("\"a.txt\"") { gate.pass() }
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      for name in ["a.txt", "b.txt", "c.txt", "d.txt"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal()
      try await terminal.command(
        "hoist ?.txt --concurrency 1 --to \(server.url().absoluteString)")
      try await terminal.wait(for: "awaiting reply")
      try await terminal.press("G", "T", "j", "j", "J")
      try await terminal.wait(until: "d a c b") { screen in
        let names = screen.rows.compactMap { $0.firstMatch(of: /([a-d])\.txt\s/)?.1 }
        return names.prefix(4) == ["d", "a", "c", "b"]
      }
      gate.open()
      try await terminal.wait(for: "4 ok")
      let order = server.requests.compactMap {
        String(decoding: $0.body, as: UTF8.self).firstMatch(of: /filename="(.)/)?.1
      }
      #expect(order == ["a", "d", "c", "b"])
    }

    @Test("f hides what does not match, / goes to it, Esc shows all again")
    func find() async throws {
      let person = try Person()
      let terminal = try await person.terminal()
      try await terminal.command(
        "hoist alpha.txt beta.txt gamma.log --to http://127.0.0.1:9/ --attempts 1")
      try await terminal.wait(for: "3 failed")
      try await terminal.press("f")
      try await terminal.command(".log")
      try await terminal.wait(until: "one row") {
        $0.shows("1 with \".log\"") && !$0.shows("alpha.txt  ")
      }
      try await terminal.press("Escape")
      // Its name alone is among the last events all the time, and "/" behind Escape would be a key with Alt.
      try await terminal.wait(for: "✗ beta.txt")
      try await terminal.press("/")
      try await terminal.command("bet")
      try await terminal.wait(for: "▌ ✗ beta.txt")
    }

    @Test("y copies the URL that the server named, through the terminal")
    func copy() async throws {
      let person = try Person()
      let server = try Self.created(at: "/files/42")
      defer { server.stop() }
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal()
      try await terminal.set("set-clipboard", to: "on")
      try await terminal.command("hoist a.txt --to \(server.url().absoluteString)")
      try await terminal.wait(for: "/files/42")
      try await terminal.press("y")
      try await terminal.wait(for: "copied: \(server.url("/files/42").absoluteString)")
      try await wait(for: "the clipboard") {
        try? await terminal.clipboard() == server.url("/files/42").absoluteString ? true : nil
      }
      try await terminal.press("Enter")
      // The reply laid out, and the request without what it holds.
      let details = try await terminal.wait(for: "If sent again, the request would be:")
      #expect(details.shows("\"id\": ["))
      #expect(details.shows("POST \(server.url().absoluteString)"))
    }

    @Test("t chooses another target for what is added next")
    func target() async throws {
      let person = try Person()
      let (first, second) = (try await person.receiver(), try Self.created(at: "/x"))
      defer { second.stop() }
      try person.configure(
        """
        default_target = "first"
        [targets.first]
        url = "\(first.url)"
        [targets.second]
        url = "\(second.url().absoluteString)"
        """)
      for name in ["a.txt", "b.txt", "c.txt"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("t")
      try await terminal.wait(for: "Where to send files")
      try await terminal.type("sec")
      try await terminal.press("Enter")
      try await terminal.wait(for: "hoist · second")
      try await terminal.press("a")
      try await terminal.command("b.txt")
      try await terminal.wait(for: "2 ok")
      // The same on the command line.
      try await terminal.press(":")
      try await terminal.command("target first")
      try await terminal.wait(for: "hoist · first")
      try await terminal.press(":")
      try await terminal.command("add c.txt")
      try await terminal.wait(for: "3 ok")
      #expect(first.names == ["a.txt", "c.txt"])
      #expect(second.requests.count == 1)
    }

    @Test("two paths with spaces that are dragged into the window are added")
    func paste() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let one = try person.folder.write("first file.txt", [1])
      let two = try person.folder.write("it's second.txt", [2])
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      let escaped = two.replacing(" ", with: "\\ ").replacing("'", with: "\\'")
      try await terminal.paste("'\(one)' \(escaped)")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names == ["first file.txt", "it's second.txt"])
    }

    @Test("the mouse selects, opens and scrolls")
    func mouse() async throws {
      let person = try Person()
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt b.txt c.txt --to http://127.0.0.1:9/")
      try await terminal.wait(for: "3 failed")
      #expect(try await terminal.ask("#{mouse_any_flag}#{mouse_sgr_flag}") == "11")
      try await terminal.type("\u{1B}[<0;10;6M\u{1B}[<0;10;6m")
      try await terminal.wait(for: "▌ ✗ c.txt")
      try await terminal.type("\u{1B}[<64;10;6M")
      try await terminal.wait(for: "▌ ✗ a.txt")
      try await terminal.type("\u{1B}[<0;10;4M\u{1B}[<0;10;4m")
      try await terminal.wait(for: "Path ")
    }

    @Test(
      "the last line follows the row and can be clicked, as heads of columns can; help is searched")
    func footer() async throws {
      let person = try Person()
      let gate = Gate()
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let body = String(decoding: request.body, as: UTF8.self)
          if body.contains("\"c.txt\"") { gate.pass() }
          connection.send(
            "HTTP/1.1 \(body.contains("\"b.txt\"") ? "422 No" : "201 Created")\r\n"
              + "Location: /1\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer {
        gate.open()
        server.stop()
      }
      for name in ["a.txt", "b.txt", "c.txt", "d.txt"] { try person.folder.write(name, [1]) }
      let script = try person.folder.write("browser", Array("#!/bin/sh\necho $1 > opened\n".utf8))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
      let terminal = try await person.terminal()
      try await terminal.command(
        // In eight colours, whatever the terminal says of itself.
        "COLORTERM= TERM=xterm BROWSER=./browser hoist ?.txt --concurrency 1 "
          + "--to \(server.url().absoluteString)")
      try await terminal.wait(until: "the third to await its reply") {
        $0.row(with: "c.txt")?.contains("awaiting reply") == true
      }
      // The cursor has followed what is being sent.
      try await terminal.press("g")
      try await terminal.wait(until: "what a sent file offers") {
        $0.shows("y copy URL") && !$0.shows("r retry")
      }
      try await terminal.press("O")
      try await wait(for: "the browser") {
        (try? String(contentsOfFile: person.folder.path("opened"), encoding: .utf8)).flatMap {
          $0 == server.url("/1").absoluteString + "\n" ? true : nil
        }
      }
      try await terminal.press("j")
      try await terminal.wait(for: "r retry")
      // In yellow, unlike the others.
      #expect(try await terminal.painting().contains(/\u{1B}\[[0-9;]*33m[^\n]*r retry/))
      try await terminal.press("j", "j")
      try await terminal.wait(for: "p pause")
      try await terminal.click(on: "STATE")
      try await terminal.wait(until: "the failure first") { $0.rows[3].contains("b.txt") }
      try await terminal.click(on: "NAME")
      try await terminal.wait(until: "the names in order") { $0.rows[3].contains("a.txt") }
      try await terminal.click(on: "? help")
      try await terminal.wait(for: "add files by path")
      try await terminal.press("?")
      let help = try await terminal.wait(for: "retry all failed files")
      #expect(
        help.rows.count { $0.contains(/\w {5,}\S.*\S {3,}\w/) } > 5,
        "two columns:\n\(help.text)")
      try await terminal.press("/")
      try await terminal.command("bandwidth")
      try await terminal.wait(until: "what was looked for") {
        $0.shows("limit the bandwidth") && !$0.shows("add files by path")
      }
    }

    @Test(
      "the screen says how the person's command for the end failed",
      arguments: [("exit 3", "(status 3)"), ("kill -9 $$", "(signal 9)")])
    func endCommand(script: String, words: String) async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure("[screen]\non_end = [\"sh\", \"-c\", \"\(script)\"]\n")
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt --to \(inbox.url)")
      try await terminal.wait(for: "on_end: sh failed \(words)")
    }

    @Test("the panes show the history and the log")
    func panes() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt --to \(inbox.url)")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("3")
      let history = try await terminal.wait(for: "History 1")
      #expect(history.shows("201 Created") && history.shows("✓ a.txt"))
      try await terminal.press("4")
      let log = try await terminal.wait(for: "─ Log ─")
      #expect(log.shows("a.txt: 201 Created") && log.shows("1 file added"))
      try await terminal.press("2")
      try await terminal.wait(for: "has no way to list the files")
      try await terminal.press("Tab", "Tab", "Tab", "Tab")
      try await terminal.wait(for: "/a.txt ")
    }

    @Test("while the server is away the screen says when it is tried next; R tries it now")
    func outage() async throws {
      let person = try Person()
      let port = try HostileServer.closedPort()
      try person.configure(
        """
        default_target = "away"
        [targets.away]
        url = "http://127.0.0.1:\(port)/upload"
        concurrency = 1
        retry = { attempts = 9, base = "10m", max = "10m" }
        """)
      for number in 1...6 { try person.folder.write("\(number).txt", [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.txt")
      try await terminal.wait(for: "no server · next try in")
      try await terminal.wait(for: "refused · next try in")
      let server = try HostileServer(port: port) { connection, _ in
        while connection.readRequest() != nil {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      try await terminal.press("R")
      try await terminal.wait(until: "all arrive") {
        $0.shows("6 ok") && !$0.shows("next try in")
      }
    }

    @Test("keys and looks are what the configuration says; a mistake there ends with its place")
    func preferences() async throws {
      let person = try Person()
      try person.configure(
        """
        [screen]
        when_done = "notify"
        mouse = false
        [keys]
        retry-all = "F5"
        quit = ["Q", "^q"]
        [theme]
        base = "dark"
        bad = "bold #ff5500"
        """)
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt --to http://127.0.0.1:9/")
      try await terminal.wait(until: "the keys of one's own") {
        $0.shows("1 failed") && $0.shows("F5 retry all") && $0.shows("Q quit")
      }
      #expect(try await terminal.ask("#{mouse_any_flag}") == "0")
      #expect(try await terminal.painting().contains("38;5;202"))
      try await terminal.press("Q")
      try await terminal.waitForShell()

      for (text, complaint) in [
        ("[keys]\nfly = \"x\"", ":2: keys.fly: there is no such action"),
        ("[keys]\nretry = \"a\"", "keys: a cannot mean both add and retry"),
        ("[keys]\nretry = \"meta-q\"", ":2: keys.retry: \"meta-q\" is not a key"),
        ("[theme]\nbad = \"reddish\"", ":2: theme.bad: \"reddish\" is not a look"),
        ("[theme]\nbase = \"neon\"", ":2: theme.base: no theme is called \"neon\""),
        ("[screen]\nwhen_done = \"sing\"", ":2: screen.when_done: expected \"none\""),
        ("[screen]\nmouse = 1", "screen.mouse: expected true or false"),
        ("[screen]\nmoose = true", "screen.moose: unknown key; did you mean \"mouse\"?"),
      ] {
        try person.configure(text)
        for arguments in [["push", "a.txt"], ["a.txt"]] {
          let outcome = try await person.run(arguments + ["--to", "http://127.0.0.1:9/"])
          #expect(outcome.status == 2)
          #expect(outcome.errors.contains(complaint), "\(outcome.errors)")
        }
      }
    }

    @Test("--ascii keeps to what every terminal has")
    func ascii() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("grüße 漢字.txt", [1])
      let terminal = try await person.terminal()
      try await terminal.command("hoist --ascii gr*.txt --to \(inbox.url)")
      let queue = try await terminal.wait(for: "1 ok")
      #expect(queue.text.utf8.allSatisfy { $0 < 0x80 }, "\(queue.text)")
      for (key, box) in [("Enter", "Sent as  "), ("?", "- Help -"), ("b", "Enter open")] {
        try await terminal.press(key)
        let screen = try await terminal.wait(for: box)
        #expect(screen.text.utf8.allSatisfy { $0 < 0x80 }, "\(screen.text)")
        try await terminal.press("Escape")
        try await terminal.wait(until: "the queue again") { !$0.shows(box) }
      }
      #expect(inbox.names == ["grüße 漢字.txt"])
    }

    @Test("the end of the queue is announced as the configuration asks")
    func notification() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure("[screen]\nwhen_done = \"notify\"\n")
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal()
      let recording = person.folder.path("recording")
      try await terminal.record(to: recording)
      try await terminal.command("hoist a.txt --to \(inbox.url)")
      try await terminal.wait(for: "1 ok")
      try await wait(for: "the notification") {
        String(decoding: try bytes(recording), as: UTF8.self)
          .contains("\u{1B}]777;notify;hoist;1 file sent\u{07}") ? true : nil
      }
    }
  }
}
