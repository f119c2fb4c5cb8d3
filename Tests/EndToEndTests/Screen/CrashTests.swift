import Foundation
import TestSupport
import Testing
import UploadModel
import UploadStore

extension EndToEnd {
  @Suite("hoist is killed")
  struct CrashTests {
    /// How often a hoist is killed that has files to send.
    private static let kills = Effort.of(20, long: 200)
    private static let files = Effort.of(150, long: 500)

    @Test("at random moments: every file arrives, none vanishes, and every copy is accounted for")
    func atRandomMoments() async throws {
      var random = SplitMix64(seed: 2026)
      let person = try Person()
      let inbox = try await person.receiver()
      let queue = person.folder.path("state/queue.sqlite")
      var names: [Data: String] = [:]
      for number in 0..<Self.files {
        let size = Int.random(in: 1...80_000, using: &random)
        let path = try person.folder.write(
          "file-\(number).bin", count: size, seed: UInt64(number + 1))
        names[try bytes(path)] = "file-\(number).bin"
      }
      try #require(names.count == Self.files)
      let added = try await person.shell("hoist add file-*.bin --to \(inbox.url) --queue \(queue)")
        .end()
      try #require(added.status == 0, "\(added.errors)")

      // Slow enough that it is not through before the last kill.
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command(
        "until [ -e fast ]; do hoist --to \(inbox.url) --queue \(queue) --limit 600kB/s; done")
      let store = try UploadStore(path: queue)
      var (last, begun): (Int32, Int) = (0, 0)
      for kill in 1...Self.kills {
        last = try await wait(for: "hoist number \(kill)") { () -> Int32? in
          guard let holder = SenderLock.holder(queue: queue), holder != last else { return nil }
          return holder
        }
        // Some in the middle of their first steps, most under way. The last one too: the terminal's answers to its
        // questions would go to the shell.
        if !kill.isMultiple(of: 4) || kill == Self.kills {
          try await wait(for: "an upload of hoist number \(kill)") {
            try store.history().count > begun || store.items().allSatisfy(\.state.isFinished)
              ? true : nil
          }
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...180, using: &random)))
        if kill == Self.kills { try person.folder.write("fast", []) }
        try #require(Foundation.kill(last, SIGKILL) == 0)
        begun = try store.history().count
        if kill.isMultiple(of: Self.kills / 10) { try checkQueue(queue, after: kill) }
      }

      try await terminal.waitForShell()
      try await terminal.command("hoist --to \(inbox.url) --queue \(queue)")
      try await wait(for: "everything but the unknown", seconds: 120) {
        try store.items().allSatisfy(\.state.isFinished) ? true : nil
      }
      // The person has looked, and wants those sent again of which nobody knows.
      let unknown = try store.items().filter { $0.state.failure?.code == "outcome-unknown" }
      if !unknown.isEmpty {
        let numbers = unknown.map { String($0.id.rawValue) }
        let again = try await person.run(["queue", "retry", "--queue", queue] + numbers)
        try #require(again.status == 0, "\(again.errors)")
      }
      try await wait(
        for: "the end", seconds: 120, otherwise: { "\((try? store.items())?.map(\.state) ?? [])" }
      ) {
        try store.items().allSatisfy(\.state.isDone) ? true : nil
      }

      // What is on the server, by content: the receiver names copies anew.
      var copies: [String: Int] = [:]
      for arrived in inbox.names {
        let content = try #require(inbox.bytes(arrived))
        copies[try #require(names[content], "\(arrived) is no file that was sent"), default: 0] += 1
      }
      var doubtful: [String: Int] = [:]
      var done: [String: Int] = [:]
      for entry in try store.history() {
        switch entry.outcome {
        case .done: done[entry.name, default: 0] += 1
        case .interrupted, .failed("outcome-unknown"): doubtful[entry.name, default: 0] += 1
        default: Issue.record("\(entry.name) ended as \(String(describing: entry.outcome))")
        }
      }
      #expect(Set(copies.keys) == Set(names.values))
      #expect(done == [String: Int](uniqueKeysWithValues: names.values.map { ($0, 1) }))
      for (name, count) in copies where count > 1 {
        #expect(count - 1 <= doubtful[name] ?? 0, "\(name) is there \(count) times")
      }
      // Otherwise the kills came at moments that test nothing.
      #expect(doubtful.values.reduce(0, +) > Self.kills / 2)
    }

    /// Nothing has vanished: each file is in the queue, or was sent.
    private func checkQueue(_ queue: String, after kill: Int) throws {
      let store = try UploadStore(path: queue)
      let left = Set(try store.items().map(\.fileName))
      let sent = Set(try store.history().filter { $0.outcome == .done }.map(\.name))
      #expect(left.union(sent).count == Self.files, "after kill \(kill)")
    }
  }
}
