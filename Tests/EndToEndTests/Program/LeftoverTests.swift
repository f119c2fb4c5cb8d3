import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("What tests start ends with them")
  struct LeftoverTests {
    let person: Person

    init() throws { person = try Person() }

    @Test("a program that is let go of takes with it what it left in the background")
    func background() async throws {
      var program: Program? = try person.shell(
        "(until [ -e never ]; do sleep 0.05; done) & echo $! > child; [ \"$1\" ] || exit 3")
      let outcome = try await program?.end()
      #expect(outcome?.status == 3)
      let text = String(decoding: try bytes(person.folder.path("child")), as: UTF8.self)
      let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(kill(child, 0) == 0)
      program = nil
      try await wait(for: "its end") {
        let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        return state == nil || state?.contains(") Z ") == true ? true : nil
      }
    }

    /// As ^c does, a time-out of a CI, or the system that has no memory left.
    @Test("tests that are stopped leave nothing behind", arguments: [SIGINT, SIGTERM, SIGKILL])
    func stopped(signal: Int32) async throws {
      // Stories with a server, a terminal and hoist in it.
      let tests = try Program(
        "\(Person.binaries)/hoistPackageTests.xctest",
        ["--testing-library", "swift-testing", "--filter", "ScreenLeavingTests"],
        environment: ProcessInfo.processInfo.environment.merging(["TMPDIR": person.folder.path]) {
          $1
        },
        directory: person.folder.path)
      let mark = "hoist-test-\(tests.identifier)-"
      try await wait(for: "a terminal", otherwise: { tests.output + tests.errors }) {
        try Self.processes(mark).contains { $0.contains("hoist\0") } ? true : nil
      }
      tests.signal(signal)
      #expect(try await tests.end().status == 128 + signal)
      try await wait(for: "the end of all", otherwise: { (try? "\(Self.processes(mark))") ?? "" }) {
        try Self.processes(mark).isEmpty ? true : nil
      }
      try await wait(for: "no folder of theirs") {
        try FileManager.default.contentsOfDirectory(atPath: person.folder.path).isEmpty ? true : nil
      }
    }

    /// The environments and arguments of those processes that have the mark there.
    private static func processes(_ mark: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        .compactMap { process in
          let texts = ["environ", "cmdline"].compactMap {
            FileManager.default.contents(atPath: "/proc/\(process)/\($0)")
          }
          let text = texts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\0")
          return text.contains(mark) ? text : nil
        }
    }

    @Test(
      "`make test` fails where processes are left, by their folder, arguments or environment",
      arguments: [
        "mkdir MARK; cd MARK; exec sleep 600", "exec sh -c 'sleep 600; : MARK'",
        "MARK=MARK exec sleep 600",
      ])
    func check(line: String) async throws {
      let mark = "left-\(UUID().uuidString.prefix(8))".replacing("-", with: "_")
      let script = Person.repository.appendingPathComponent("Tools/tests/leftovers.sh").path
      try person.folder.write("mark", Array("\(mark)\n".utf8))
      let program = try person.shell(line.replacing("MARK", with: mark))
      let found = try await wait(for: "the script to see it", otherwise: { program.errors }) {
        let outcome = try await person.shell("exec \(script) - 1 < mark").end()
        return outcome.status == 1 ? outcome : nil
      }
      #expect(found.errors.contains("\(program.identifier): "), "\(found)")
      try await wait(for: "its end") { program.hasEnded ? true : nil }
      #expect(try await person.shell("exec \(script) - 1 < mark").end().status == 0)
    }
  }
}
