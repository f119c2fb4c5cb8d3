import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  /// `c` in the pane of targets after a server has refused the credentials: it says what it knows, and costs no file.
  @Suite("A check of credentials that were refused")
  struct CredentialCheckTests {
    let person: Person
    private static let count = 6

    init() throws {
      person = try Person()
      for number in 1...Self.count { try person.folder.write("\(number).txt", [1]) }
    }

    private func configure(_ address: String, token: String) throws {
      try person.configure(
        """
        default_target = "tok"
        [targets.tok]
        url = "\(address)"
        auth = { bearer = "\(token)" }
        concurrency = 1

        """)
    }

    /// Opens the pane of targets once the first file has been refused and the others wait.
    private func open() async throws -> Tmux {
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command("hoist ?.txt")
      try await terminal.wait(until: "one refusal, and why the others wait") {
        $0.shows("1 failed  \(Self.count - 1) waiting")
          && $0.rows.first?.contains("credentials refused") == true
      }
      try await terminal.press("5")
      try await terminal.wait(until: "the pane") {
        $0.row(with: "✓ tok")?.contains("credentials refused") == true
      }
      return terminal
    }

    @Test("where the server does not ask for them in a HEAD, it says so; new ones are used at once")
    func untested() async throws {
      let posts = Mutex(0)
      let server = try AdviceServer { request, _ in
        if request.line.hasPrefix("HEAD") { return .reply("200 OK") }
        posts.withLock { $0 += 1 }
        return request.headers["authorization"] == "Bearer right" ? .take : .reply("401 No")
      }
      try configure("\(server.address)/u", token: "wrong")
      let terminal = try await open()
      try await terminal.press("c")
      let told = try await terminal.wait(until: "what it knows") {
        $0.says(
          "tok answers, but this does not test its credentials, which are those that it refused")
          && $0.row(with: "✓ tok")?.contains("credentials refused") == true
      }
      #expect(told.says("R in the queue does, with a file"), "\(told.text)")
      #expect(posts.withLock { $0 } == 1)
      try configure("\(server.address)/u", token: "right")
      try await terminal.press("c")
      try await terminal.wait(for: "\(Self.count) ok")
      #expect(posts.withLock { $0 } == Self.count + 1, "the first one twice")
    }

    @Test("what is being sent with the old ones is sent again with the new ones")
    func underWay() async throws {
      let posts = Mutex(0)
      let isChecked = DispatchSemaphore(value: 0)
      let server = try AdviceServer { request, _ in
        if request.line.hasPrefix("HEAD") { return .reply("200 OK") }
        posts.withLock { $0 += 1 }
        if request.headers["authorization"] == "Bearer right" { return .take }
        isChecked.wait()
        return .reply("401 No")
      }
      defer { isChecked.signal() }
      try configure("\(server.address)/u", token: "wrong")
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command("hoist 1.txt")
      try await wait(for: "the file with the old token") { posts.withLock { $0 } == 1 ? true : nil }
      try configure("\(server.address)/u", token: "right")
      try await terminal.press("5")
      try await terminal.wait(until: "the pane") { $0.row(with: "✓ tok") != nil }
      // The row says how many are sent, and the log what the check has found.
      try await terminal.press("c", "4")
      try await terminal.wait(for: "tok: answers")
      isChecked.signal()
      let told = try await terminal.wait(for: "1 ok")
      #expect(!told.says("credentials refused"), "\(told.text)")
      #expect(posts.withLock { $0 } == 2)
    }

    @Test("where the server refuses them again, no file is sent; once it takes them, all are")
    func tested() async throws {
      let isOpen = Mutex(false)
      let posts = Mutex(0)
      let server = try AdviceServer { request, _ in
        if !request.line.hasPrefix("HEAD") { posts.withLock { $0 += 1 } }
        let isRight = request.headers["authorization"] == "Bearer once" && isOpen.withLock { $0 }
        return isRight
          ? (request.line.hasPrefix("HEAD") ? .reply("200 OK") : .take) : .reply("401 No")
      }
      try configure("\(server.address)/u", token: "once")
      let terminal = try await open()
      for words in ["tok", "tok, as before"] {
        try await terminal.press("c")
        try await terminal.wait(for: "\(words): refuses the credentials: 401 Unauthorized")
      }
      #expect(posts.withLock { $0 } == 1)
      // The same token is valid again, which the check shows.
      isOpen.withLock { $0 = true }
      try await terminal.press("c")
      try await terminal.wait(for: "\(Self.count) ok")
      #expect(posts.withLock { $0 } == Self.count + 1)
    }
  }
}
