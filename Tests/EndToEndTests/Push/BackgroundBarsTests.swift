import TestSupport
import Testing

extension EndToEnd {
  @Suite("Bars of a push that leaves the foreground")
  struct BackgroundBarsTests {
    @Test(
      "what the shell prints stays while a push is in the background; the bars are back after fg")
    func background() async throws {
      let person = try Person()
      let gate = Gate()
      let server = try SlowServer(gate)
      defer { gate.open() }
      try person.folder.write("a.bin", count: 3_000_000)
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist push a.bin --to \(server.url)")
      try await terminal.wait(for: "3.0 MB")
      try await terminal.press("C-z")
      try await terminal.wait(for: "Stopped")
      try await terminal.command("bg; seq 201 $((200 + 6))")
      // Some frames go by. What is waited for is in the output only, not in the command.
      try await terminal.wait(for: "206")
      try await terminal.command("sleep 0.5; seq 301 $((300 + 3))")
      let screen = try await terminal.wait(for: "303")
      for number in Array(201...206) + Array(301...303) {
        #expect(screen.rows.contains("\(number)"), "\(screen.text)")
      }
      try await terminal.clear()
      try await terminal.command("fg")
      try await terminal.wait(for: "3.0 MB")
      gate.open()
      let end = try await terminal.wait(for: "1 of 1 file sent")
      #expect(end.rows.contains { $0.hasPrefix("✓ a.bin") }, "\(end.text)")
    }
  }
}
