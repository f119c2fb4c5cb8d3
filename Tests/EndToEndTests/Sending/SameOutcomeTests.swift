import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Where the ways differ on purpose, docs/queue.md says so, and a story of its own shows it.
  @Suite("The same files come to the same end, however they are sent")
  struct SameOutcomeTests {
    let person: Person

    init() throws { person = try Person() }

    /// How files are sent.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
      case push, send
      case screen = "a screen in plain lines"
      case onlooker = "a hoist that looks on"
      var testDescription: String { rawValue }
    }

    /// What a way says of the files.
    private struct Said {
      var states: [String: String]
      /// The lines on standard error.
      var lines: [String]
      var status: Int32
    }

    private static let stories = Situation.all.flatMap { situation in
      Way.allCases.filter { !situation.needsPerson || $0 != .screen }.map { (situation, $0) }
    }

    @Test("states, lines, summary, requests and status", arguments: stories)
    func same(_ situation: Situation, _ way: Way) async throws {
      let server = try Situation.Server(situation, isHeld: way == .onlooker)
      try person.configure(situation.configuration(server.port))
      for name in situation.files {
        try person.folder.write(name, Array("content of \(name)".utf8))
      }
      let said = try await send(situation.files, server, way, ending: situation.status)
      for name in situation.files {
        let end = situation.ends[name]
        #expect(said.states[name] == end?.state ?? "done", "\(name): \(said)")
        if let line = end?.line, !line.isEmpty {
          let lines = said.lines.filter { $0.hasPrefix(line) }
          #expect(lines.count == 1, "\(line): \(said.lines)")
        }
      }
      let summary = said.lines.first { $0.contains(" sent") && $0.contains(" of ") } ?? ""
      #expect(Self.plain(summary) == situation.summary, "\(said.lines)")
      #expect(said.status == situation.status, "\(said)")
      #expect(server.requests == situation.requests)
    }

    private func send(
      _ files: [String], _ server: Situation.Server, _ way: Way, ending status: Int32
    ) async throws -> Said {
      switch way {
      case .push:
        let outcome = try await person.hoist(["push", "--to", "t", "--report", "r.json"] + files)
          .end()
        return Said(
          states: try pushed(), lines: Self.lines(outcome.errors), status: outcome.status)
      case .screen:
        let outcome = try await person.hoist(["--plain", "--to", "t"] + files).end()
        return Said(
          states: try await queued(), lines: Self.lines(outcome.errors), status: outcome.status)
      case .send:
        try await add(files)
        let outcome = try await person.hoist("send").end()
        return Said(
          states: try await queued(), lines: Self.lines(outcome.errors), status: outcome.status)
      case .onlooker:
        try await add(files)
        let sender = try person.hoist("send")
        try await wait(for: "a request", otherwise: { sender.errors }) {
          // Without a request, there is nothing to look at.
          server.requests > 0 ? true : nil
        }
        let onlooker = try person.hoist("send")
        try await wait(for: "one that looks on", otherwise: { onlooker.output }) {
          onlooker.output.contains(" in the queue") ? true : nil
        }
        #expect(onlooker.output.contains("another hoist (process "), "\(onlooker.output)")
        server.letGo()
        let (first, second) = (try await sender.end(), try await onlooker.end())
        #expect(first.status == status, "\(first)\n\(second)")
        return Said(
          states: try await queued(), lines: Self.lines(second.errors), status: second.status)
      }
    }

    @Test("a server that cannot be reached: a push gives up, and a queue waits")
    func unreachable() async throws {
      let situation = Situation(name: "", summary: "", requests: 3)
      let port = try HostileServer.closedPort()
      try person.configure(situation.configuration(port))
      for name in situation.files { try person.folder.write(name, Array("content".utf8)) }
      try await add(situation.files)
      let sender = try person.hoist("send")
      let push = try await person.hoist(["push", "--to", "t"] + situation.files).end()
      // On a slow machine, the last file may not be tried any more.
      #expect(push.status == 1 && push.errors.contains("0 of 3 files sent; "), "\(push)")
      try await wait(for: "the trouble", otherwise: { sender.output }) {
        sender.output.contains("cannot be reached: connection refused") ? true : nil
      }
      let server = try Situation.Server(situation, at: port, isHeld: false)
      let sent = try await sender.end()
      #expect(sent.status == 0 && sent.errors.contains("3 of 3 files sent"), "\(sent)")
      #expect(server.requests >= 3)
    }

    @Test("a wait that is longer than the target's: a push gives up, and a queue keeps the file")
    func longWait() async throws {
      let situation = Situation(
        name: "", replies: ["/c": ["429 Retry-After: 300"]], summary: "", requests: 3)
      let server = try Situation.Server(situation, isHeld: false)
      try person.configure(situation.configuration(server.port))
      for name in situation.files { try person.folder.write(name, Array("content".utf8)) }
      let push = try await person.hoist(["push", "--to", "t"] + situation.files).end()
      #expect(push.status == 1, "\(push)")
      #expect(push.errors.contains("✗ c: 429 Too Many Requests"), "\(push)")
      #expect(Self.plain(push.errors).contains("2 of 3 files sent; 1 failed"), "\(push)")
      try await add(situation.files)
      let sender = try person.hoist("send")
      try await wait(for: "the wait", otherwise: { sender.output }) {
        sender.output.contains("c: 429 Too Many Requests; try 2 of 2 in") ? true : nil
      }
      try await sender.interrupt(SIGINT)
      let sent = try await sender.end()
      #expect(sent.status == 130 && sent.errors.contains("· c: not sent"), "\(sent)")
      #expect(
        Self.plain(sent.errors).contains("2 of 3 files sent")
          && sent.errors.contains("; 1 file left in the queue for the next hoist"), "\(sent)")
      #expect(try await queued() == ["a": "done", "b": "done", "c": "waiting"])
      // The next hoist does not ask earlier, either.
      let requests = server.requests
      let next = try person.hoist("send")
      try await wait(for: "the same wait", otherwise: { next.output + next.errors }) {
        next.output.contains("asks to wait") ? true : nil
      }
      try await next.interrupt(SIGINT)
      _ = try await next.end()
      #expect(server.requests == requests)
    }

    /// Ways to end a hoist in the middle, and the hoist that ends.
    private static let endings = Way.allCases.flatMap { way in
      [SIGINT, SIGTERM, SIGKILL].map { (way, $0) }
    }

    /// All of the first file has arrived when hoist ends, and no reply has come.
    @Test(
      "an end in the middle: what was not sent is sent later, by a retry, the next sender or the one that looks on",
      arguments: endings)
    func ended(_ way: Way, by signal: Int32) async throws {
      let situation = Situation(name: "", summary: "", requests: 3)
      let server = try Situation.Server(situation, isHeld: true)
      try person.configure(situation.configuration(server.port))
      for name in situation.files { try person.folder.write(name, Array("content".utf8)) }
      if way == .send || way == .onlooker { try await add(situation.files) }
      let first =
        switch way {
        case .push: try person.hoist(["push", "--to", "t", "--report", "r.json"] + situation.files)
        case .screen: try person.hoist(["--plain", "--to", "t"] + situation.files)
        case .send, .onlooker: try person.hoist("send")
        }
      try await wait(for: "a request", otherwise: { first.errors }) {
        server.requests > 0 ? true : nil
      }
      let onlooker = way == .onlooker ? try person.hoist("send") : nil
      if let onlooker {
        try await wait(for: "one that looks on", otherwise: { onlooker.output }) {
          onlooker.output.contains(" in the queue") ? true : nil
        }
      }
      if way != .push {
        try await wait(for: "the queue to know", otherwise: { first.output }) {
          try await queued()["a"] == "awaiting-reply" ? true : nil
        }
      }
      if signal == SIGKILL { first.signal(signal) } else { try await first.interrupt(signal) }
      let outcome = try await first.end()
      server.letGo()
      if signal == SIGKILL {
        #expect(outcome.status == 128 + SIGKILL, "\(outcome)")
      } else {
        #expect(outcome.status == (way == .screen ? 1 : 130), "\(outcome)")
        let words = Self.plain(outcome.errors)
        #expect(words.contains("? a: may have arrived"), "\(words)")
        #expect(
          words.contains("0 of 3 files sent; 1 unknown" + (way == .push ? "; 2 cancelled" : "")),
          "\(words)")
      }
      let second: Program.Outcome
      switch way {
      // Nothing is left of a push that was killed.
      case .push where signal == SIGKILL:
        second = try await person.hoist(["push", "--to", "t"] + situation.files).end()
        #expect(second.status == 0 && server.requests == 4, "\(second)")
        return
      case .push: second = try await person.hoist("push", "--retry-failed", "r.json").end()
      case .send, .screen: second = try await person.hoist("send").end()
      case .onlooker: second = try await #require(onlooker).end()
      }
      #expect(second.status == 1, "\(second)")
      // Each was sent once.
      #expect(server.paths == ["/a", "/b", "/c"] && server.requests == 3, "\(second)")
      if way != .push {
        #expect(try await queued() == ["a": "unknown", "b": "done", "c": "done"], "\(second)")
        let summary = Self.lines(second.errors).last { $0.contains(" of 3 files sent") } ?? ""
        #expect(Self.plain(summary) == "2 of 3 files sent; 1 unknown", "\(second)")
      }
    }

    private func add(_ files: [String]) async throws {
      _ = try await person.run(["add", "--to", "t"] + files)
    }

    /// The states that the report of a push has, as the queue calls them.
    private func pushed() throws -> [String: String] {
      let report = try JSONSerialization.jsonObject(with: bytes(person.folder.path("r.json")))
      let files = (report as? [String: Any])?["files"] as? [[String: Any]] ?? []
      return Dictionary(
        files.map { file in
          let result = file["result"] as? String ?? ""
          let isUnclear = file["arrival"] as? String == "unclear"
          let state =
            ["sent": "done", "there-already": "done", "skipped": "done"][result] ?? result
          return (file["path"] as? String ?? "", isUnclear ? "unknown" : state)
        }, uniquingKeysWith: { $1 })
    }

    /// The states that the queue has. A sender that goes on with it has cleared what was sent: the history knows that.
    private func queued() async throws -> [String: String] {
      func words(_ arguments: [String], _ member: String) async throws -> [String: String] {
        let lines = try await person.run(arguments).output.split(separator: "\n")
        return Dictionary(
          try lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (object?["name"] as? String ?? "", object?[member] as? String ?? "")
          }, uniquingKeysWith: { $1 })
      }
      let sent = try await words(["history", "--json"], "outcome").compactMapValues {
        ["done", "there-already", "skipped"].contains($0) ? "done" : nil
      }
      return try await words(["queue", "--json"], "state").merging(sent) { queue, _ in queue }
    }

    private static func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map(String.init)
    }

    /// A summary without its figures, and without what is only said of a queue.
    private static func plain(_ summary: String) -> String {
      summary.replacing(#/, [0-9.]+ [kMG]?i?B in [0-9.:]+( ms| s)?/#, with: "")
        .replacing(
          #/; (\d+ files? left in the queue for the next hoist|what was not sent stays in the queue)/#,
          with: "")
    }
  }
}
