import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Anybody presses anything")
  struct ScreenMonkeyTests {
    /// Random keys, pastes, clicks and sizes, always the same ones, while files are sent. Within, a
    /// debug build checks after every event that its state is in order, and ends if it is not.
    /// `HOIST_MONKEY=100000` presses as many keys.
    @Test("the screen goes on, leaves when told to, and gives the terminal back")
    func monkey() async throws {
      let keys = ProcessInfo.processInfo.environment["HOIST_MONKEY"].flatMap { Int($0) } ?? 4000
      let person = try Person()
      let inbox = try await person.receiver()
      for number in 0..<30 { try person.folder.write("file\(number).bin", count: 200_000) }
      try person.configure(
        """
        [targets.first]
        url = "\(inbox.url)"
        rate_limit = "1 MB/s"
        [targets.away]
        url = "http://127.0.0.1:9/"
        """)
      let script = Person.repository.appendingPathComponent("Tests/EndToEndTests/Peers/monkey.py")
        .path
      let program = try Program(
        "python3", [script, "\(Person.binaries)/hoist", "first", "\(keys)", "1"],
        environment: person.environment, directory: person.folder.path)
      let outcome = try await program.end(seconds: Double(120 + keys / 50))
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
      #expect(outcome.output.contains("pressed \(keys) keys"), "\(outcome.output)")
    }
  }
}
