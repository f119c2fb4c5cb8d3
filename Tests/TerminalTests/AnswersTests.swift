import Foundation
import TestSupport
import Testing

/// Terminals that answer late or never: nothing of their answers reaches the shell.
@Suite struct AnswersTests {
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
      #expect(terminal.count(of: Self.question) == 1)
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

  @Test(arguments: ["xterm-256color", "xterm", "vt100", "linux"])
  func linesWrapAfterwards(_ type: String) async throws {
    let terminal = try Pseudoterminal(["still"], ["TERM": type])
    try await terminal.wait(for: "\u{1B}[?2004h")
    terminal.driver.signal(SIGTERM)
    try await terminal.wait(for: "\u{1B}[?2004l")
    let isOff = terminal.output.contains("\u{1B}[?7l")
    #expect(!isOff || terminal.output.contains("\u{1B}[?7h"))
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
    #expect(terminal.count(of: Self.question) == 1)
  }
}
