import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  /// The clock of a machine that is busy may be far from what a test expects. So each figure is held against two
  /// measured times: that from the server's first request to its last reply, which lies within what hoist measures, and
  /// that around all of what the person does.
  @Suite("The time that sending took is what a clock says")
  struct FiguresTests {
    let person: Person

    init() throws { person = try Person() }

    /// A server that takes its time for each reply.
    private final class Server: Sendable {
      private struct Times {
        var first: ContinuousClock.Instant?
        var last: ContinuousClock.Instant?
        var replies = 0
      }

      private final class Book: Sendable { let times = Mutex(Times()) }

      private let server: HostileServer
      private let book: Book

      init(secondsEach: Double = 0) throws {
        let book = Book()
        self.book = book
        server = try HostileServer { connection, _ in
          while let head = connection.readHead() {
            book.times.withLock { $0.first = $0.first ?? .now }
            if head.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            guard connection.discard(Int(head.headers["content-length"] ?? "") ?? 0) else { return }
            if secondsEach > 0 { Thread.sleep(forTimeInterval: secondsEach) }
            // Before the reply: hoist may end the time as soon as it has it.
            book.times.withLock { ($0.last, $0.replies) = (.now, $0.replies + 1) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        }
      }

      deinit { server.stop() }

      var url: String { server.url().absoluteString }
      var replies: Int { book.times.withLock { $0.replies } }

      /// From the first request to the last reply.
      var seconds: Double {
        book.times.withLock { times in
          guard let first = times.first, let last = times.last else { return 0 }
          return Self.seconds(last - first)
        }
      }

      static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    }

    /// The seconds in words such as "in 4.6 s, " or "in 1:05, ".
    private static func seconds(in text: String) throws -> Double {
      let found = try #require(
        text.firstMatch(of: #/ in ([0-9.:]+)( ms| s|)(,|;|\s|$)/#), "\(text)")
      let parts = found.1.split(separator: ":").compactMap { Double($0) }
      return parts.reduce(0) { $0 * 60 + $1 } * (found.2 == " ms" ? 0.001 : 1)
    }

    /// Whether a figure, which is rounded, is within 5 % of a time between these.
    private static func isRight(_ figure: Double, _ times: ClosedRange<Double>) -> Bool {
      (times.lowerBound * 0.95 - 0.06...times.upperBound * 1.05 + 0.06).contains(figure)
    }

    private func files(_ count: Int, bytes: Int) throws {
      for number in 0..<count { try person.folder.write("\(number).bin", count: bytes) }
    }

    @Test(
      "a push: its summary, its report and its JSON", arguments: [(1, 2.5), (8, 0.6), (4000, 0)])
    func push(files count: Int, secondsEach: Double) async throws {
      let server = try Server(secondsEach: secondsEach)
      try files(count, bytes: 100)
      let start = ContinuousClock.now
      let outcome = try await person.shell(
        "hoist push *.bin --to \(server.url) --concurrency 4 --report r.json"
      ).end()
      let most = Server.seconds(.now - start)
      #expect(outcome.status == 0, "\(outcome.errors.suffix(500))")
      let summary = try #require(
        outcome.errors.split(separator: "\n").last { $0.contains("sent, ") }.map(String.init))
      let said = try Self.seconds(in: summary)
      #expect(Self.isRight(said, server.seconds...most), "\(summary): \(server.seconds)...\(most)")
      let report = try JSONSerialization.jsonObject(with: bytes(person.folder.path("r.json")))
      let members = try #require(report as? [String: Any])
      let seconds = try #require(members["seconds"] as? Double)
      #expect(abs(seconds - said) <= max(0.06, said * 0.05), "\(seconds) and \(said)")
      #expect(members["bytes_sent"] as? Int == count * 100)
    }

    @Test("a push without a person: from its first file, not from its start")
    func waiting() async throws {
      let server = try Server(secondsEach: 0.5)
      let input = try person.shell(
        "(until test -e go; do sleep 0.05; done; echo a.bin) | hoist push --from-file - --json --to \(server.url)"
      )
      try person.folder.write("a.bin", count: 100)
      // Nothing was sent before this, so none of that time counts.
      try await Task.sleep(for: .seconds(3))
      let start = ContinuousClock.now
      try person.folder.write("go", [])
      let outcome = try await input.end()
      let most = Server.seconds(.now - start)
      let summary = try #require(try outcome.events().last)
      let seconds = try #require(summary.fields["seconds"] as? Double)
      #expect(
        Self.isRight(seconds, server.seconds...most), "\(seconds): \(server.seconds)...\(most)")
    }

    @Test("the screen: many small files")
    func many() async throws {
      let server = try Server()
      try files(1000, bytes: 1000)
      let terminal = try await person.terminal()
      let start = ContinuousClock.now
      try await terminal.command("hoist *.bin --to \(server.url)")
      let box = try await terminal.wait(for: "All done")
      let most = Server.seconds(.now - start)
      let words = try #require(box.row(with: "All done"))
      let said = try Self.seconds(in: words)
      #expect(Self.isRight(said, server.seconds...most), "\(words): \(server.seconds)...\(most)")
      #expect(words.contains("1.0 MB in "), "\(words)")
      try await terminal.press("q")
      let shell = try await terminal.waitForShell()
      let last = try #require(shell.row(with: "1,000 of 1,000 files sent"))
      #expect(try Self.seconds(in: last) == said, "\(last) and \(words)")
    }

    @Test("the screen: one file with a limit")
    func limit() async throws {
      let server = try Server()
      try files(1, bytes: 1_500_000)
      let terminal = try await person.terminal()
      let start = ContinuousClock.now
      try await terminal.command("hoist 0.bin --to \(server.url) --limit 500kB/s")
      let screen = try await terminal.wait(until: "its end, and the time that it took") {
        $0.row(with: "1 ok")?.contains(" in ") == true
      }
      let most = Server.seconds(.now - start)
      let words = try #require(screen.row(with: "1 ok"))
      let said = try Self.seconds(in: words)
      #expect(Self.isRight(said, server.seconds...most), "\(words): \(server.seconds)...\(most)")
      #expect(server.seconds > 2)
    }

    @Test("the screen and one beside it: eight files and a pause")
    func pause() async throws {
      let server = try Server(secondsEach: 0.8)
      try files(8, bytes: 1000)
      let terminal = try await person.terminal()
      let start = ContinuousClock.now
      try await terminal.command("hoist *.bin --to \(server.url) --concurrency 2")
      try await terminal.wait(until: "the first ones") { $0.shows(" ok ") }
      try await terminal.press("s")
      let stopped = try await terminal.wait(until: "nothing under way") { screen in
        screen.shows("s go on") && screen.shows("files left") && server.replies < 8
          && screen.rows.contains { $0.contains(" \(server.replies) ok ") }
      }
      // The screen hears up to a tenth of a second late of a file that begins; the queue's file knows it before.
      let active = ["preparing", "sending", "awaiting-reply"].map { "\"state\":\"\($0)\"" }
      while case let queue = try await person.hoist("queue", "--json").end().output,
        active.contains(where: { queue.contains($0) })
      { try await Task.sleep(for: .milliseconds(50)) }
      let pause = ContinuousClock.now
      let served = server.replies
      let second = try await person.terminal()
      try await second.command("hoist")
      try await second.wait(for: "another hoist")
      try await Task.sleep(for: .seconds(3))
      #expect(server.replies == served, "\(stopped.text)")
      let paused = Server.seconds(.now - pause)
      try await terminal.press("s")
      let box = try await terminal.wait(for: "All done")
      let most = Server.seconds(.now - start) - paused
      let words = try #require(box.row(with: "All done"))
      let said = try Self.seconds(in: words)
      // The server waited for the pause, and for what came before and after it: a key's way there and back.
      let least = 4 * 0.8
      #expect(Self.isRight(said, least...most), "\(words): \(least)...\(most), paused \(paused)")
      let figures = try #require(words.firstMatch(of: #/ in [0-9.:]+ s?, [0-9.]+ k?B/s/#)?.0)
      try await second.wait(until: "the same figures") { $0.shows(String(figures)) }
    }
  }
}
