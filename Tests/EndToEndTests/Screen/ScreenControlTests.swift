import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person is in control of the line")
  struct ScreenControlTests {
    @Test("u bounds the speed of what is being sent, and lifts the bound again")
    func limit() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("slow.bin", count: 3_000_000)
      try person.folder.write("quick.bin", count: 200_000_000)
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("u")
      try await terminal.command("2 parsecs")
      try await terminal.wait(for: "2 parsecs")
      try await terminal.press("C-u")
      try await terminal.command("1 MB/s")
      try await terminal.wait(for: "limit 1.0 MB/s")
      let start = ContinuousClock.now
      try await terminal.press("a")
      try await terminal.command("slow.bin")
      try await terminal.wait(for: "1 ok")
      // Three seconds by the bound, less what its first moments let through.
      #expect(ContinuousClock.now - start > .seconds(1.5))

      // This one would take minutes.
      try await terminal.press("a")
      try await terminal.command("quick.bin")
      try await terminal.wait(until: "it to be on its way") {
        $0.row(with: "quick.bin")?.contains("sending") == true
      }
      try await terminal.press("u", "C-u", "Enter")
      let screen = try await terminal.wait(for: "2 ok")
      #expect(screen.rows.first?.contains("limit") == false)
      #expect(
        inbox.bytes("quick.bin")
          == FileManager.default.contents(atPath: person.folder.path("quick.bin")))
    }

    @Test("p takes a file back while it is sent and sends it again, P all of them")
    func pause() async throws {
      let gate = Gate()
      let server = try SlowServer(gate)
      let person = try Person()
      for name in ["one.bin", "two.bin"] { try person.folder.write(name, count: 20_000_000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.bin two.bin --to \(server.url)")
      try await wait(for: "both on their way") { server.visitors == 2 ? true : nil }
      try await terminal.press("p")
      try await terminal.wait(until: "one is paused") {
        $0.row(with: "one.bin")?.contains("paused") == true
          && $0.row(with: "two.bin")?.contains("sending") == true
      }
      try await terminal.press("P")
      // What is on its way would start again: that is asked first.
      try await terminal.wait(for: "let these finish, begin no more")
      try await terminal.press("p")
      try await terminal.wait(until: "both are") {
        $0.row(with: "one.bin")?.contains("paused") == true
          && $0.row(with: "two.bin")?.contains("paused") == true && $0.shows("2 paused")
      }
      gate.open()
      try await wait(for: "nobody on the line") { server.visitors == 0 ? true : nil }
      try await terminal.press("p")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("P")
      try await terminal.wait(for: "2 ok")
    }

    @Test("s keeps what waits where it is until it is pressed again; + and - change the lanes")
    func stop() async throws {
      let gate = Gate()
      let server = try SlowServer(gate)
      let person = try Person()
      for name in ["a.bin", "b.bin", "c.bin"] { try person.folder.write(name, count: 200_000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist --concurrency 1 --to \(server.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("s")
      try await terminal.wait(for: "stopped")
      try await terminal.press("a")
      try await terminal.command("?.bin")
      try await terminal.wait(for: "3 waiting")
      #expect(server.visitors == 0)
      try await terminal.press("s")
      try await wait(for: "the only lane") { server.visitors == 1 ? true : nil }
      try await terminal.press("+")
      try await wait(for: "a second lane") { server.visitors == 2 ? true : nil }
      try await terminal.press("-")
      gate.open()
      try await terminal.wait(for: "3 ok")
      #expect(server.mostVisitors == 2)
    }
  }
}
