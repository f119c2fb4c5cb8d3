import Foundation
import TestSupport
import Testing

/// A shell in a terminal in which the driver is started.
struct DriverTerminal {
  let tmux: Tmux
  private let folder: ScratchDirectory

  init(width: Int, height: Int) async throws {
    folder = try ScratchDirectory()
    tmux = try await Tmux(
      columns: width, rows: height,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        "SWIFT_BACKTRACE": "enable=no",
      ], directory: folder.path)
  }

  /// Starts the driver and waits for its screen; afterwards the shell says how it ended.
  func startDriver(_ arguments: String = "9", with environment: String = "") async throws {
    try await typeDriver(arguments, with: environment)
    // From the first line to the last.
    try await wait {
      ($0.contains("hoist · photos") || $0.contains("hoist - photos")) && $0.contains("q quit")
    }
  }

  /// The driver's path.
  static var program: String {
    let driver = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("TerminalDriver").path
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("TerminalDriver").path
    return FileManager.default.isExecutableFile(atPath: beside) ? beside : driver
  }

  /// Types the command line that starts the driver.
  func typeDriver(_ arguments: String = "9", with environment: String = "") async throws {
    let program = Self.program
    try #require(
      FileManager.default.isExecutableFile(atPath: program),
      "TerminalDriver has not been built beside the tests")
    // tmux 3.5 sets COLORTERM.
    try await tmux.command(
      "stty -g > before; clear; ulimit -c 0; "
        + "env -u COLORTERM \(environment) \(program) \(arguments); echo ended with $?")
  }

  func press(_ keys: String...) async throws { for key in keys { try await tmux.press(key) } }

  /// The text on the screen.
  func screen() async throws -> String { try await tmux.screen().text }

  func isOnAlternateScreen() async throws -> Bool {
    try await tmux.ask("#{alternate_on}") == "1"
  }

  /// Waits until the screen is as it should be.
  func wait(until isRight: @Sendable (String) -> Bool) async throws {
    try await tmux.wait(until: "the right screen") { isRight($0.text) }
  }

  /// Waits for the driver's end and checks that the terminal is as it was before.
  func expectShell(
    endedWith status: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    try await wait { $0.contains("ended with \(status)") }
    #expect(try await isOnAlternateScreen() == false, sourceLocation: location)
    let flags = try await tmux.ask("#{cursor_flag} #{keypad_flag} #{mouse_any_flag}")
    #expect(flags == "1 0 0", sourceLocation: location)
    try await tmux.command("stty -g > after; cmp before after && echo same settings")
    try await wait { $0.contains("\nsame settings") }
  }

  func signalDriver(_ signal: String) async throws {
    try await Tool.run("kill", ["-\(signal)", driver()])
  }

  /// How often the driver's threads have been given the processor so far.
  func driverSwitches() async throws -> Int {
    let tasks = "/proc/\(try await driver())/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
      try String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8).split(separator: "\n")
        .filter { $0.contains("voluntary_ctxt_switches") }
        .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(sum, +)
    }
  }

  private func driver() async throws -> String {
    let shell = try await tmux.ask("#{pane_pid}")
    return try Tool.run("pgrep", ["-P", shell, "TerminalDriver"])
      .trimmingCharacters(in: .newlines)
  }
}
