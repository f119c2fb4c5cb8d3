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
      try await terminal.command("bg; seq -f 'first %g' 6")
      // Some frames go by. What is waited for is in the output only, neither in the command nor in the URL.
      try await terminal.wait(for: "first 6")
      try await terminal.command("sleep 0.5; seq -f 'then %g' 3")
      let screen = try await terminal.wait(for: "then 3")
      for line in (1...6).map({ "first \($0)" }) + (1...3).map({ "then \($0)" }) {
        #expect(screen.rows.contains(line), "\(screen.text)")
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
