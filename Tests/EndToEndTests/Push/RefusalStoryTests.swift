import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A server refuses some of twenty files")
  struct RefusalStoryTests {
    let person: Person

    init() throws {
      person = try Person()
      for number in 1...20 { try person.folder.write("\(Self.name(number))", count: 10) }
    }

    /// How the files get to the server.
    enum Way: String, CaseIterable, Sendable {
      case push, send, screen
    }

    private static func name(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A server that answers some files, by their numbers, with this status, and how often it was asked for each.
    private static func server(
      _ status: Int, for refused: ClosedRange<Int>, _ asked: Asked
    ) throws -> HostileServer {
      try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let body = String(decoding: request.body, as: UTF8.self)
          let number = (1...20).first { body.contains("filename=\"\(name($0))\"") } ?? 0
          asked.count(number)
          let line = refused.contains(number) ? "\(status) No" : "201 Created"
          connection.send("HTTP/1.1 \(line)\r\nContent-Length: 9\r\n\r\nnot yours")
        }
      }
    }

    private final class Asked: Sendable {
      private let counts = Mutex<[Int: Int]>([:])
      func count(_ number: Int) { counts.withLock { $0[number, default: 0] += 1 } }
      var files: Set<Int> { counts.withLock { Set($0.keys) } }
      var isOnceEach: Bool { counts.withLock { $0.values.allSatisfy { $0 == 1 } } }
    }

    @Test(
      "403: what curl in a loop delivers is delivered, by every way and with any number of lanes",
      arguments: Way.allCases, [1, 4])
    func forbidden(_ way: Way, _ lanes: Int) async throws {
      let asked = Asked()
      let server = try Self.server(403, for: 1...5, asked)
      defer { server.stop() }
      try person.configure(
        "[targets.desk]\nurl = \"\(server.url())\"\nconcurrency = \(lanes)\n")
      switch way {
      case .push:
        let pushed = try await person.shell("hoist push ?? --to desk --report r.json").end()
        #expect(pushed.status == 1)
        #expect(pushed.errors.contains("15 of 20 files sent"), "\(pushed.errors)")
        #expect(pushed.errors.contains("; 5 failed\n"), "\(pushed.errors)")
        let report = try String(contentsOfFile: person.folder.path("r.json"), encoding: .utf8)
        #expect(report.components(separatedBy: "\"status\" : 403").count == 6, "\(report)")
      case .send:
        _ = try await person.shell("hoist add ?? --to desk").end()
        let sent = try await person.hoist("send").end()
        #expect(sent.status == 1)
        #expect(sent.output.components(separatedBy: "201 Created").count == 16, "\(sent)")
      case .screen:
        let terminal = try await person.terminal()
        try await terminal.command("hoist ?? --to desk")
        try await terminal.wait(for: "15 ok  5 failed")
      }
      #expect(asked.files == Set(1...20) && asked.isOnceEach)
    }

    @Test(
      "401, and the target has no credentials: the rest is not tried, and everything says so",
      arguments: Way.allCases)
    func unauthorized(_ way: Way) async throws {
      let asked = Asked()
      let server = try Self.server(401, for: 1...20, asked)
      defer { server.stop() }
      try person.configure("[targets.desk]\nurl = \"\(server.url())\"\nconcurrency = 1\n")
      let reason = "the server asks for credentials, and the target has none"
      switch way {
      case .push:
        let pushed = try await person.shell("hoist push ?? --to desk --report r.json").end()
        #expect(pushed.status == 1)
        #expect(pushed.errors.contains("01: 401 Unauthorized"), "\(pushed.errors)")
        #expect(pushed.errors.contains("; 1 failed; 19 not tried"), "\(pushed.errors)")
        #expect(pushed.errors.components(separatedBy: reason).count == 2, "\(pushed.errors)")
        let history = try await person.run("history", "--json")
        let outcomes = history.output.components(separatedBy: "\n")
        #expect(outcomes.count { $0.contains("\"status\":401") } == 1, "\(history)")
        #expect(outcomes.count { $0.contains("\"outcome\":\"not-tried\"") } == 19, "\(history)")
        // Those that were not tried are what a retry takes first of all.
        let again = try await person.shell("hoist push --retry-failed r.json --to desk").end()
        #expect(again.errors.contains("0 of 20 files sent"), "\(again.errors)")
      case .send:
        _ = try await person.shell("hoist add ?? --to desk").end()
        let sent = try await person.hoist("send").end()
        #expect(sent.status == 1)
        #expect(sent.errors.components(separatedBy: ": not tried\n").count == 20, "\(sent)")
        let queue = try await person.run("queue", "retry")
        #expect(queue.errors.contains("20 files queued again"), "\(queue)")
      case .screen:
        let terminal = try await person.terminal()
        try await terminal.command("hoist ?? --to desk")
        try await terminal.wait(until: "the rest waits, with the reason") {
          $0.shows("1 failed  19 waiting")
            && $0.row(with: "· 02 ")?.contains("needs credentials") == true
        }
      }
      #expect(asked.files == [1])
    }

    @Test("a 500 after the whole file: nothing sends it again unasked, also after a restart")
    func unclear() async throws {
      let asked = Asked()
      let server = try Self.server(500, for: 1...1, asked)
      defer { server.stop() }
      try person.configure("[targets.desk]\nurl = \"\(server.url())\"\n")
      let pushed = try await person.shell("hoist push 01 --to desk --report r.json").end()
      #expect(pushed.errors.contains("? 01: 500 Internal Server Error"), "\(pushed.errors)")
      let again = try await person.shell("hoist push --retry-failed r.json --to desk").end()
      #expect(again.status == 1)
      #expect(again.errors.contains("1 file may have arrived"), "\(again.errors)")
      let history = try await person.run("history", "--failed")
      #expect(history.output.contains("500 Internal Server Error, may have arrived"), "\(history)")

      _ = try await person.shell("hoist queue clear --all; hoist add 01 --to desk").end()
      _ = try await person.hoist("send").end()
      let retried = try await person.run("queue", "retry")
      #expect(retried.errors.contains("1 file may have arrived and is left alone"), "\(retried)")
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to desk")
      // Before the queue has been read, keys are told to try again.
      try await terminal.wait(until: "what is known") {
        $0.shows("1 file in the queue") && $0.shows("1 unknown")
      }
      try await terminal.press("R")
      try await terminal.wait(for: "1 file may have arrived")
      try await terminal.press("r")
      try await terminal.wait(for: "twice")
      try await terminal.press("Escape")
      #expect(server.requests.count == 2)
    }
  }
}
