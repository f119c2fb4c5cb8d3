import Foundation
import Testing

/// A tmux server of its own with one window and a shell in it, gone when this is.
final class Tmux {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let folder: String
  private let socket: String

  init(width: Int, height: Int) throws {
    folder = NSTemporaryDirectory() + "hoist-terminal-\(UUID().uuidString)"
    socket = folder + "/tmux"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    do {
      try tmux(
        "new-session", "-d", "-x", "\(width)", "-y", "\(height)",
        "env -u NO_COLOR LC_ALL=C.UTF-8 SWIFT_BACKTRACE=enable=no PS1='shell> ' bash --norc --noprofile"
      )
    } catch {
      throw Failure(description: "tmux cannot be run (\(error)): run `make setup`")
    }
    try wait { $0.contains("shell>") }
  }

  deinit {
    _ = try? tmux("kill-server")
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Starts the driver and waits for its screen; afterwards the shell says how it ended.
  func startDriver(_ arguments: String = "9", with environment: String = "") throws {
    try typeDriver(arguments, with: environment)
    try wait { $0.contains("hoist · photos") || $0.contains("hoist - photos") }
  }

  /// Types the command line that starts the driver.
  func typeDriver(_ arguments: String = "9", with environment: String = "") throws {
    let driver = try Self.driver()
    try type(
      "stty -g > \(folder)/before; clear; ulimit -c 0; "
        + "env \(environment) \(driver) \(arguments); echo ended with $?\n")
  }

  private static func driver() throws -> String {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("TerminalDriver").path
    guard FileManager.default.isExecutableFile(atPath: beside) else {
      throw Failure(description: "TerminalDriver has not been built beside the tests: \(beside)")
    }
    return beside
  }

  func press(_ keys: String...) throws { for key in keys { try tmux("send-keys", key) } }
  func type(_ text: String) throws { try tmux("send-keys", "-l", text) }

  func paste(_ text: String) throws {
    try tmux("set-buffer", text)
    try tmux("paste-buffer", "-p")
  }

  func resize(_ width: Int, _ height: Int) throws {
    try tmux("resize-window", "-x", "\(width)", "-y", "\(height)")
  }

  /// The screen with the escape sequences that would draw it.
  func painting() throws -> String { try tmux("capture-pane", "-p", "-e") }

  func screen() throws -> String { try tmux("capture-pane", "-p") }

  func isOnAlternateScreen() throws -> Bool {
    try tmux("display", "-p", "#{alternate_on}") == "1\n"
  }

  /// Waits until the screen is as it should be.
  func wait(
    at location: SourceLocation = #_sourceLocation, until isRight: (String) -> Bool
  ) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    var seen = ""
    while ContinuousClock.now < deadline {
      seen = try screen()
      if isRight(seen) { return }
      usleep(20_000)
    }
    Issue.record("the screen never became what it should be:\n\(seen)", sourceLocation: location)
    throw Failure(description: "gave up waiting for the screen")
  }

  /// Waits for the driver's end and checks that the terminal is as it was before.
  func expectShell(
    endedWith status: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    try wait(at: location) { $0.contains("ended with \(status)") }
    #expect(try isOnAlternateScreen() == false, sourceLocation: location)
    let flags = try tmux("display", "-p", "#{cursor_flag} #{keypad_flag} #{mouse_any_flag}")
    #expect(flags == "1 0 0\n", sourceLocation: location)
    try type(
      "stty -g > \(folder)/after; cmp \(folder)/before \(folder)/after && echo same settings\n")
    try wait(at: location) { $0.contains("\nsame settings") }
  }

  func signalDriver(_ signal: String) throws { try run("kill -\(signal) \(driverID())") }

  /// How often the driver's threads have been given the processor so far.
  func driverSwitches() throws -> Int {
    try run("cat /proc/\(driverID())/task/*/status").split(separator: "\n")
      .filter { $0.contains("voluntary_ctxt_switches") }
      .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(0, +)
  }

  private func driverID() throws -> String {
    let shell = try tmux("display", "-p", "#{pane_pid}").trimmingCharacters(in: .newlines)
    return try run("pgrep -P \(shell) TerminalDriver").trimmingCharacters(in: .newlines)
  }

  @discardableResult
  private func tmux(_ arguments: String...) throws -> String {
    let quoted = arguments.map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    return try run("tmux -S \(socket) -f /dev/null " + quoted.joined(separator: " "))
  }

  /// Runs a command of the shell and returns what it prints.
  @discardableResult
  func run(_ command: String) throws -> String {
    guard let stream = popen("exec 2>&1 </dev/null; " + command, "r") else {
      throw Failure(description: "no shell can be started")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      bytes += buffer.prefix(count)
    }
    let status = pclose(stream)
    let text = String(decoding: bytes, as: UTF8.self)
    guard status == 0 else { throw Failure(description: "\(command): \(text)") }
    return text
  }
}
