import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite("A file that was accepted is done when its server says so", .timeLimit(.minutes(5)))
struct ProcessingTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// What the server answers when it is asked, in order; the last answer is repeated. What becomes of the file.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answers: [(status: Int, body: String)]
    var hasSigns = true
    let code: String
    var asked: Int?
    var url: String?
    /// What the failure says.
    var words = ""
    /// What the row says of questions that were not answered.
    var troubles: [String] = []
  }

  private static let atWork = (200, #"{"state":"working"}"#)

  static let rows: [Row] = [
    Row(
      testDescription: "finished after some time",
      answers: [atWork, atWork, (200, #"{"state":"ready","url":"http://films.example/7"}"#)],
      code: "done 202", asked: 3, url: "http://films.example/7"),
    Row(
      testDescription: "finished by the status", answers: [(206, ""), (202, ""), (200, "")],
      hasSigns: false, code: "done 202", asked: 3),
    Row(
      testDescription: "failed by what it says",
      answers: [atWork, (200, #"{"state":"failed","why":"no picture in it"}"#)],
      code: "rejected", asked: 2, words: "reported a failure: no picture in it"),
    Row(
      testDescription: "failed by its status", answers: [atWork, (422, "")], code: "http-422",
      asked: 2, words: "had accepted the file, and then reported: 422 Unprocessable Content"),
    Row(
      testDescription: "not known yet, away, busy, talking nonsense, then finished",
      answers: [
        (404, ""), (0, ""), (503, ""), (429, ""), (401, ""), (407, ""), (200, "<html>"),
        (200, #"{"state":"ready"}"#),
      ],
      code: "done 202", asked: 8, troubles: ["404 Not Found", "503 Service Unavailable"]),
    Row(
      testDescription: "never finished", answers: [atWork], code: "outcome-unknown",
      words: "it had not finished with the file: it is still at work"),
    Row(
      testDescription: "never to be asked", answers: [(500, "")], code: "outcome-unknown",
      words: "it had not finished with the file: 500 Internal Server Error",
      troubles: ["500 Internal Server Error"]),
  ]

  private func rule(_ url: URL, hasSigns: Bool = true) throws -> WaitRule {
    var rule = WaitRule()
    rule.call.address = .own(
      try Template(
        url.absoluteString + "{reply:/task}", scope: [.reply], escaping: .url,
        lookup: Template.Lookup(environment: { _ in nil })))
    (rule.interval, rule.limit) = (0.02, 60)
    rule.call.rules.url = ReplyValue(.pointer(try JSONPointer("/url")))
    let state = ReplyPlace.pointer(try JSONPointer("/state"))
    if hasSigns { rule.signs = [FailureRule(state, test: .equals(.string("ready")))] }
    rule.call.rules.failures = [
      FailureRule(
        state, test: .equals(.string("failed")), message: .pointer(try JSONPointer("/why")))
    ]
    return rule
  }

  private func target(_ server: HostileServer, hasSigns: Bool = true) throws -> Target {
    var target = Target.once(server.url("/up"))
    target.headers = [.init(name: "Authorization", value: Template(literal: "Bearer t"))]
    target.wait = try rule(server.url("/tasks/"), hasSigns: hasSigns)
    return target
  }

  private func server(
    accepting reply: String = #"{"task":"7"}"#, _ headers: String = "",
    _ answer: @escaping @Sendable (Int) -> (status: Int, body: String)
  ) throws -> HostileServer {
    let asked = Mutex(0)
    return try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        var (status, body) = (202, reply)
        if request.line.hasPrefix("GET ") {
          (status, body) = answer(
            asked.withLock { asked in
              defer { asked += 1 }
              return asked
            })
        }
        if status == 0 { return connection.reset() }
        let more = request.line.hasPrefix("GET ") ? "" : headers
        connection.send(
          "HTTP/1.1 \(status) X\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
  }

  @Test(arguments: rows)
  func answers(_ row: Row) async throws {
    let server = try server { row.answers[min($0, row.answers.count - 1)] }
    defer { server.stop() }
    let file = try folder.write("a", Array("abc".utf8))
    let isNeverOver = row.code == "outcome-unknown"
    let clock = TestClock()
    let harness = EngineHarness(time: isNeverOver ? clock.time : .system)
    let target = try target(server, hasSigns: row.hasSigns)
    harness.engine.submit([UploadJob(item: .file(file, id: 1), target: target)])
    if isNeverOver {
      // It is asked once more only after its first answer has been judged. Then the time is up.
      try await wait(for: "a second question") { () -> Bool? in
        clock.advance(by: 0.02)
        return server.requests.count { $0.line.hasPrefix("GET /tasks/7 ") } > 1 ? true : nil
      }
      try await wait(for: "the end") { () -> Bool? in
        clock.advance(by: 60)
        return harness.states(of: ItemID(1)).last?.isFinished == true ? true : nil
      }
    }
    let end = try #require(await harness.finish([ItemID(1)]).first)
    #expect(end.code == row.code, "\(end)")
    let questions = server.requests.filter { $0.line.hasPrefix("GET /tasks/7 ") }
    if let asked = row.asked { #expect(questions.count == asked) }
    #expect(questions.allSatisfy { $0.headers["authorization"] == "Bearer t" })
    #expect(server.requests.count { $0.line.hasPrefix("POST ") } == 1)
    let wasProcessed = harness.states(of: ItemID(1)).contains(where: \.isProcessed)
    #expect(wasProcessed)
    let troubles = harness.states(of: ItemID(1)).compactMap { state in
      if case .processing(let processing) = state { processing.trouble } else { nil }
    }
    #expect(row.troubles.allSatisfy(troubles.contains) && row.troubles.isEmpty == troubles.isEmpty)
    if let url = row.url, case .done(let receipt) = end { #expect(receipt.url == url) }
    let words = end.failure?.explanation ?? ""
    #expect(row.words.isEmpty || words.contains(row.words), "\(end)")
  }

  @Test("waiting takes no lane")
  func lanes() async throws {
    let isOpen = Mutex(false)
    let server = try server { _ in
      isOpen.withLock { $0 } ? (200, #"{"state":"ready"}"#) : (200, #"{"state":"working"}"#)
    }
    defer { server.stop() }
    var target = try target(server)
    target.concurrency = 1
    let harness = EngineHarness(lanes: 1)
    let jobs = try (1...3).map {
      UploadJob(item: .file(try folder.write("\($0)", count: 10), id: $0), target: target)
    }
    harness.engine.submit(jobs)
    await harness.wait { states in
      jobs.allSatisfy { states[$0.item.id]?.last?.isProcessed == true }
    }
    isOpen.withLock { $0 = true }
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == ["done 202", "done 202", "done 202"])
  }

  @Test("a file that was accepted before a restart is asked about, and not sent")
  func restart() async throws {
    let server = try server { _ in (200, #"{"state":"ready","url":"http://films.example/8"}"#) }
    defer { server.stop() }
    var item = UploadItem.file(try folder.write("a", count: 10), id: 1)
    item.state = .processing(
      Processing(
        Receipt(status: 202, attempts: 2, bytes: 10), askingAt: server.url("/tasks/8"),
        since: .distantPast))
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: try target(server))])
    let end = try #require(await harness.finish([item.id]).first)
    // However long ago that was, the server is asked once.
    guard case .done(let receipt) = end else {
      Issue.record("\(end)")
      return
    }
    #expect(receipt.url == "http://films.example/8" && receipt.attempts == 2)
    // What was sent before took none of the time that is measured now.
    #expect(receipt.bytes == 10)
    #expect(await harness.engine.figures.bytes == 0)
    #expect(server.requests.map(\.line) == ["GET /tasks/8 HTTP/1.1"])
  }

  @Test("what cannot be asked about is unknown", arguments: ["no rule", "no address"])
  func notToBeAsked(_ what: String) async throws {
    let server = try server { _ in (200, "") }
    defer { server.stop() }
    var target = try target(server)
    var processing = Processing(
      Receipt(status: 202), askingAt: server.url("/tasks/8"), since: .now)
    if what == "no rule" { target.wait = nil } else { processing.url = nil }
    var item = UploadItem.file(try folder.write("a", count: 10), id: 1)
    item.state = .processing(processing)
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: target)])
    #expect(await harness.finish([item.id]).first?.code == "outcome-unknown")
    #expect(server.requests.isEmpty)
  }

  @Test(
    "a reply leads only to the target's own server",
    arguments: [
      ("/tasks/9", "done 202"), ("tasks/9", "done 202"), ("HOME/tasks/9", "done 202"),
      ("http://OTHER/tasks/9", "outcome-unknown"), ("//OTHER/tasks/9", "outcome-unknown"),
      ("http://me:pw@HOST/tasks/9", "outcome-unknown"),
      ("http://HOST@OTHER/tasks/9", "outcome-unknown"),
      ("https://HOST/tasks/9", "outcome-unknown"), ("", "outcome-unknown"),
      ("http://localhost./tasks/9", "outcome-unknown"),
    ])
  func places(_ location: String, _ code: String) async throws {
    let other = try server { _ in (200, #"{"state":"ready"}"#) }
    defer { other.stop() }
    let home = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let host = request.headers["host"] ?? ""
        let header =
          location.replacing("HOME", with: "http://\(host)").replacing("HOST", with: host)
          .replacing("OTHER", with: "127.0.0.1:\(other.port)")
        connection.send(
          request.line.hasPrefix("GET ")
            ? "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"state\":\"ready\"}"
            : "HTTP/1.1 202 OK\r\nOperation: \(header)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { home.stop() }
    var target = try target(home)
    target.wait?.place = ReplyValue(.header("operation"))
    let file = try folder.write("a", count: 10)
    let end = try #require(await EngineHarness().upload([file], to: target).first)
    #expect(end.code == code, "\(end)")
    #expect(other.requests.isEmpty, "another server was asked")
  }

  @Test("a redirect to another server is not followed")
  func redirects() async throws {
    let other = try server { _ in (200, #"{"state":"ready"}"#) }
    defer { other.stop() }
    let home = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.hasPrefix("GET ")
            ? "HTTP/1.1 307 X\r\nLocation: \(other.url("/tasks/7"))\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 202 OK\r\nContent-Length: 12\r\n\r\n{\"task\":\"7\"}")
      }
    }
    defer { home.stop() }
    var target = try target(home)
    target.redirectOrigins = Set([Origin(other.url())].compactMap { $0 })
    target.wait?.limit = 0.1
    let file = try folder.write("a", count: 10)
    let end = try #require(await EngineHarness().upload([file], to: target).first)
    #expect(end.code == "outcome-unknown" && other.requests.isEmpty, "\(end)")
  }

  @Test("taking it out of the queue ends the waiting, and leaves its outcome unknown")
  func removal() async throws {
    let server = try server { _ in (200, #"{"state":"working"}"#) }
    defer { server.stop() }
    let harness = EngineHarness()
    let item = UploadItem.file(try folder.write("a", count: 10), id: 1)
    harness.engine.submit([UploadJob(item: item, target: try target(server))])
    await harness.wait { $0[ItemID(1)]?.last?.isProcessed == true }
    harness.engine.pause([item.id])
    harness.engine.remove([item.id])
    #expect(await harness.finish([item.id]).first?.code == "outcome-unknown")
  }

  @Test("a server that does not answer keeps no other from being asked")
  func deadServer() async throws {
    let silent = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        // Until the test is over.
        if request.line.hasPrefix("GET ") { continue }
        connection.send("HTTP/1.1 202 X\r\nContent-Length: 12\r\n\r\n{\"task\":\"7\"}")
      }
    }
    let server = try server { _ in (200, #"{"state":"ready"}"#) }
    defer {
      silent.stop()
      server.stop()
    }
    let harness = EngineHarness()
    var targets = [try target(silent), try target(server)]
    // Longer than the test may take.
    targets[0].stallTimeout = 3600
    let jobs = try (1...10).map { [targets] number in
      let path = try folder.write("f\(number)", Array("\(number)".utf8))
      return UploadJob(
        item: .file(path, id: Int64(number)), target: targets[number == 10 ? 1 : 0])
    }
    harness.engine.submit(Array(jobs.prefix(9)))
    try await wait(for: "as many questions as a server gets at once") {
      silent.requests.count { $0.line.hasPrefix("GET ") } >= 8 ? true : nil
    }
    harness.engine.submit([jobs[9]])
    #expect(await harness.finish([jobs[9].item.id]).map(\.code) == ["done 202"])
    await harness.engine.shutDown()
  }
}
