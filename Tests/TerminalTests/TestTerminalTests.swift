import Foundation
import TestSupport
import Testing

/// The terminal in which the stories play has to behave like one.
@Suite(.needs("tmux")) struct TestTerminalTests {
  private let folder: ScratchDirectory

  init() throws { folder = try ScratchDirectory() }

  private func terminal(columns: Int = 80, rows: Int = 24) async throws -> Tmux {
    try await Tmux(
      columns: columns, rows: rows,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      ], directory: folder.path)
  }

  @Test func whatIsTypedArrivesAsItIs() async throws {
    let bytes = (0..<128).compactMap { UnicodeScalar($0).map(String.init) }.joined()
    let words = #"-l ; "quoted" 'and' #{not} $HOME ~ %end { äöü 漢字 💩"#
    let typed = String(repeating: bytes + words, count: 20)
    let terminal = try await terminal()
    let count = typed.utf8.count
    try await terminal.command("stty raw -echo; echo ready; head -c \(count) > typed; stty sane")
    try await terminal.wait(until: "the reader") { $0.rows.contains("ready") }
    try await terminal.type(typed)
    try await wait(for: "show all") {
      FileManager.default.contents(atPath: folder.path("typed"))?.count == count ? true : nil
    }
    #expect(FileManager.default.contents(atPath: folder.path("typed")) == Data(typed.utf8))
    try await terminal.press("C-l", "-", ";", "\"", "'", "#", "$", "~", "{", "\\", "%")
    try await terminal.wait(for: #"-;"'#$~{\%"#)
  }

  @Test func aProgramThatWritesWithoutEndIsSeenAndEnded() async throws {
    let terminal = try await terminal()
    try await terminal.command("yes 'and so on and on'")
    for _ in 0..<20 {
      try await terminal.wait(until: "a full screen") {
        $0.rows.count { $0 == "and so on and on" } > 20
      }
    }
    try await terminal.press("C-c")
    try await terminal.wait(until: "the shell") { $0.rows.last?.hasPrefix(Tmux.prompt) == true }
  }

  /// Not half of it, however slowly it is written.
  @Test func aFrameIsSeenOnceItIsWhole() async throws {
    let terminal = try await terminal()
    try await terminal.command(
      #"clear; printf '\033[?2026hfir''st '; sleep 0.05; printf 'sec''ond\033[?20'; printf '26l\n'"#
    )
    let screen = try await terminal.wait(for: "first")
    #expect(screen.shows("first second"), "\(screen.text)")
  }

  @Test func itCanBeLarge() async throws {
    let terminal = try await terminal(columns: 500, rows: 200)
    try await terminal.command("clear; for i in $(seq 198); do printf '%0500d' $i; done")
    let screen = try await terminal.wait(for: String(repeating: "0", count: 497) + "198")
    #expect(screen.rows.count == 200 && screen.rows.count { $0.count == 500 } == 198)
  }

  @Test func itsEndIsTold() async throws {
    let terminal = try await terminal()
    let server = try #require(pid_t(try await terminal.ask("#{pid}")))
    kill(server, SIGKILL)
    let failure = await #expect(throws: WaitedInVain.self) {
      try await terminal.wait(for: "what never comes")
    }
    #expect(failure?.description.contains("its server has ended") == true)
  }

  @Test func aMistakeIsTold() async throws {
    let terminal = try await terminal()
    let failure = await #expect(throws: WaitedInVain.self) {
      try await terminal.set("no-such-option", to: "on")
    }
    #expect(failure?.description.contains("invalid option: no-such-option") == true)
    try await terminal.command("echo and it goes $((0 + 1)) on")
    try await terminal.wait(for: "and it goes 1 on")
  }
}
