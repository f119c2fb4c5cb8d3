import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel
import UploadStore

extension EndToEnd {
  @Suite("Uploads go on when their screen is left")
  struct BackgroundTests {
    let person: Person

    init() throws { person = try Person() }

    /// A screen with two files under way, which take four seconds unless told otherwise, with credentials that
    /// only its memory holds.
    private func visit(_ inbox: Inbox, limit: String = "1MB/s") async throws -> Tmux {
      for name in ["first.bin", "second.bin"] {
        try person.folder.write(name, count: 2_000_000, seed: 3)
      }
      let terminal = try await person.terminal()
      try await terminal.command(
        "hoist first.bin second.bin --to \(inbox.url) --limit \(limit) --header 'Authorization: Bearer right'"
          + "; echo ended $?")
      try await terminal.wait(for: "sending")
      return terminal
    }

    private func hasAll(_ inbox: Inbox) async throws {
      let whole = try bytes(person.folder.path("first.bin"))
      try await wait(for: "both files", otherwise: { inbox.names.joined(separator: " ") }) {
        inbox.bytes("first.bin") == whole && inbox.bytes("second.bin") == whole ? true : nil
      }
      // No copies beside them.
      #expect(inbox.names == ["first.bin", "second.bin"])
      try await wait(for: "the sender's end") {
        SenderLock.isTaken(queue: queue) ? nil : true
      }
      let history = try await person.run("history", "--json").output
      #expect(history.components(separatedBy: #""outcome":"done""#).count == 3, "\(history)")
    }

    private var queue: String { "\(person.home.path)/.local/state/hoist/queue.sqlite" }

    @Test("q, b: another process goes on, with what only memory held")
    func leave() async throws {
      let inbox = try await person.receiver("--token", "right")
      let terminal = try await visit(inbox, limit: "300kB/s")
      // No upload ends before the next screen is there, for nobody answers.
      inbox.program.signal(SIGSTOP)
      try await terminal.press("q")
      try await terminal.wait(for: "go on in the background")
      try await terminal.press("b")
      let shell = try await terminal.wait(for: "ended 0")
      let words = try #require(shell.row(with: "sent in the background"))
      let process = try #require(words.firstMatch(of: /process (\d+)/)?.1)
      // The lock has gone over without a gap.
      #expect(SenderLock.isTaken(queue: queue))
      #expect(SenderLock.holder(queue: queue) == Int32(process))
      // Nothing of the terminal is left, and no secret is among the arguments.
      let folder = "/proc/\(process)"
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)")
      }
      #expect(!files.contains { $0.hasPrefix("/dev/pts") || $0.hasPrefix("/dev/tty") }, "\(files)")
      let arguments = try String(contentsOfFile: "\(folder)/cmdline", encoding: .utf8)
      #expect(arguments.hasSuffix("send\0--take-over\0"))
      let status = try String(contentsOfFile: "\(folder)/stat", encoding: .utf8)
      #expect(status.split(separator: " ")[5] == process, "leads no session: \(status)")
      // The next screen goes on under the limit of the one that was left.
      let next = try await person.terminal()
      try await next.command("hoist --to \(inbox.url)")
      try await next.wait(until: "the sender's limit") {
        $0.shows("limit 300 kB/s") && $0.shows("sends this queue")
      }
      inbox.program.signal(SIGCONT)
      try await next.wait(until: "the right to send") { !$0.shows("sends this queue") }
      try await next.press("?")
      try await next.wait(for: "─ Help ─")
      try await next.press("Escape")
      // A key on the heels of Escape would make one with it: what terminals send for Alt.
      try await next.wait(until: "the same limit") {
        !$0.shows("─ Help ─") && $0.shows("limit 300 kB/s")
      }
      try await next.press("q")
      try await hasAll(inbox)
    }

    @Test("q, b: what a hoist receiver has of a file is not sent again")
    func resumed() async throws {
      let inbox = try await person.receiver()
      try person.configure(
        """
        [targets.desk]
        type = "hoist"
        url = "\(inbox.url.replacing("/upload", with: "/"))"
        """)
      let path = try person.folder.write("large.bin", count: 8_000_000, seed: 3)
      try await FileChange.waitUntilOld(path)
      let terminal = try await person.terminal()
      try await terminal.command("hoist large.bin --to desk --limit 700kB/s; echo ended $?")
      try await wait(for: "some of it", otherwise: { inbox.names.joined(separator: " ") }) {
        inbox.hasMegabyteOfUpload ? true : nil
      }
      try await terminal.press("q")
      let asked = try await terminal.wait(for: "go on in the background")
      #expect(!asked.shows("starts again"), "\(asked.text)")
      try await terminal.press("b")
      try await terminal.wait(for: "ended 0")
      let whole = try bytes(path)
      try await wait(for: "the file", otherwise: { inbox.names.joined(separator: " ") }) {
        inbox.bytes("large.bin") == whole ? true : nil
      }
      try await wait(for: "the sender's end") {
        SenderLock.isTaken(queue: queue) ? nil : true
      }
      let history = try await person.run("history").output
      #expect(history.firstMatch(of: /8\.0 MB from \d+%/) != nil, "\(history)")
    }

    @Test("q, b: what waits for credentials is not tried again, and the rest is sent")
    func refused() async throws {
      let posts = Mutex(0)
      let server = try AdviceServer { _, _ in
        posts.withLock { $0 += 1 }
        return .reply("401 No")
      }
      let gate = Gate()
      let slow = try SlowServer(gate)
      try person.configure(
        """
        default_target = "tok"
        [targets.tok]
        url = "\(server.address)/u"
        auth = { bearer = "wrong" }
        concurrency = 1
        [targets.slow]
        url = "\(slow.url)"

        """)
      for number in 1...4 { try person.folder.write("\(number).txt", [1]) }
      try person.folder.write("large.bin", count: 20_000_000, seed: 3)
      _ = try await person.run("add", "large.bin", "--to", "slow")
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command("hoist ?.txt; echo ended $?")
      try await terminal.wait(until: "one refusal, and one under way") {
        $0.shows("1 failed  3 waiting") && $0.shows("1 active")
      }
      try await terminal.press("q")
      let asked = try await terminal.wait(for: "go on in the background")
      #expect(asked.shows("3 files wait for credentials: nothing goes there"), "\(asked.text)")
      try await terminal.press("b")
      try await terminal.wait(for: "ended")
      gate.open()
      try await wait(for: "the sender's end") { SenderLock.isTaken(queue: queue) ? nil : true }
      #expect(posts.withLock { $0 } == 1)
      let states = try UploadStore(path: queue).items().map(\.state)
      #expect(states.count { $0.isDone } == 1 && states.count { $0.isFailed } == 1, "\(states)")
      #expect(states.count { $0 == .waiting } == 3, "\(states)")
    }

    @Test("a closed terminal does not end them where the configuration says so")
    func closed() async throws {
      try person.configure("[screen]\nbackground = true\n")
      let inbox = try await person.receiver("--token", "right")
      var terminal: Tmux? = try await visit(inbox)
      #expect(terminal != nil)
      // Its end closes the terminal.
      terminal = nil
      try await hasAll(inbox)
    }

    @Test("a closed terminal ends them otherwise, and the queue is kept")
    func stopped() async throws {
      let inbox = try await person.receiver("--token", "right")
      var terminal: Tmux? = try await visit(inbox, limit: "50kB/s")
      #expect(terminal != nil)
      terminal = nil
      try await wait(for: "the end of the sender") {
        SenderLock.isTaken(queue: queue) ? nil : true
      }
      let left = try await person.run("queue")
      #expect(left.output.contains("first.bin") && left.output.contains("second.bin"))
    }

    @Test("nobody takes over what nobody hands over")
    func alone() async throws {
      let outcome = try await person.hoist("send", "--take-over").end()
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains("run hoist send"))
    }
  }
}
