import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  /// What hoist advises after a failure is done, and what that does on the server is looked at. `AdviceTable` says for
  /// each cause what that is.
  @Suite("A person does what hoist advises")
  struct AdviceTests {
    /// What the server does until it is mended.
    enum Deed: Sendable {
      case reply(String)
      /// It reads a part of the form, and breaks off.
      case cut
      /// It reads the whole form, and hangs up.
      case hangUp
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let deed: Deed
      let code: String
      /// How often the file is on the server after the failure, as far as it could store what came.
      var before = 0
      /// The same after the command that the summary recommends.
      let after: Int
      var testDescription: String { "\(deed): \(code)" }
    }

    static let rows = [
      // It is sent again, and is there once.
      Row(deed: .reply("503 Busy"), code: "http-503", after: 1),
      Row(deed: .reply("429 Slow"), code: "http-429", after: 1),
      Row(deed: .cut, code: "connection-lost", after: 1),
      Row(deed: .reply("403 No"), code: "http-403", after: 1),
      Row(deed: .reply("413 Large"), code: "http-413", after: 1),
      Row(deed: .reply("422 No"), code: "http-422", after: 1),
      Row(deed: .reply("301 Moved\r\nLocation: /other"), code: "redirected", after: 1),
      // It may be there, and is not sent again unless somebody has looked.
      Row(deed: .hangUp, code: "outcome-unknown", before: 1, after: 1),
      Row(deed: .reply("500 Oops"), code: "http-500", before: 1, after: 1),
      Row(deed: .reply("502 Bad"), code: "outcome-unknown", before: 1, after: 1),
      Row(
        deed: .reply("302 Found\r\nLocation: /done"), code: "outcome-unknown", before: 1, after: 1),
    ]

    /// A server, and how often the file came to it whole while it may have stored it.
    private final class Server: Sendable {
      private final class State: Sendable {
        let isMended = Mutex(false)
        let stored = Mutex(0)
      }

      private let state: State
      let http: HostileServer

      init(_ deed: Deed) throws {
        let state = State()
        self.state = state
        http = try HostileServer(receiveBuffer: 4096) { connection, _ in
          while let head = connection.readHead() {
            let length = Int(head.headers["content-length"] ?? "") ?? 0
            let isMended = state.isMended.withLock { $0 }
            if !isMended, case .cut = deed {
              // The rest waits in the client's kernel.
              _ = connection.readNoMore(length / 2)
              return connection.reset()
            }
            guard connection.discard(length) else { return }
            guard !isMended else {
              state.stored.withLock { $0 += 1 }
              connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
              continue
            }
            switch deed {
            case .reply(let text):
              if ["500", "502", "302"].contains(text.prefix(3)) {
                state.stored.withLock { $0 += 1 }
              }
              connection.send("HTTP/1.1 \(text)\r\nContent-Length: 0\r\n\r\n")
            case .hangUp:
              state.stored.withLock { $0 += 1 }
              return
            case .cut: return
            }
          }
        }
      }

      var copies: Int { state.stored.withLock { $0 } }
      func mend() { state.isMended.withLock { $0 = true } }
    }

    @Test(arguments: rows)
    func theSummarysCommand(_ row: Row) async throws {
      let person = try Person()
      let server = try Server(row.deed)
      defer { server.http.stop() }
      try person.folder.write("a.bin", count: 600_000)
      let url = server.http.url().absoluteString
      let failed = try await person.shell(
        "hoist push a.bin --to \(url) --attempts 1 --report r.json"
      ).end()
      #expect(failed.status == 1)
      let report = try String(contentsOfFile: person.folder.path("r.json"), encoding: .utf8)
      #expect(report.contains("\"cause\" : \"\(row.code)\""), "\(report)")
      #expect(server.copies == row.before)
      server.mend()
      let command = try #require(
        failed.errors.firstMatch(of: /hoist push --retry-failed r\.json[^(\n]*/), "\(failed.errors)"
      )
      // A person who follows the advice has looked before adding this.
      let isAfterLook = command.output.contains("--even-arrived")
      #expect(isAfterLook == (row.before > 0), "\(failed.errors)")
      let line = command.output.replacing("--even-arrived", with: "")
      _ = try await person.shell(String(line)).end()
      #expect(server.copies == row.after, "\(line)")
    }

    /// The keys: `r` on what failed, once the server is well again.
    @Test func theKey() async throws {
      let person = try Person()
      let server = try Server(.reply("503 Busy"))
      defer { server.http.stop() }
      try person.folder.write("a.bin", count: 1000)
      let terminal = try await person.terminal()
      try await terminal.command(
        "hoist a.bin --attempts 1 --to \(server.http.url().absoluteString)")
      try await terminal.wait(for: "1 failed")
      server.mend()
      try await terminal.press("r")
      try await terminal.wait(for: "✓ a.bin")
      #expect(server.copies == 1)
    }
  }
}
