import Foundation
import TestSupport
import Testing
import UploadStore

extension EndToEnd {
  @Suite("What the machine does not give")
  struct MachineTests {
    let person: Person

    init() throws { person = try Person() }

    @Test("a program in a folder that may not be entered says so, instead of crashing")
    func programFolder() async throws {
      try person.folder.write("a", [1])
      let outcome = try await person.shell(
        """
        mkdir -p shut/bin; cp "$(command -v hoist)" shut/bin; exec 9< shut/bin/hoist; chmod 000 shut
        \(Person.bound) /proc/self/fd/9 push a --to http://127.0.0.1:9/; echo status $?; chmod 755 shut
        """
      ).end()
      #expect(outcome.output == "status 1\n", "\(outcome)")
      #expect(
        outcome.errors.contains("shut/bin, the folder of this program, cannot be accessed"),
        "\(outcome.errors)")
    }

    @Test("too low a limit of open files is reported by every command", arguments: [9, 12, 14, 20])
    func fewFiles(limit: Int) async throws {
      try person.folder.write("a", [1])
      for line in ["--plain", "push a", "queue list"] {
        let outcome = try await person.shell(
          "ulimit -n \(limit); exec hoist \(line)\(line == "queue list" ? "" : " --to http://127.0.0.1:9/")"
        ).end()
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.errors.contains("raise the limit (ulimit -n)"), "\(outcome.errors)")
      }
    }

    @Test("too little address space is reported, as threads would crash or wait for ever")
    func littleAddressSpace() async throws {
      try person.folder.write("a", [1])
      for line in ["--plain", "push a", "queue list", "receive --port 0"] {
        let outcome = try await person.shell("ulimit -v 900000; exec hoist \(line)").end()
        #expect(outcome.status == 1, "\(outcome)")
        #expect(
          outcome.errors.contains("922 MB of address space, but it needs 1.1 GB"),
          "\(outcome.errors)")
        #expect(outcome.errors.contains("raise the limit (ulimit -v)"), "\(outcome.errors)")
      }
    }

    @Test(
      "with as few as it needs everything arrives, however many at once were asked for",
      arguments: ["push -r d", "--plain d"])
    func enoughFiles(line: String) async throws {
      let inbox = try await person.receiver("--no-sync")
      try FileManager.default.createDirectory(
        atPath: person.folder.path("d"), withIntermediateDirectories: false)
      for number in 0..<60 { try person.folder.write("d/\(number)", count: 20_000) }
      let outcome = try await person.shell(
        "ulimit -n $((35 + $(ls /proc/$$/fd | wc -l))); exec hoist \(line) --concurrency 64 --to \(inbox.url)"
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(inbox.names.count == 60)
      #expect(!outcome.errors.contains("attempt"), "\(outcome.errors)")
    }

    @Test(
      "a killed push leaves neither its command nor a copy for longer than until the next start")
    func killed() async throws {
      let inbox = try await person.receiver("--no-sync")
      try person.configure(
        """
        [targets.made]
        url = "\(inbox.url)"
        prepare = { command = ["sh", "-c", "cp $1 $2; echo $$ > pid; exec sleep 600", "sh", "{in}", "{out}"], timeout = "600 s" }
        """)
      try person.folder.write("a", count: 1000)
      let push = try person.hoist("push", "a", "--to", "made")
      let command = try await wait(for: "the command", otherwise: { push.errors }) { () -> pid_t? in
        let text = try? String(contentsOfFile: person.folder.path("pid"), encoding: .utf8)
        return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      }
      #expect(prepared.count == 1)
      push.signal(SIGKILL)
      _ = try await push.end()
      try await wait(for: "the end of the command") {
        let state = try? String(contentsOfFile: "/proc/\(command)/stat", encoding: .utf8)
        return state == nil || state?.contains(") Z ") == true ? true : nil
      }
      // A copy that somebody still needs stays: its lock says so.
      let lock = try person.shell(
        "mkdir hoist-prepared-alive; exec flock hoist-prepared-alive sleep 600")
      try await wait(for: "the lock", otherwise: { lock.errors }) {
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return locks.contains(" \(lock.identifier) ") ? true : nil
      }
      // Leftovers are removed beside a push, which does not wait for it.
      try await wait(for: "no copy but the one in use", otherwise: { "\(prepared)" }) {
        let next = try await person.hoist("push", "a", "--to", inbox.url, "--limit", "500B/s").end()
        #expect(next.status == 0, "\(next)")
        return prepared == ["hoist-prepared-alive"] ? true : nil
      }
    }

    private var prepared: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: person.folder.path)) ?? [])
        .filter { $0.hasPrefix("hoist-prepared-") }
    }
  }
}
