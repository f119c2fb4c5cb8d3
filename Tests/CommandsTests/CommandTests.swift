import Commands
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CommandTests {
  private func failure(_ command: Command) -> Command.Failure? {
    #expect(throws: Command.Failure.self) { try command.run() }
  }

  @Test func argumentsArePassedOnAsTheyAre() throws {
    let words = ["printf", "%s|", "a b", "$HOME", "`id`", "*", "", "ä\n\"'"]
    let output = try Command(words).run()
    #expect(String(decoding: output, as: UTF8.self) == "a b|$HOME|`id`|*||ä\n\"'|")
  }

  @Test func itsWordsAreInTheFailure() {
    #expect(
      failure(Command(["sh", "-c", "echo first >&2; echo second >&2; exit 3"]))
        == .status(program: "sh", 3, errors: "first\nsecond\n"))
    #expect(
      failure(Command(["sh", "-c", "echo first >&2; echo second >&2; exit 3"]))?.description
        == "sh ended with status 3: first; second")
    #expect(
      failure(Command(["sh", "-c", "kill -TERM $$"]))?.description == "sh was ended by signal 15")
  }

  /// A secret that it has found already is not told with its complaint.
  @Test func whatItPrintedIsNotInTheFailure() {
    #expect(
      failure(Command(["/bin/sh", "-c", "echo s3cret; echo 'bad s3cret' >&2; exit 1"]))?.description
        == "sh ended with status 1: bad …")
  }

  @Test func whatCannotBeStarted() {
    #expect(
      failure(Command(["/nowhere/x"]))
        == .notStarted(program: "/nowhere/x", errno: ENOENT))
    #expect(
      failure(Command(["/etc/passwd"]))
        == .notStarted(program: "/etc/passwd", errno: EACCES))
    #expect(
      failure(Command(["/nowhere/x"]))?.description
        == "x cannot be started: No such file or directory"
        || failure(Command(["/nowhere/x"]))?.description
          == "/nowhere/x cannot be started: No such file or directory"
    )
  }

  /// With everything that it has started.
  @Test func whatTakesTooLongIsEnded() async throws {
    let folder = try ScratchDirectory()
    let file = folder.path("pid")
    var (seconds, failure) = (1.5, Command.Failure?.none)
    repeat {
      // Longer, if it had no time to start.
      seconds *= 2
      failure = self.failure(
        Command(
          ["sh", "-c", "echo waiting >&2; sleep 600 & echo $! > '\(file)'; wait"], timeout: seconds)
      )
    } while ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").isEmpty && seconds < 40
    #expect(failure == .timeout(program: "sh", seconds, errors: "waiting\n"))
    #expect(failure?.description == "sh did not finish within \(Int(seconds)) s: waiting")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Gone, or a zombie that its new parent has not looked at yet. It may take a moment to die.
    try await wait(for: "the end of what it started") {
      let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
      return state == nil || state?.contains(") Z ") == true || state?.contains(") X ") == true
        ? true : nil
    }
  }

  @Test func outputIsBounded() throws {
    #expect(
      failure(Command(["yes"], mostOutput: 100_000)) == .tooMuchOutput(program: "yes", 100_000))
    let errors = Command(["sh", "-c", "yes no | head -c 1000000 >&2; exit 1"])
    guard case .status(_, 1, let text)? = failure(errors) else { return #expect(Bool(false)) }
    #expect(text.utf8.count == 4096)
    let full = try Command(["head", "-c", "300000", "/dev/zero"], mostOutput: 300_000).run()
    #expect(full.count == 300_000)
  }

  /// A daemon that it leaves behind does not keep it.
  @Test func itsOwnEndCounts() throws {
    let output = try Command(["sh", "-c", "(sleep 30 &) ; echo done"], timeout: 20).run()
    #expect(String(decoding: output, as: UTF8.self) == "done\n")
  }

  @Test func itEndsWithItsTask() async throws {
    let folder = try ScratchDirectory()
    let mark = folder.path("started")
    let task = Task {
      try await Command(["sh", "-c", "touch '\(mark)'; sleep 600"], timeout: 600).output()
    }
    try await wait(for: "the command") { FileManager.default.fileExists(atPath: mark) ? true : nil }
    task.cancel()
    await #expect(throws: Command.Failure.cancelled(program: "sh")) { try await task.value }
  }
}
