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
      try person.folder.write("slow.bin", count: 2_000_000)
      try person.folder.write("quick.bin", count: 100_000_000)
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
      // Two seconds by the bound, less what its first moments let through.
      #expect(ContinuousClock.now - start > .seconds(1))

      // This one would take minutes.
      try await terminal.press("a")
      try await terminal.command("quick.bin")
      try await terminal.wait(until: "it to be on its way") {
        $0.row(with: "quick.bin")?.contains("sending") == true
      }
      // What is shown is never faster than that, and promises no end that would need more.
      var (speeds, promises) = ([Double](), [Int]())
      try await wait(for: "some seconds of it") {
        let screen = try await terminal.screen()
        if let speed = screen.rows[0].firstMatch(of: /▲ ([0-9.]+) (k|M)B\/s/) {
          speeds.append((Double(speed.1) ?? 0) * (speed.2 == "M" ? 1000 : 1))
        }
        if let eta = screen.row(with: "ETA")?.firstMatch(of: /ETA (\d+):(\d\d)/) {
          promises.append((Int(eta.1) ?? 0) * 60 + (Int(eta.2) ?? 0))
        }
        return screen.rows.contains { $0.contains(/[6-9]\.\d of 102 MB/) } ? true : nil
      }
      #expect(!speeds.isEmpty && speeds.allSatisfy { $0 <= 1300 }, "\(speeds)")
      #expect(!promises.isEmpty && promises.allSatisfy { $0 >= 75 }, "\(promises)")
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
      let server = try SlowServer(gate, beginning: 4_000_000)
      let person = try Person()
      for name in ["one.bin", "two.bin"] { try person.folder.write(name, count: 20_000_000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.bin two.bin --to \(server.url)")
      try await wait(for: "both on their way") { server.visitors == 2 ? true : nil }
      try await terminal.wait(until: "a fifth of both") { screen in
        ["one.bin", "two.bin"].allSatisfy { screen.row(with: $0)?.contains(/[2-9]\d%/) == true }
      }
      // What is on its way would start again: that is asked first.
      try await terminal.press("p")
      try await terminal.wait(for: "let it finish")
      try await terminal.press("p")
      try await terminal.wait(until: "one is paused") {
        $0.row(with: "one.bin")?.contains("paused") == true
          && $0.row(with: "two.bin")?.contains("sending") == true
      }
      try await terminal.press("P")
      try await terminal.wait(for: "finish these, begin no more")
      try await terminal.press("p")
      try await terminal.wait(until: "both are") {
        $0.row(with: "one.bin")?.contains("paused") == true
          && $0.row(with: "two.bin")?.contains("paused") == true && $0.shows("2 paused")
      }
      // The history uses the queue's word for it.
      try await terminal.press("3")
      try await terminal.wait(until: "both paused in the history") { screen in
        ["one.bin", "two.bin"].allSatisfy { screen.row(with: $0)?.contains(" paused ") == true }
      }
      try await terminal.press("1")
      gate.open()
      try await wait(for: "nobody on the line") { server.visitors == 0 ? true : nil }
      try await terminal.press("p")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("P")
      try await terminal.wait(for: "2 ok")
    }

    @Test("P can let what is being sent finish, and begin no more")
    func finishThese() async throws {
      let gate = Gate()
      let server = try SlowServer(gate, beginning: 4_000_000)
      let person = try Person()
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 20_000_000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist ?.bin --concurrency 1 --to \(server.url)")
      try await terminal.wait(until: "one on its way") {
        $0.row(with: "a.bin")?.contains(/[2-9]\d%/) == true
      }
      try await terminal.press("P")
      try await terminal.wait(for: "finish these, begin no more")
      try await terminal.press("Escape")
      try await terminal.wait(until: "nothing to have changed") {
        !$0.shows("finish these") && $0.row(with: "a.bin")?.contains("sending") == true
      }
      try await terminal.press("P")
      try await terminal.wait(for: "finish these, begin no more")
      try await terminal.press("f")
      try await terminal.wait(for: "waiting · stopped, s resumes")
      gate.open()
      try await terminal.wait(until: "the first to end alone") {
        $0.shows("1 ok") && $0.row(with: "b.bin")?.contains("stopped") == true
      }
      #expect(server.visitors == 0)
      try await terminal.press("s")
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
