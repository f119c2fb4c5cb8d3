import Foundation
import Scheduling
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite("Requests before the first file of a run and after its last", .timeLimit(.minutes(5)))
struct RunTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// How a server answers.
  enum Answer: Sendable {
    case status(Int)
    /// Nothing, the first time.
    case hangsUp
    /// This status the first time, then 200.
    case once(Int)
  }

  /// What the server does, what becomes of the files and the run, and which requests it gets.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var open = Answer.status(201)
    var body = #"{"id":"7"}"#
    var close = Answer.status(200)
    /// What the file `b` is answered.
    var file = 201
    var onFailure = RunRules.OnFailure.keep
    var codes = ["done 201", "done 201", "done 201"]
    let events: [String]
    let opens: Int
    let closes: Int
    var aborts = 0
  }

  static let rows: [Row] = [
    Row(
      testDescription: "opened once, closed once", events: ["opened", "closed"], opens: 1,
      closes: 1),
    Row(
      testDescription: "not opened", open: .status(400),
      codes: ["http-400", "not-tried", "not-tried"], events: ["open_failed"], opens: 1, closes: 0),
    Row(
      testDescription: "opened by a reply without the value", body: "{}",
      codes: ["unusable-answer", "not-tried", "not-tried"], events: ["open_failed"],
      opens: 1, closes: 0),
    Row(
      testDescription: "opened by a reply that is lost", open: .hangsUp,
      codes: ["unusable-answer", "not-tried", "not-tried"], events: ["open_failed"],
      opens: 1, closes: 0),
    Row(
      testDescription: "opened at the second attempt", open: .once(503),
      events: ["opened", "closed"], opens: 2, closes: 1),
    Row(
      testDescription: "not closed", close: .status(400), events: ["opened", "close_failed"],
      opens: 1, closes: 1),
    Row(
      testDescription: "closed at the second attempt", close: .once(503),
      events: ["opened", "closed"], opens: 1, closes: 2),
    Row(
      testDescription: "closed by a request whose reply is lost", close: .hangsUp,
      events: ["opened", "close_failed"], opens: 1, closes: 1),
    Row(
      testDescription: "closed, as a gateway may have passed on", close: .status(502),
      events: ["opened", "close_failed"], opens: 1, closes: 1),
    Row(
      testDescription: "kept open for a file that failed", file: 400,
      codes: ["done 201", "http-400", "done 201"], events: ["opened", "left_open"], opens: 1,
      closes: 0),
    Row(
      testDescription: "aborted for a file that failed", file: 400, onFailure: .abort,
      codes: ["done 201", "http-400", "done 201"], events: ["opened", "aborted"], opens: 1,
      closes: 0, aborts: 1),
    Row(
      testDescription: "closed in spite of a file that failed", file: 400, onFailure: .close,
      codes: ["done 201", "http-400", "done 201"], events: ["opened", "closed"], opens: 1,
      closes: 1),
  ]

  private func template(_ text: String) throws -> Template {
    try Template(
      text, scope: Template.Placeholder.ofFile, escaping: .url,
      lookup: Template.Lookup(environment: { _ in nil }))
  }

  private func target(_ server: HostileServer, _ onFailure: RunRules.OnFailure) throws -> Target {
    var target = Target.once(server.url("/up/"))
    target.retry = RetryPolicy(attempts: 2, base: 0.01, cap: 0.01)
    target.address = try template(server.url("/up/").absoluteString + "{open.id}/{file.name}")
    var open = Call(method: "POST")
    open.address = .own(try template(server.url("/open").absoluteString))
    open.values = [Call.Value(name: "id", place: ReplyValue(.pointer(try JSONPointer("/id"))))]
    var close = RunRules.Closing()
    close.onFailure = onFailure
    close.call.address = .own(try template(server.url("/close/").absoluteString + "{open.id}"))
    var abort = Call(method: "DELETE")
    abort.address = .own(try template(server.url("/run/").absoluteString + "{open.id}"))
    close.abort = abort
    (target.run.open, target.run.close) = (open, close)
    return target
  }

  private func server(_ row: Row) throws -> HostileServer {
    let asked = Mutex<[String: Int]>([:])
    return try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let place = request.line.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        let kind = place.prefix { $0 != " " }
        let count = asked.withLock { asked in
          asked[String(kind), default: 0] += 1
          return asked[String(kind)] ?? 0
        }
        let answer: Answer =
          switch kind {
          case "open": row.open
          case "close": row.close
          case "up": .status(request.line.contains("/b ") ? row.file : 201)
          default: .status(204)
          }
        let status: Int
        switch answer {
        case .status(let code): status = code
        case .once(let code): status = count == 1 ? code : 200
        case .hangsUp: return connection.reset()
        }
        let body = kind == "open" ? row.body : ""
        connection.send(
          "HTTP/1.1 \(status) X\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return
      }
    }
  }

  @Test(arguments: rows)
  func runs(_ row: Row) async throws {
    let server = try server(row)
    defer { server.stop() }
    let files = try ["a", "b", "c"].map { try folder.write($0, count: 10) }
    let (news, said) = AsyncStream.makeStream(of: RunNews.self)
    let harness = EngineHarness(runReport: { _, news in said.yield(news) })
    let ends = await harness.upload(files, to: try target(server, row.onFailure))
    #expect(ends.map(\.code) == row.codes, "\(ends)")
    var events: [String] = []
    for await one in news {
      events.append(one.event)
      if one.event != "opened" { break }
    }
    #expect(events == row.events)
    let lines = server.requests.map(\.line)
    #expect(lines.count { $0.hasPrefix("POST /open ") } == row.opens)
    #expect(lines.count { $0.hasPrefix("POST /close/7 ") } == row.closes)
    #expect(lines.count { $0.hasPrefix("DELETE /run/7 ") } == row.aborts)
    let sent = lines.filter { $0.contains("/up/") }
    #expect(sent.allSatisfy { $0.contains("/up/7/") })
    // Nothing goes before the one, and nothing after the other.
    if let first = lines.firstIndex(where: { $0.contains("/up/") }) { #expect(first == row.opens) }
    if row.closes > 0 { #expect(lines.last?.hasPrefix("POST /close/7 ") == true) }
  }

  @Test("a run stays open if hoist ends while its last file is sent")
  func interrupted() async throws {
    let goOn = Gate()
    defer { goOn.open() }
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        if request.line.contains("/up/") { goOn.pass() }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"id\":\"7\"}")
      }
    }
    defer { server.stop() }
    let harness = EngineHarness()
    let file = UploadItem.file(try folder.write("a", count: 10), id: 1)
    harness.engine.submit([UploadJob(item: file, target: try target(server, .abort))])
    await harness.wait { $0[ItemID(1)]?.contains { $0.isActive && !$0.isPreparing } == true }
    await harness.engine.shutDown()
    await harness.engine.runsHaveEnded()
    #expect(server.requests.map { $0.line.prefix(8) } == ["POST /op", "POST /up"])
  }

  @Test("a run is opened for the files of its first request that are left")
  func openersThatDoNotStart() async throws {
    let server = try server(Row(testDescription: "", events: [], opens: 1, closes: 1))
    defer { server.stop() }
    var target = try target(server, .keep)
    target.address = try template(server.url("/up/").absoluteString + "{open.id}")
    target.batch = BatchRule(maxFiles: 2)
    let ends = Mutex<[ItemState]>([])
    var hooks = EngineHooks()
    // The first has just been removed by another process.
    hooks.admission = { turn, then in
      ends.withLock { $0 += turn.changes.map(\.1).filter(\.isFinished) }
      then(Set(turn.claims).subtracting([ItemID(1)]))
    }
    let engine = UploadEngine(hooks: hooks) { _ in }
    engine.submit(
      try ["a", "b"].enumerated().map { index, name in
        let path = try folder.write(name, count: 10)
        return UploadJob(item: .file(path, id: Int64(index + 1)), target: target)
      })
    let limit = ContinuousClock.now + .seconds(60)
    while ends.withLock({ $0.isEmpty }), .now < limit {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(ends.withLock { $0.map(\.code) } == ["done 201"])
    #expect(server.requests.prefix(2).map { $0.line.prefix(10) } == ["POST /open", "POST /up/7"])
  }

  @Test("the request that fetches a value goes without the header fields that need it")
  func valuesInHeaderFields() async throws {
    let server = try server(Row(testDescription: "", events: [], opens: 1, closes: 1))
    defer { server.stop() }
    var target = try target(server, .keep)
    target.headers = [
      .init(name: "X-Token", value: try template("{open.id}")),
      .init(name: "X-Fixed", value: try template("1")),
    ]
    target.publicHeaders = [.init(name: "X-Public", value: try template("<{open.id}>"))]
    let ends = await EngineHarness().upload([try folder.write("a", count: 10)], to: target)
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    let opening = try #require(server.requests.first { $0.line.hasPrefix("POST /open ") })
    #expect(opening.headers["x-token"] == nil && opening.headers["x-public"] == nil)
    #expect(opening.headers["x-fixed"] == "1")
    let sent = try #require(server.requests.first { $0.line.contains("/up/") })
    #expect(sent.headers["x-token"] == "7" && sent.headers["x-fixed"] == "1")
    #expect(sent.headers["x-public"] == "%3C7%3E" || sent.headers["x-public"] == "<7>")
    // What is shown says the same.
    let outline = try RequestOutline.Run(of: SendPlan(target), now: Date())
    #expect(outline.open?.headers.contains { $0.name == "X-Token" } == false)
    #expect(outline.close?.headers.contains { $0.name == "X-Token" } == true)
  }

  @Test("a question about an accepted file carries the values of its run")
  func valuesInQuestions() async throws {
    let server = try server(
      Row(testDescription: "", file: 202, events: [], opens: 1, closes: 1))
    defer { server.stop() }
    var target = try target(server, .keep)
    target.headers = [.init(name: "X-Token", value: try template("{open.id}"))]
    var wait = WaitRule()
    wait.call.address = .own(Template(literal: server.url("/tasks").absoluteString))
    (wait.interval, wait.limit) = (0.02, 3)
    target.wait = wait
    let ends = await EngineHarness().upload([try folder.write("b", count: 10)], to: target)
    #expect(ends.map(\.code) == ["done 202"], "\(ends)")
    let question = try #require(server.requests.first { $0.line.hasPrefix("GET /tasks ") })
    #expect(question.headers["x-token"] == "7")
  }

  @Test("a request whose address another server gave carries no token, even at home")
  func addressFromAway() async throws {
    let server = try server(Row(testDescription: "", events: [], opens: 0, closes: 1))
    let place = server.url("/close/7")
    let other = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: \("\(place)".utf8.count + 9)\r\n\r\n{\"id\":\"\(place)\"}"
    )
    defer { for server in [server, other] { server.stop() } }
    var target = try target(server, .keep)
    target.address = nil
    target.tokenCommand = TokenCommand(["echo", "t1"])
    target.run.open?.address = .own(try template(other.url("/open").absoluteString))
    target.run.close?.call.address = .reply(
      try Template(
        "{open.id}", scope: [.opened], lookup: Template.Lookup(environment: { _ in nil })))
    let (news, said) = AsyncStream.makeStream(of: RunNews.self)
    let harness = EngineHarness(runReport: { _, news in said.yield(news) })
    let ends = await harness.upload([try folder.write("a", count: 10)], to: target)
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    for await one in news where one.event != "opened" { break }
    #expect(other.requests.map { $0.headers["authorization"] } == [nil])
    let sent = server.requests.map {
      [$0.line.hasPrefix("POST /close/7 "), $0.headers["authorization"] == nil]
    }
    #expect(sent == [[false, false], [true, true]], "\(server.requests)")
  }

  @Test("in the queue, one file shows why nothing is sent, and a retry opens the run")
  func refusedInQueue() async throws {
    let server = try server(
      Row(testDescription: "", open: .once(400), events: [], opens: 2, closes: 1))
    defer { server.stop() }
    let (news, said) = AsyncStream.makeStream(of: RunNews.self)
    let harness = EngineHarness(waitsForServers: true, runReport: { _, news in said.yield(news) })
    let target = try target(server, .keep)
    let jobs = try (1...3).map { number in
      UploadJob(
        item: .file(try folder.write("\(number)", count: 10), id: Int64(number)), target: target)
    }
    harness.engine.submit(jobs)
    var events = news.makeAsyncIterator()
    #expect(await events.next()?.event == "open_failed")
    await harness.wait { $0[ItemID(1)]?.last?.isFinished == true }
    #expect(harness.states(of: ItemID(1)).last?.code == "http-400")
    #expect(server.requests.count == 1)
    harness.engine.retry([jobs[0]])
    #expect(await events.next()?.event == "opened")
    #expect(await events.next()?.event == "closed")
    #expect(jobs.allSatisfy { harness.states(of: $0.item.id).last?.code == "done 201" })
    #expect(server.requests.count { $0.line.hasPrefix("POST /open ") } == 2)
  }

  @Test("a run of an earlier process goes on with its values, and is closed once")
  func adopted() async throws {
    let server = try server(Row(testDescription: "", events: [], opens: 0, closes: 1))
    defer { server.stop() }
    let (news, said) = AsyncStream.makeStream(of: RunNews.self)
    let harness = EngineHarness(runReport: { _, news in said.yield(news) })
    let target = try target(server, .keep)
    var point = RunPoint(.open)
    point.values = ["id": "7"]
    harness.engine.setAwaitsMore(true)
    harness.engine.adopt(point, failed: [], of: target.name, SendPlan(target))
    let file = UploadJob(item: .file(try folder.write("a", count: 10), id: 1), target: target)
    harness.engine.submit([file])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 201"])
    #expect(server.requests.map(\.line) == ["POST /up/7/a HTTP/1.1"])
    harness.engine.setAwaitsMore(false)
    var events = news.makeAsyncIterator()
    #expect(await events.next()?.event == "closed")
    #expect(server.requests.map(\.line) == ["POST /up/7/a HTTP/1.1", "POST /close/7 HTTP/1.1"])
  }
}
