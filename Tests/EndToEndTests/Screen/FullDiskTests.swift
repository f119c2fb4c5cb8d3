import Foundation
import TestSupport
import Testing
import UploadStore

extension EndToEnd {
  /// The queue's disk is full when the replies come. A limit on the size of files is the same to a program
  /// that writes: the queue's log exceeds 4096 bytes with its first page, a journal is smaller.
  @Suite("The queue's disk is full while files are sent")
  struct FullDiskTests {
    let person: Person
    let gate = Gate()
    let server: SlowServer
    var queue: String { person.folder.path("state/queue.sqlite") }

    init() throws {
      person = try Person()
      server = try SlowServer(gate)
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 1000) }
    }

    /// Opens the screen, and fills the disk once both files are with the server.
    private func visit(room bytes: Int) async throws -> Tmux {
      let terminal = try await person.terminal(columns: 160, rows: 24)
      try await terminal.command(
        "HOIST_QUEUE=\(queue) hoist a.bin b.bin --to \(server.url); echo ended $?")
      try await wait(for: "both files to be with the server") { server.visitors == 2 ? true : nil }
      let store = try UploadStore(path: queue)
      try await wait(for: "both to be noted as handed over") {
        try store.items().count(where: \.state.isHandedOver) == 2 ? true : nil
      }
      try await limit(bytes)
      gate.open()
      try await terminal.wait(until: "both replies and the trouble") {
        $0.shows("the disk") && $0.shows("2 ok")
      }
      return terminal
    }

    private func limit(_ bytes: Int?) async throws {
      let process = try #require(SenderLock.holder(queue: queue))
      let size = bytes.map { "\($0)" } ?? "unlimited"
      let done = try await person.shell("prlimit --pid \(process) --fsize=\(size):unlimited").end()
      try #require(done.status == 0, "\(done.errors)")
    }

    /// Starts hoist again and returns what the screen says at the end.
    private func again(_ terminal: Tmux, _ text: String) async throws -> Tmux.Screen {
      try await terminal.clear()
      try await terminal.command(
        "HOIST_QUEUE=\(queue) hoist --to \(server.url); echo over $?")
      try await terminal.wait(for: text)
      try await terminal.press("q")
      return try await terminal.wait(for: "over 0")
    }

    @Test(
      "a push says that its history is not whole, and that is a failure where it was asked to know it",
      arguments: [("", "0"), ("--skip-sent", "1")])
    func history(options: String, status: String) async throws {
      // Something has to be there before, or the history cannot be opened at all.
      let first = try await person.shell("HOIST_QUEUE=\(queue) hoist queue").end()
      #expect(first.status == 0, "\(first)")
      let program = try person.shell(
        "HOIST_QUEUE=\(queue) hoist push a.bin \(options) --to \(server.url) & echo $! > pid; "
          + "wait $!; echo status $?")
      try await wait(for: "the file to be with the server") { server.visitors == 1 ? true : nil }
      let pid = try await wait(for: "its number") {
        let text = try? String(contentsOfFile: person.folder.path("pid"), encoding: .utf8)
        return text.flatMap { $0.hasSuffix("\n") ? $0.dropLast() : nil }
      }
      let limited = try await person.shell("prlimit --pid \(pid) --fsize=4096:unlimited").end()
      try #require(limited.status == 0, "\(limited.errors)")
      gate.open()
      let outcome = try await program.end()
      #expect(outcome.output.contains("status \(status)"), "\(outcome)")
      #expect(outcome.errors.contains("hoist: the history is incomplete"), "\(outcome)")
      #expect(outcome.errors.contains("1 of 1 file sent"), "\(outcome)")
    }

    @Test(
      "without a screen, that is a failure too", arguments: [["send"], ["send", "--stay"]])
    func withoutScreen(_ command: [String]) async throws {
      for name in ["a.bin", "b.bin"] {
        let added = try await person.shell(
          "HOIST_QUEUE=\(queue) hoist add \(name) --to \(server.url)"
        ).end()
        #expect(added.status == 0, "\(added)")
      }
      let program = try person.shell(
        "HOIST_QUEUE=\(queue) hoist \(command.joined(separator: " ")); echo status $?")
      try await wait(for: "both files to be with the server") { server.visitors == 2 ? true : nil }
      let store = try UploadStore(path: queue)
      try await wait(for: "both to be noted as handed over") {
        try store.items().count(where: \.state.isHandedOver) == 2 ? true : nil
      }
      try await limit(4096)
      let sender = try #require(SenderLock.holder(queue: queue))
      gate.open()
      if command.contains("--stay") {
        try await wait(for: "both results to be kept") {
          let files = try FileManager.default.contentsOfDirectory(atPath: person.folder.path)
          return files.contains { $0.hasSuffix(".results") } ? true : nil
        }
        kill(sender, SIGTERM)
      }
      let outcome = try await program.end()
      #expect(outcome.output.contains("status 1"), "\(outcome)")
      #expect(outcome.errors.contains("was not saved in the queue"), "\(outcome)")
    }

    @Test("hoist queue start resumes a sender that had no room")
    func startedAgain() async throws {
      gate.open()
      let add = { (name: String) in
        let added = try await person.shell(
          "HOIST_QUEUE=\(queue) hoist add \(name) --to \(server.url)"
        ).end()
        #expect(added.status == 0, "\(added)")
      }
      try await add("a.bin")
      let sender = try person.shell("HOIST_QUEUE=\(queue) exec hoist send --stay")
      let store = try UploadStore(path: queue)
      try await wait(for: "the first to be sent", otherwise: { sender.output }) {
        sender.output.contains("a.bin: 200") ? true : nil
      }
      // There is no room to note that the next one begins.
      try await limit(4096)
      try await add("b.bin")
      try await wait(for: "trouble", otherwise: { sender.output }) {
        sender.output.contains("the disk may be full") ? true : nil
      }
      try await limit(nil)
      let started = try await person.shell("HOIST_QUEUE=\(queue) hoist queue start").end()
      #expect(started.status == 0 && started.errors == "the queue resumes\n", "\(started)")
      try await wait(for: "the next to be sent", otherwise: { sender.output }) {
        try store.items().allSatisfy(\.state.isDone) ? true : nil
      }
      try await sender.interrupt(SIGTERM)
      _ = try await sender.end()
    }

    private var outcomes: [String] {
      get throws {
        try UploadStore(path: queue).history().map { $0.outcome?.rawValue ?? "" }.sorted()
      }
    }

    @Test("what could not be written is kept elsewhere, said, and known to the next start")
    func journal() async throws {
      let terminal = try await visit(room: 4096)
      try await terminal.press("q")
      let left = try await terminal.wait(for: "ended 1")
      #expect(left.shows("! a.bin: its result was not saved in the queue"), "\(left.text)")
      #expect(left.says("which the next hoist reads"), "\(left.text)")
      let last = try await again(terminal, "Nothing is queued")
      #expect(server.mostVisitors == 2)
      #expect(try outcomes == ["done", "done"], "\(last.text)")
      let rest = try FileManager.default.contentsOfDirectory(atPath: person.folder.path)
      #expect(!rest.contains { $0.hasSuffix(".results") }, "\(rest)")
    }

    @Test("what was killed with results in memory has not forgotten them either")
    func killed() async throws {
      let terminal = try await visit(room: 4096)
      try await wait(for: "both results to be kept") {
        let files = try FileManager.default.contentsOfDirectory(atPath: person.folder.path)
        guard let name = files.first(where: { $0.hasSuffix(".results") }) else {
          return nil as Bool?
        }
        let text = String(decoding: try bytes(person.folder.path(name)), as: UTF8.self)
        return text.components(separatedBy: "\"done\"").count == 3 ? true : nil
      }
      kill(try #require(SenderLock.holder(queue: queue)), SIGKILL)
      try await terminal.wait(for: "ended 137")
      try await terminal.command("reset")
      _ = try await again(terminal, "Nothing is queued")
      #expect(try outcomes == ["done", "done"])
    }

    @Test("if there is no room anywhere, hoist says so")
    func nowhere() async throws {
      let terminal = try await visit(room: 1)
      try await terminal.press("q")
      let left = try await terminal.wait(for: "ended 1")
      #expect(left.says("may send again what has arrived"), "\(left.text)")
    }

    @Test("as soon as there is room again it is written, without anybody asking")
    func room() async throws {
      let terminal = try await visit(room: 1)
      try await limit(nil)
      let store = try UploadStore(path: queue)
      try await wait(for: "both results in the queue") {
        try store.history().count { $0.outcome == .done } == 2 ? true : nil
      }
      try await terminal.press("q")
      let left = try await terminal.wait(for: "ended 0")
      #expect(left.shows("2 of 2 files sent"), "\(left.text)")
    }
  }
}
