import CNcurses
import Foundation
import TestSupport
import Testing

/// Terminals that answer late or never: nothing of their answers reaches the shell.
@Suite struct AnswersTests {
  /// A terminal that says what the test says.
  private final class Pseudoterminal {
    private let folder: ScratchDirectory
    private let terminal: Int32
    private let line: Int32
    let driver: Program
    private(set) var output = ""

    init() throws {
      folder = try ScratchDirectory()
      terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      // TIOCSPTLCK and TIOCGPTN, see ioctl_tty(2).
      var (lock, number): (Int32, UInt32) = (0, 0)
      guard ioctl(terminal, 0x4004_5431, &lock) == 0, ioctl(terminal, 0x8004_5430, &number) == 0
      else { throw POSIXError(.EIO) }
      line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
      driver = try Program(
        DriverTerminal.program, ["still"],
        environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"],
        directory: folder.path, conversation: line)
    }

    deinit {
      close(terminal)
      close(line)
    }

    func say(_ text: String) { write(terminal, text, text.utf8.count) }

    /// Whether this has been written so many times, or the driver has ended.
    func has(_ text: String, _ count: Int) -> Bool {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(terminal, &bytes, bytes.count), count > 0 {
        output += String(decoding: bytes.prefix(count), as: UTF8.self)
      }
      return output.components(separatedBy: text).count > count
    }

    func wait(for text: String, _ count: Int = 1) async throws {
      try await TestSupport.wait(for: text.debugDescription) { has(text, count) ? true : nil }
    }

    /// Waits for the driver's end, and returns how many bytes the shell would read.
    func left() async throws -> Int32 {
      try await TestSupport.wait(for: "the end") {
        _ = has("", 0)
        return driver.hasEnded ? true : nil
      }
      return curses_waiting(line)
    }
  }

  private static let question = "\u{1B}[c"
  private static let answers = "\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{1B}\\\u{1B}[?64;1;2c"

  /// It is left before it has answered, and then answers in two pieces. It is waited for half a second, which a busy machine
  /// may need for something else.
  @Test func aLateAnswerIsWaitedFor() async throws {
    try await wait(for: "an answer in time") {
      let terminal = try Pseudoterminal()
      try await terminal.wait(for: Self.question)
      terminal.driver.signal(SIGTERM)
      try await terminal.wait(for: "\u{1B}[?2004l")
      terminal.say(String(Self.answers.prefix(9)))
      try await Task.sleep(for: .milliseconds(50))
      terminal.say(String(Self.answers.dropFirst(9)))
      let isAllTaken = try await terminal.left() == 0
      #expect(!terminal.has(Self.question, 2))
      return isAllTaken ? true : nil
    }
  }

  /// What is under way when it is left comes before the answer to another question.
  @Test func whatIsUnderWayIsDropped() async throws {
    let terminal = try Pseudoterminal()
    try await terminal.wait(for: Self.question)
    terminal.say(Self.answers)
    // The background is known once the rows are in colours that suit it.
    try await terminal.wait(for: "\u{1B}[?2026h", 2)
    terminal.driver.signal(SIGTERM)
    try await terminal.wait(for: Self.question, 2)
    terminal.say("\u{1B}[<35;20;4M\u{1B}[O\u{1B}[?64;1;2c")
    #expect(try await terminal.left() == 0)
  }

  @Test func whoNeverAnswersIsNotAskedAgain() async throws {
    let terminal = try Pseudoterminal()
    try await terminal.wait(for: Self.question)
    // As one that has changed its colours.
    terminal.say("\u{1B}[?997;1n")
    terminal.driver.signal(SIGTERM)
    let start = ContinuousClock.now
    #expect(try await terminal.left() == 0)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(terminal.has(Self.question, 1) && !terminal.has(Self.question, 2))
  }
}
