import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite struct DetachedProgramTests {
  @Test func itHasASessionOfItsOwnAndTheFilesItIsGiven() async throws {
    let folder = try ScratchDirectory()
    let output = open(folder.path("output"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // One more than it is given: that must not reach it, though it would be inherited otherwise.
    let other = open("/dev/zero", O_RDONLY)
    defer {
      close(output)
      close(other)
    }
    let script = "ls -l /proc/$$/fd; ps -o sid= -p $$; echo $$; echo words >&3; echo done"
    let process = try DetachedProgram.start(
      ["sh", "-c", script], files: [-1, output, -1, output])
    var status: Int32 = 0
    #expect(waitpid(process, &status, 0) == process && status == 0)
    let text = try String(contentsOfFile: folder.path("output"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(Array(lines.suffix(4)) == ["\(process)", "\(process)", "words", "done"], "\(text)")
    #expect(!text.contains("/dev/zero"), "\(text)")
    #expect(text.contains("0 -> /dev/null") && text.contains("2 -> /dev/null"), "\(text)")
  }

  @Test func whatCannotBeStartedIsSaid() {
    #expect(throws: Command.Failure.notStarted(program: "/no/such", errno: ENOENT)) {
      try DetachedProgram.start(["/no/such"], files: [-1])
    }
  }
}
