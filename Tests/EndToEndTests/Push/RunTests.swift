import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  /// A target with requests before the first file and after the last, against a strict copy of Zenodo.
  @Suite("Runs: a draft, its files, its publication", StrictCopies("endpoints.py"))
  struct RunTests {
    /// A draft at the server.
    struct Draft: Decodable, Equatable {
      /// Whether it is published; nil if it was deleted.
      var submitted: Bool?
      var files: [String]
    }

    private let desk: EndpointTests.Desk

    init() throws {
      desk = try EndpointTests.Desk()
      try take()
    }

    private func take(_ edit: (String) -> String = { $0 }) throws {
      try desk.take(try #require(EndpointTests.cases.first { $0.recipe == "zenodo" }), edit)
    }

    private func ask(_ line: String) throws -> String {
      let client = try RawClient(port: try #require(URL(string: desk.base)?.port))
      try client.send("\(line) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
      return try client.readReply().text
    }

    private func drafts() throws -> [Draft] {
      try JSONDecoder().decode([Draft].self, from: Data(try ask("GET /zenodo/drafts").utf8))
    }

    private func write(_ names: String...) throws {
      for name in names { try desk.person.folder.write(name, count: 3000) }
    }

    private func shell(_ line: String) async throws -> Program.Outcome {
      try await desk.shell(line, secret: "ZENODO_TOKEN")
    }

    @Test("a push has one draft, which is published once all files are there")
    func push() async throws {
      try write("a.csv", "b.csv", "c.csv")
      let pushed = try await shell("hoist push *.csv --json $R")
      #expect(pushed.status == 0, "\(pushed)")
      #expect(try drafts() == [Draft(submitted: true, files: ["a.csv", "b.csv", "c.csv"])])
      let events = try pushed.events().compactMap { $0.text("event") }
      #expect(events.filter { $0 == "opened" || $0 == "closed" } == ["opened", "closed"])
      #expect(events.lastIndex(of: "finished") ?? .max < events.lastIndex(of: "closed") ?? 0)
      let again = try await shell("hoist push a.csv $R")
      #expect(again.status == 0 && again.errors.contains("zenodo: closed (bucket: "), "\(again)")
      #expect(try drafts().count == 2)
      let history = try await shell("hoist history")
      #expect(history.output.contains("run of zenodo: closed"), "\(history)")
    }

    @Test(
      "what happens if a file fails is as configured",
      arguments: [
        (
          "keep", Draft(submitted: false, files: ["a.csv"]),
          "left open, since not all files arrived"
        ),
        ("close", Draft(submitted: true, files: ["a.csv"]), "zenodo: closed"),
        ("abort", Draft(submitted: nil, files: []), "aborted, since not all files arrived"),
      ])
    func failures(_ way: String, _ draft: Draft, _ words: String) async throws {
      try take { $0.replacing("on_failure = \"keep\"", with: "on_failure = \"\(way)\"") }
      _ = try ask("POST /zenodo/refuse/bad")
      try write("a.csv", "bad.csv")
      let pushed = try await shell("hoist push *.csv $R")
      #expect(pushed.status == 1 && pushed.errors.contains(words), "\(pushed)")
      #expect(try drafts() == [draft])
    }

    @Test(
      "what was left open goes on with the report, and is published once, when all of it is there")
    func continued() async throws {
      try write("a.csv")
      let pushed = try await shell("hoist push a.csv b.csv c.csv --report r.json $R")
      #expect(pushed.status == 1 && pushed.errors.contains("left open"), "\(pushed)")
      #expect(pushed.errors.contains("hoist push --retry-failed r.json"), "\(pushed)")
      try write("b.csv")
      let second = try await shell("hoist push --retry-failed r.json --report r.json $R")
      #expect(second.status == 1, "\(second)")
      #expect(try drafts() == [Draft(submitted: false, files: ["a.csv", "b.csv"])])
      try write("c.csv")
      let third = try await shell("hoist push --retry-failed r.json --report r.json $R")
      #expect(third.status == 0 && third.errors.contains("zenodo: closed"), "\(third)")
      #expect(try drafts() == [Draft(submitted: true, files: ["a.csv", "b.csv", "c.csv"])])
    }

    /// A target with a run, at a server of ours.
    private static func target(at server: HostileServer) -> String {
      """
      [targets.z]
      url = "\(server.url("/up/{open.id}"))"
      open = { url = "\(server.url("/open"))", values = { id = "/id" } }
      close = { url = "\(server.url("/publish/{open.id}"))" }
      """
    }

    @Test("a file that may have arrived and is left out keeps a run open")
    func leftOut() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          // The reply to this file is lost.
          if String(decoding: request.body, as: UTF8.self).contains("\"b\"") { break }
          let id = "{\"id\": 7}"
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(id.utf8.count)\r\n\r\n\(id)")
        }
        connection.close()
      }
      defer { server.stop() }
      try person.configure(Self.target(at: server))
      try person.folder.write("a", [1])
      try person.folder.write("b", [2])
      let first = try await person.run("push", "a", "b", "--to", "z", "--report", "r.json")
      #expect(first.status == 1 && first.errors.contains("left open"), "\(first)")
      let second = try await person.run("push", "--retry-failed", "r.json", "--to", "z")
      #expect(second.status == 1 && second.errors.contains("left open"), "\(second)")
      #expect(!server.requests.contains { $0.line.contains("/publish/") }, "\(second)")
    }

    @Test("an interrupted push says that it waits for the reply that opens a run")
    func interrupted() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in
        guard connection.readRequest() != nil else { return }
        connection.stall()
      }
      defer { server.stop() }
      try person.configure(Self.target(at: server))
      try person.folder.write("a", [1])
      let asked = Mutex(0)
      let signals = AsyncStream<Int32> {
        // Asked again, the push has dealt with the first signal.
        guard
          asked.withLock({
            $0 += 1; return $0
          }) == 1
        else {
          server.stop()
          return nil
        }
        await server.stalled()
        return SIGINT
      }
      let outcome = try await person.run(
        ["push", "a", "--to", "z"], time: .system, signals: signals)
      #expect(outcome.status == 130, "\(outcome)")
      #expect(outcome.errors.contains("z: the run is being ended; interrupt again"), "\(outcome)")
    }

    @Test("what was aborted does not go on with a part of its files")
    func abortedIsNotContinued() async throws {
      try take { $0.replacing("on_failure = \"keep\"", with: "on_failure = \"abort\"") }
      _ = try ask("POST /zenodo/refuse/bad")
      try write("a.csv", "bad.csv")
      let pushed = try await shell("hoist push *.csv --report r.json $R")
      #expect(pushed.status == 1 && !pushed.errors.contains("--retry-failed"), "\(pushed)")
      let again = try await shell("hoist push --retry-failed r.json $R")
      #expect(again.status == 2 && again.errors.contains("the run was aborted"), "\(again)")
      #expect(try drafts().count == 1)
    }

    @Test("a file that cannot even be read keeps the draft from being published")
    func missing() async throws {
      try write("a.csv")
      let pushed = try await shell("hoist push a.csv none.csv $R")
      #expect(pushed.status == 1 && pushed.errors.contains("left open"), "\(pushed)")
      #expect(try drafts() == [Draft(submitted: false, files: ["a.csv"])])
    }

    @Test("if the draft is refused, nothing is sent, and it was asked for once")
    func refused() async throws {
      try write("a.csv", "b.csv", "c.csv", "d.csv", "e.csv", "f.csv")
      let pushed = try await desk.shell(
        "ZENODO_TOKEN=wrong hoist push *.csv --json $R", secret: nil)
      #expect(pushed.status == 1, "\(pushed)")
      let events = try pushed.events()
      let failed = events.filter { $0.text("event") == "failed" }
      #expect(failed.map { $0.text("cause") } == ["http-401"], "\(pushed)")
      let untried = events.filter { $0.text("event") == "not_tried" }
      #expect(untried.count == 5, "\(pushed)")
      #expect(untried.allSatisfy { $0.text("message")?.contains("(open) failed") == true })
      #expect(try drafts() == [])
    }

    @Test("a draft that is refused for now is asked for again")
    func refusedForNow() async throws {
      try write("a.csv", "b.csv", "c.csv")
      _ = try ask("POST /zenodo/refuse/open")
      let pushed = try await shell("hoist push *.csv $R")
      #expect(pushed.status == 0, "\(pushed)")
      #expect(try drafts() == [Draft(submitted: true, files: ["a.csv", "b.csv", "c.csv"])])
    }

    @Test("a publication that is refused is a failure, with what the server said")
    func unpublished() async throws {
      try write("a.csv")
      _ = try ask("POST /zenodo/refuse/publish")
      let pushed = try await shell("hoist push a.csv --report report.json --json $R")
      #expect(pushed.status == 1, "\(pushed)")
      let end = try pushed.events().first { $0.text("event") == "close_failed" }
      #expect(
        end?.text("cause") == "http-400" && end?.text("reply")?.contains("Validation") == true)
      #expect(
        try String(contentsOfFile: desk.person.folder.path + "/report.json", encoding: .utf8)
          .contains("\"run\" : \"close_failed\""))
      #expect(try drafts() == [Draft(submitted: false, files: ["a.csv"])])
    }

    @Test("immich: all photos of a push are in one album, those that it has already as well")
    func album() async throws {
      try desk.take(try #require(EndpointTests.cases.first { $0.recipe == "immich-album" }))
      for (seed, name) in zip(UInt64(1)..., ["a.png", "b.png", "c.png"]) {
        try desk.person.folder.write(name, count: 3000, seed: seed)
      }
      for expected in ["a.png", "*.png"] {
        let pushed = try await desk.shell("hoist push \(expected) $R", secret: "IMMICH_KEY")
        #expect(pushed.status == 0, "\(pushed)")
      }
      let albums = try JSONDecoder().decode([[String]].self, from: Data(try desk.kept("albums")))
      #expect(albums.map(\.count) == [1, 3])
    }

    @Test("--dry-run shows both requests, and sends nothing")
    func dryRun() async throws {
      try write("a.csv")
      let shown = try await shell("hoist push a.csv --dry-run $R")
      #expect(shown.status == 0, "\(shown)")
      let lines = shown.output.split(separator: "\n")
      #expect(
        lines.first?.hasPrefix("once, before the first file: POST \(desk.base)/zenodo/api/deposit")
          == true, "\(shown)")
      #expect(shown.output.contains("/api/files/{open.bucket}/a.csv"), "\(shown)")
      #expect(
        shown.output.contains("once, after the last file: POST ")
          && shown.output.contains("/{open.id}/actions/publish"), "\(shown)")
      #expect(try drafts() == [])
    }

    @Test("the queue: a failed file keeps the draft open until it is there")
    func queue() async throws {
      _ = try ask("POST /zenodo/refuse/bad")
      try write("a.csv", "bad.csv")
      let first = try await shell("hoist add *.csv --to zenodo $R && hoist send $R")
      #expect(first.status == 1 && (first.output + first.errors).contains("left open"), "\(first)")
      #expect(try drafts() == [Draft(submitted: false, files: ["a.csv"])])
      let second = try await shell(
        "hoist queue remove 2 && printf 1 > c.csv && hoist add c.csv --to zenodo $R && hoist send $R"
      )
      #expect(second.status == 0, "\(second)")
      #expect(try drafts() == [Draft(submitted: true, files: ["a.csv", "c.csv"])])
    }

    @Test("kills at random moments: never two published, none published without all files")
    func kills() async throws {
      var names: [String] = []
      for number in 10..<40 { names.append("\(number).csv") }
      for name in names { try desk.person.folder.write(name, count: 20_000) }
      let added = try await shell("hoist add *.csv --to zenodo $R")
      try #require(added.status == 0, "\(added)")
      for _ in 1...Effort.of(5, long: 20) {
        let pause = Int.random(in: 150...700)
        _ = try await shell(
          "hoist send --limit 200kB/s $R > /dev/null 2>&1 & p=$!; sleep 0.\(pause); kill -9 $p; wait $p"
        )
        let published = try drafts().filter { $0.submitted == true }
        #expect(published.count <= 1)
        #expect(published.allSatisfy { $0.files == names })
      }
      let sent = try await shell("hoist send $R")
      let known = try await shell("hoist history | grep -c 'run of zenodo: perhaps closed'")
      let published = try drafts().filter { $0.submitted == true }
      #expect(published.allSatisfy { $0.files == names } && published.count <= 1)
      // Unless hoist was killed while the publication was under way, it has happened.
      #expect(published.count == 1 || known.output.hasPrefix("1"), "\(sent)")
    }
  }
}
