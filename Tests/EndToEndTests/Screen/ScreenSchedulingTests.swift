import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  /// Who is sent when, as far as a person sees it.
  @Suite("The line keeps its promises")
  struct ScreenSchedulingTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    private static func taking(port: Int? = nil) throws -> HostileServer {
      let script: HostileServer.Script = { connection, _ in
        while connection.readRequest() != nil { connection.send(ok) }
      }
      return if let port { try HostileServer(port: port, script) } else {
        try HostileServer(script)
      }
    }

    private func names(_ server: HostileServer) -> [String] {
      server.requests.compactMap { request in
        String(decoding: request.body, as: UTF8.self)
          .firstMatch(of: /filename="([^"]*)"/).map { String($0.1) }
      }
    }

    // MARK: Concurrency

    @Test(
      "a target's concurrency holds for its files however they came",
      arguments: [":target", "add --to", "e", "a restart"])
    func concurrency(way: String) async throws {
      let gate = Gate()
      defer { gate.open() }
      let slow = try SlowServer(gate)
      let fast = try Self.taking()
      defer { fast.stop() }
      let person = try Person()
      try person.configure(
        """
        default_target = "fast"
        [targets.fast]
        url = "\(fast.url().absoluteString)"
        concurrency = 8
        [targets.slow]
        url = "\(slow.url)"
        concurrency = 2
        """)
      for number in 1...6 { try person.folder.write("\(number).bin", count: 150_000) }
      try person.folder.write("last.dat", [1])
      let terminal = try await person.terminal()
      switch way {
      case ":target":
        try await terminal.command("hoist")
        try await terminal.wait(for: "Queue 0")
        try await terminal.press(":")
        try await terminal.command("target slow")
        try await terminal.wait(for: "from now on go to slow")
        try await terminal.press("a")
        try await terminal.command("?.bin")
      case "add --to":
        try await terminal.command("hoist")
        try await terminal.wait(for: "Queue 0")
        let outcome = try await person.shell("hoist add --to slow ?.bin").end()
        #expect(outcome.status == 0, "\(outcome)")
      case "e":
        try await terminal.command("hoist")
        try await terminal.wait(for: "Queue 0")
        try await terminal.press("s")
        try await terminal.wait(for: "stopped")
        try await terminal.press("a")
        try await terminal.command("?.bin")
        try await terminal.wait(for: "6 waiting")
        try await terminal.press("C-a", "e")
        try await terminal.wait(for: "Edit 6 files")
        // After the names, the type and the field.
        try await terminal.press("Tab", "Tab", "Tab", "C-u")
        // Typing lists the targets; the first Enter chooses one, the second saves.
        try await terminal.command("slow")
        try await terminal.wait(for: "▸ slow")
        try await terminal.press("Enter")
        // The form stays until it is known whether the target has the files already.
        try await terminal.wait(until: "the form is gone") { !$0.shows("Edit 6 files") }
        try await terminal.press("s")
      default:
        let outcome = try await person.shell("hoist add --to slow ?.bin").end()
        #expect(outcome.status == 0, "\(outcome)")
        try await terminal.command("hoist")
      }
      try await terminal.wait(for: "Queue 6")
      // It stands behind the others: once it has arrived, all of them have gone that could.
      let last = try await person.shell("hoist add --to fast last.dat").end()
      #expect(last.status == 0, "\(last)")
      try await terminal.wait(for: "1 ok")
      try await wait(for: "two uploads") { slow.visitors >= 2 ? true : nil }
      try await terminal.wait(for: "2 active")
      gate.open()
      try await terminal.wait(for: "7 ok")
      #expect(slow.mostVisitors == 2)
    }

    // MARK: A server that is away

    @Test("nothing fails while a server is away; rows say why, and all go when it is back")
    func away() async throws {
      let person = try Person()
      let port = try HostileServer.closedPort()
      let other = try Self.taking()
      defer { other.stop() }
      try person.configure(
        """
        default_target = "away"
        [targets.away]
        url = "http://127.0.0.1:\(port)/"
        retry = { attempts = 1, base = "500ms", max = "1s" }
        [targets.nobody]
        url = "http://no-such-host.invalid/"
        retry = { attempts = 1, base = "10m", max = "10m" }
        [targets.other]
        url = "\(other.url().absoluteString)"
        """)
      for number in 1...6 { try person.folder.write("\(number).txt", [1]) }
      for name in ["n.dat", "o.dat"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.txt")
      try await terminal.wait(until: "why, in the rows") {
        // Those below wait for the same.
        $0.row(with: "1.txt")?.contains("refused · ") == true && $0.shows("no server · ")
      }
      // Another server's files go meanwhile, and a third's say what is wrong with that one.
      _ = try await person.shell("hoist add --to other o.dat; hoist add --to nobody n.dat").end()
      try await terminal.wait(until: "the others") {
        $0.shows("1 ok") && $0.row(with: "n.dat")?.contains("name not resolved · ") == true
      }
      // Time for more attempts than the target allows. Of those that sent nothing, the history keeps only the last.
      let histories = Mutex<Set<String>>([])
      try await wait(for: "several probes") {
        let history = try await person.run("history", "--json")
        return histories.withLock {
          $0.insert(history.output)
          return $0.count >= 4 ? true : nil
        }
      }
      #expect(try await !terminal.screen().shows("failed"))
      let server = try Self.taking(port: port)
      defer { server.stop() }
      try await terminal.wait(for: "7 ok")
      #expect(try await !terminal.screen().shows("failed"))
      // The probe was the first in line.
      #expect(names(server).first == "1.txt" && names(server).count == 6)

      // With its last file the trouble is gone from the header.
      try await terminal.wait(for: "cannot reach no-such-host.invalid · next try in")
      try await terminal.press("G", "x")
      try await terminal.wait(until: "a header without a promise") { !$0.shows("next try") }
    }

    @Test("the last file that is taken out takes the promise of a next try along")
    func lastFile() async throws {
      let gate = Gate()
      defer { gate.open() }
      let slow = try SlowServer(gate)
      let person = try Person()
      try person.configure(
        """
        default_target = "away"
        [targets.away]
        url = "http://127.0.0.1:\(try HostileServer.closedPort())/"
        retry = { attempts = 1, base = "10m", max = "10m" }
        [targets.slow]
        url = "\(slow.url)"
        """)
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, [1]) }
      try person.folder.write("c.bin", count: 20_000_000)
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt b.txt")
      try await terminal.wait(for: "no server · next try in")
      // Something is under way all the time, so that the header has a reason to say something.
      _ = try await person.shell("hoist add --to slow c.bin").end()
      try await wait(for: "the other upload") { slow.visitors == 1 ? true : nil }
      try await terminal.wait(until: "both wait") { screen in
        screen.shows("Queue 3") && screen.shows("2 waiting")
          && screen.row(with: " a.txt  ")?.contains("no server") == true
      }
      try await terminal.press("g", "x")
      try await terminal.wait(until: "the others as they were") {
        $0.shows("Queue 2") && $0.shows("next try in")
      }
      try await terminal.press("p")
      try await terminal.wait(until: "no promise any more") {
        $0.shows("1 paused") && !$0.shows("next try")
      }
      try await terminal.press("p")
      try await terminal.wait(for: "next try in")
    }

    // MARK: Credentials

    @Test("r sends a file as the configuration says by now")
    func mended() async throws {
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          connection.send(
            request.headers["authorization"] == "Bearer good"
              ? Self.ok : "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      let person = try Person()
      func configure(_ token: String) throws {
        try person.configure(
          "[targets.desk]\nurl = \"\(server.url())\"\nheaders = { Authorization = \"Bearer \(token)\" }\n"
        )
      }
      try configure("bad")
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt --to desk")
      try await terminal.wait(until: "it has failed") {
        $0.row(with: "a.txt")?.contains("401") == true
      }
      try configure("good")
      try await terminal.press("r")
      try await terminal.wait(for: "1 ok")
    }

    @Test(
      "r on a file whose credentials are refused sends that file, and the others when they are good"
    )
    func credentials() async throws {
      let isOpen = Mutex(false)
      let server = try HostileServer { connection, _ in
        while connection.readRequest() != nil {
          connection.send(
            isOpen.withLock { $0 }
              ? Self.ok : "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      let person = try Person()
      for number in 1...9 { try person.folder.write("\(number).txt", [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.txt --to \(server.url().absoluteString)")
      try await terminal.wait(until: "some have failed, the others wait") {
        $0.shows("4 failed  5 waiting")
          && $0.row(with: "5.txt")?.contains("needs credentials") == true
      }
      // One that has failed.
      try await terminal.press("g", "r")
      try await wait(for: "its request") { server.requests.count == 5 ? true : nil }
      // The screen says the same before and after: the history says when it has ended.
      try await wait(for: "its end") {
        let told = try await person.hoist("history", "--json").end().output
        return told.components(separatedBy: #""status":401"#).count == 6 ? true : nil
      }
      try await terminal.wait(until: "as before") {
        $0.row(with: "1.txt")?.contains("401") == true && $0.shows("4 failed  5 waiting")
          && $0.row(with: "5.txt")?.contains("needs credentials") == true
      }
      // One that waits.
      try await terminal.press("/")
      try await terminal.command("7.txt")
      try await terminal.press("r")
      try await terminal.wait(until: "it has failed as well") {
        $0.row(with: "7.txt")?.contains("401") == true && $0.shows("5 failed  4 waiting")
      }
      isOpen.withLock { $0 = true }
      try await terminal.press("r")
      try await terminal.wait(for: "5 ok  4 failed")
      #expect(names(server).dropFirst(4).prefix(3) == ["1.txt", "7.txt", "7.txt"])
      #expect(names(server).suffix(4).sorted() == ["5.txt", "6.txt", "8.txt", "9.txt"])
      try await terminal.press("R")
      try await terminal.wait(for: "9 ok")
    }

    /// Waits until `count` files have failed or wait for credentials. Returns how many have failed and how many wait.
    private static func held(_ count: Int, in terminal: Tmux) async throws -> (Int, Int) {
      @Sendable func counts(_ text: String) -> (Int, Int)? {
        text.firstMatch(of: /(\d) failed  (\d) waiting/).flatMap { found in
          guard let failed = Int(found.1), let waiting = Int(found.2) else { return nil }
          return failed + waiting == count ? (failed, waiting) : nil
        }
      }
      let screen = try await terminal.wait(until: "all to have failed or to wait") {
        counts($0.text) != nil
      }
      return try #require(counts(screen.text))
    }

    @Test("a token that is typed for a target is tried at once, and the pane no longer asks for it")
    func token() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--token", "good")
      try person.configure("default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\n")
      for number in 1...6 { try person.folder.write("\(number).txt", [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.txt")
      _ = try await Self.held(6, in: terminal)
      try await terminal.press("5")
      try await terminal.wait(until: "the pane") {
        $0.row(with: "✓ desk")?.contains("needs credentials") == true
      }
      try await terminal.press("e")
      try await terminal.wait(for: "Edit the target")
      try await terminal.press("BTab")
      try await terminal.type("good")
      try await terminal.press("Enter")
      // Those that failed for want of it, too.
      try await terminal.wait(until: "all to be sent") {
        $0.shows("6 ok") && !$0.shows("needs credentials")
      }
      #expect(inbox.names.count == 6)
    }

    @Test("r after the file with the token was corrected also sends what waited with the new one")
    func tokenFile() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--token", "good")
      try person.folder.write("token", Array("wrong".utf8))
      try person.configure(
        """
        default_target = "desk"
        [targets.desk]
        url = "\(inbox.url)"
        auth = { bearer = "{secret.desk}" }
        [secrets.desk]
        file = "\(person.folder.path("token"))"

        """)
      for number in 1...9 { try person.folder.write("\(number).txt", [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.txt")
      let (failed, waiting) = try await Self.held(9, in: terminal)
      try person.folder.write("token", Array("good".utf8))
      try await terminal.press("g", "r")
      try await terminal.wait(until: "one that had failed, and those that waited, to be sent") {
        $0.shows("\(waiting + 1) ok") && (failed == 1 || $0.shows("\(failed - 1) failed"))
      }
    }

    @Test("files that wait since their server takes no more requests say so, and R does not wait")
    func tooManyRequests() async throws {
      // How many more requests it takes.
      let rest = Mutex(1)
      let server = try HostileServer { connection, _ in
        while connection.readRequest() != nil {
          let isTaken = rest.withLock { rest in
            defer { rest -= 1 }
            return rest > 0
          }
          connection.send(
            isTaken ? Self.ok : "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      let person = try Person()
      for number in 1...6 { try person.folder.write("\(number).txt", [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.txt --to \(server.url().absoluteString)")
      // The header and at least one row.
      try await terminal.wait(until: "the reason") {
        $0.rows.count { $0.contains("too many requests") && $0.contains("try ") } > 1
      }
      rest.withLock { $0 = 1 }
      try await terminal.press("R")
      try await terminal.wait(for: "2 ok")
    }

    // MARK: Undo

    @Test("z right after x brings a thousand files back as they were, in their order")
    func undo() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try HostileServer { connection, number in
        if number == 0 { _ = connection.readHead() }
        gate.pass()
        while number > 0, connection.readRequest() != nil { connection.send(Self.ok) }
      }
      defer { server.stop() }
      let person = try Person()
      try person.configure(
        """
        default_target = "all"
        [targets.all]
        url = "\(server.url().absoluteString)"
        concurrency = 1
        batch = { max_files = 50 }
        """)
      for number in 1000..<2000 {
        // The first one does not fit into what the kernel holds.
        try person.folder.write("f\(number)", count: number == 1000 ? 20_000_000 : 1)
      }
      let terminal = try await person.terminal()
      try await terminal.command("hoist f*")
      try await terminal.wait(for: "50 active")
      try await terminal.press("C-a", "x", "y", "z")
      try await terminal.wait(for: "undone: removal of 1,000 files")
      // Sent again from the start, and nobody has failed for having been taken out.
      try await terminal.wait(for: "950 waiting")
      #expect(try await !terminal.screen().shows("failed"))
      gate.open()
      try await terminal.wait(for: "1,000 ok")
      #expect(try await !terminal.screen().shows("failed"))
      let arrived = server.requests.flatMap { request in
        // Without the inside of the large file.
        let body = request.body
        let heads = body.count > 60_000 ? body.prefix(1000) + body.suffix(50_000) : body[...]
        return String(decoding: heads, as: UTF8.self).matches(of: /filename="([^"]*)"/)
          .map { String($0.1) }
      }
      // As one value: the differences of two long lists would take minutes to work out.
      let isInOrder = arrived == (1000..<2000).map { "f\($0)" }
      #expect(isInOrder)
    }
  }
}
