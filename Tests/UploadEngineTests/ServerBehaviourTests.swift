import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// One hostile behaviour, and what the engine must make of it.
struct Behaviour: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: String
  let script: HostileServer.Script
  var words = ""
  /// What is doubtful if the file counts as sent.
  var doubt: String?
  /// Whether the server stands still, so that it takes the time-out to end it.
  var stalls = false

  init(
    _ name: String, is code: String, saying words: String = "", doubt: String? = nil,
    stalls: Bool = false, _ script: @escaping HostileServer.Script
  ) {
    testDescription = name
    self.code = code
    self.words = words
    self.doubt = doubt
    self.stalls = stalls
    self.script = script
  }
}

/// A head without a body, unless its words say otherwise.
private func head(_ status: String, _ fields: String = "Content-Length: 0") -> String {
  "HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n"
}

/// Answers each whole request with this.
private func reply(_ text: String) -> HostileServer.Script {
  { connection, _ in
    while connection.readRequest() != nil { connection.send(text) }
  }
}

/// Answers one request with this once it has read all of it, and ends.
private func once(_ text: String, then: @escaping @Sendable (HostileConnection) -> Void = { _ in })
  -> HostileServer.Script
{
  { connection, _ in
    guard connection.readRequest() != nil else { return }
    connection.send(text)
    then(connection)
  }
}

/// Answers before it has read any of the body.
private func early(_ text: String, then: @escaping @Sendable (HostileConnection) -> Void)
  -> HostileServer.Script
{
  { connection, _ in
    guard connection.readHead() != nil else { return }
    connection.send(text)
    then(connection)
  }
}

/// Answers, and goes on with the same for ever.
private func endless(_ text: String, _ piece: [UInt8]) -> HostileServer.Script {
  once(text) { connection in
    while connection.send(piece) {}
  }
}

/// Reads so much of the body.
private func readingBody(_ count: Int, then: @escaping @Sendable (HostileConnection) -> Void)
  -> HostileServer.Script
{
  { connection, _ in
    guard connection.readHead() != nil, connection.read(count) != nil else { return }
    then(connection)
  }
}

/// "too many cooks", as gzip packs it.
private let gzipped: [UInt8] = [
  0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0xc9, 0xcf, 0x57, 0xc8, 0x4d,
  0xcc, 0xab, 0x54, 0x48, 0xce, 0xcf, 0xcf, 0x2e, 0x06, 0x00, 0x03, 0xfa, 0xc4, 0xb2, 0x0e, 0x00,
  0x00, 0x00,
]

private let page = [UInt8](repeating: 0x61, count: 1 << 16)
private let oneByteChunks = [UInt8](String(repeating: "1\r\na\r\n", count: 20_000).utf8)
private let trailers = [UInt8](String(repeating: "X: a\r\n", count: 10_000).utf8)
private let chunked = "Transfer-Encoding: chunked"

private let behaviours: [Behaviour] = [
  // Replies.
  Behaviour(
    "413 with words", is: "http-413", saying: "at most 100 MB",
    reply(head("413 Too Large", "Content-Length: 14") + "at most 100 MB")),
  Behaviour(
    "413 before the body is read, then close", is: "http-413", saying: "too big",
    early(head("413 Too Large", "Connection: close\r\nContent-Length: 7") + "too big") {
      $0.drain()
    }),
  Behaviour(
    "401 with a Basic challenge", is: "http-401", saying: "who are you",
    reply(
      head("401 No", "WWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 11") + "who are you")),
  Behaviour(
    "401 with a Bearer challenge, early", is: "http-401",
    early(head("401 No", "WWW-Authenticate: Bearer\r\nContent-Length: 0")) { $0.drain() }),
  Behaviour("403", is: "http-403", reply(head("403 Forbidden"))),
  Behaviour("503", is: "http-503", reply(head("503 Busy"))),
  Behaviour(
    "503 with a date to come back", is: "http-503",
    reply(head("503 Busy", "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\nContent-Length: 0"))),
  Behaviour("429", is: "http-429", reply(head("429 Slow", "Retry-After: 7\r\nContent-Length: 0"))),
  Behaviour(
    "chunked reply", is: "http-400", saying: "hello world",
    reply(head("400 Bad", chunked) + "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n")),
  Behaviour("204", is: "done 204", reply("HTTP/1.1 204 No Content\r\n\r\n")),
  Behaviour(
    "100 then 201", is: "done 201", reply("HTTP/1.1 100 Continue\r\n\r\n" + head("201 Created"))),
  Behaviour(
    "HTTP/1.0 without length", is: "done 200", saying: "stored",
    once("HTTP/1.0 200 OK\r\n\r\nstored")),
  Behaviour(
    "endless error page", is: "http-500", saying: "aaaa",
    endless("HTTP/1.1 500 Oops\r\n\r\n", page)),
  Behaviour(
    "endless error page in chunks of a byte", is: "http-500", saying: "aaaa",
    endless(head("500 Oops", chunked), oneByteChunks)),
  Behaviour(
    "endless trailers", is: "http-500", saying: "a",
    endless(head("500 Oops", chunked) + "1\r\na\r\n0\r\n", trailers)),
  Behaviour(
    "307 with an endless page, for ever", is: "redirected",
    endless("HTTP/1.1 307 Temporary\r\nLocation: /new\r\n\r\n", page)),
  Behaviour(
    "20 MB error page", is: "http-500", saying: "aaaa",
    once(head("500 Oops", "Content-Length: 20000000")) {
      $0.send([UInt8](repeating: 0x61, count: 20_000_000))
      $0.drain()
    }),
  Behaviour(
    "a reply in a trickle", is: "done 200", saying: "stored",
    once("") {
      for byte in Array((head("200 OK", "Content-Length: 6") + "stored").utf8) { $0.send([byte]) }
    }),
  Behaviour(
    "a reply shorter than it says", is: "http-500", saying: "sto",
    once(head("500 Oops", "Content-Length: 100") + "sto")),
  Behaviour(
    "a good reply shorter than it says", is: "done 200", saying: "sto",
    doubt: "the reply broke off after 3 of 100 bytes",
    once(head("200 OK", "Content-Length: 100") + "sto")),
  Behaviour(
    "a good reply in chunks without the last one", is: "done 200", saying: "sto",
    doubt: "the reply broke off", once(head("200 OK", chunked) + "3\r\nsto\r\n")),
  Behaviour(
    "a good reply whose end is the connection's", is: "done 200", saying: "stored",
    once(head("200 OK", "Connection: close") + "stored")),
  Behaviour(
    "a good reply whose end is the connection's, which is reset", is: "done 200",
    once(head("200 OK", "Connection: close")) { $0.reset() }),
  Behaviour(
    "a good reply that is no gzip", is: "done 200",
    once(head("200 OK", "Content-Encoding: gzip\r\nContent-Length: 6") + "stored")),
  Behaviour(
    "a reply longer than it says", is: "done 200", saying: "sto",
    once(head("200 OK", "Content-Length: 3") + "stored and more")),
  Behaviour(
    "gzip", is: "http-400", saying: "too many cooks",
    once(head("400 Bad", "Content-Encoding: gzip\r\nContent-Length: \(gzipped.count)")) {
      $0.send(gzipped)
    }),
  Behaviour(
    "200 before the body is read, then close", is: "connection-lost",
    early(head("200 OK", "Connection: close\r\nContent-Length: 2") + "ok") { _ in }),
  Behaviour("200 before the body is read", is: "connection-lost") { connection, _ in
    guard let head = connection.readHead() else { return }
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    _ = connection.read(Int(head.headers["content-length"] ?? "") ?? 0)
    connection.drain()
  },
  Behaviour(
    "reset in the middle of the reply's head", is: "outcome-unknown",
    once("HTTP/1.1 200 O") { $0.reset() }),
  Behaviour(
    "stall after the reply's head", is: "done 201",
    doubt: "the reply broke off after 0 of 5 bytes", stalls: true,
    once(head("201 Created", "Content-Length: 5")) { $0.stall() }),
  Behaviour(
    "100, and then a reset in the middle", is: "connection-lost",
    early("HTTP/1.1 100 Continue\r\n\r\n") {
      _ = $0.read(100_000)
      $0.reset()
    }),
  Behaviour("100, and then nothing", is: "outcome-unknown", stalls: true) { connection, _ in
    guard let head = connection.readHead() else { return }
    connection.send("HTTP/1.1 100 Continue\r\n\r\n")
    _ = connection.read(Int(head.headers["content-length"] ?? "") ?? 0)
    connection.stall()
  },
  // Redirects.
  Behaviour(
    "301", is: "redirected", reply(head("301 Moved", "Location: /new\r\nContent-Length: 0"))),
  Behaviour(
    "302", is: "outcome-unknown", reply(head("302 Found", "Location: /login\r\nContent-Length: 0"))),
  Behaviour(
    "307 to another origin", is: "redirected",
    reply(head("307 Temporary", "Location: http://127.0.0.2:9/x\r\nContent-Length: 0"))),
  Behaviour(
    "308 to itself, for ever", is: "redirected",
    reply(head("308 Permanent", "Location: /upload\r\nContent-Length: 0"))),
  Behaviour("307 without a location", is: "redirected", reply(head("307 Temporary"))),
  // Broken lines.
  Behaviour("reset before the request is read", is: "connection-lost") { connection, _ in
    _ = connection.read(1)
    connection.reset()
  },
  Behaviour(
    "reset in the middle of the body", is: "connection-lost", readingBody(100_000) { $0.reset() }),
  Behaviour(
    "closed in the middle of the body", is: "connection-lost", readingBody(100_000) { _ in }),
  Behaviour("reset after the last byte", is: "outcome-unknown", once("") { $0.reset() }),
  Behaviour("closed after the last byte", is: "outcome-unknown", once("")),
  Behaviour("no reply", is: "outcome-unknown", stalls: true, once("") { $0.stall() }),
  Behaviour("no byte is read", is: "stalled", stalls: true) { connection, _ in
    connection.stall()
  },
  Behaviour("stall in the middle", is: "stalled", stalls: true, readingBody(0) { $0.stall() }),
  // Not HTTP.
  Behaviour("garbage", is: "not-http", once("\u{1}\u{2}SSH-2.0-OpenSSH_9.2\r\n")),
  Behaviour("greeting of another protocol", is: "not-http") { connection, _ in
    connection.send("220 mail.example.com ESMTP\r\n")
    connection.drain()
  },
]

@Suite(.timeLimit(.minutes(5)))
struct ServerBehaviourTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// Dispatch reports a hang-up once: overlooking it means waiting for the stall time-out.
  @Test func connectionsThatBreakTogetherAreAllNoticed() async throws {
    let (arrived, gate) = (DispatchSemaphore(value: 0), Gate())
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
      arrived.signal()
      gate.pass()
      connection.reset()
    }
    defer { server.stop() }
    let paths = try (1...8).map { try folder.write("\($0).bin", []) }
    for path in paths { try #require(truncate(path, 20_000_000) == 0) }
    let harness = EngineHarness(lanes: paths.count)
    let jobs = paths.enumerated().map { index, path in
      UploadJob(item: .file(path, id: Int64(index + 1)), target: .once(server.url()))
    }
    harness.engine.submit(jobs)
    for _ in paths { await arrived.passed() }
    gate.open()
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "connection-lost" }, "\(ends)")
  }

  @Test func anAnswerThatBreaksOffIsNoSuccessWhereItHasToBeRead() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 500\r\n\r\n{\"status\":")
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 100)
    var target = Target.once(server.url())
    target.response.failures = [
      FailureRule(.pointer(try JSONPointer("/status")), test: .equals(.string("error")))
    ]
    let read = await EngineHarness().upload([path], to: target)
    #expect(read.map(\.code) == ["outcome-unknown"], "\(read)")
    target.response.failures = []
    let unread = await EngineHarness().upload([path], to: target)
    #expect(unread.map(\.code) == ["done 200"], "\(unread)")
  }

  /// More of a reply is read than is kept, but at most a mebibyte.
  @Test func anAnswerThatIsTooLongIsNoSuccessWhereItHasToBeRead() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.send(oneByteChunks) {}
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 100)
    var target = Target.once(server.url())
    target.response.failures = [
      FailureRule(.pointer(try JSONPointer("/status")), test: .equals(.string("error")))
    ]
    let read = await EngineHarness().upload([path], to: target)
    #expect(read.map(\.code) == ["outcome-unknown"], "\(read)")
    target.response.failures = []
    let unread = await EngineHarness().upload([path], to: target)
    guard case .done(let receipt)? = unread.first else { return #expect(unread.isEmpty) }
    #expect(receipt.reply.isCut)
    #expect(receipt.reply.text.utf8.count == Reply.limit)
  }

  /// Larger than what the kernel buffers, so that "in the middle" is in the middle.
  private static let large = Result { try ScratchDirectory().write("a.bin", count: 12_000_000) }

  @Test(arguments: behaviours)
  func eachBehaviourHasItsOwnCauseAndLeavesOthersAlone(_ behaviour: Behaviour) async throws {
    let hostile = try HostileServer(behaviour.script)
    let kind = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer {
      hostile.stop()
      kind.stop()
    }
    let path = try Self.large.get()
    let small = try folder.write("b.bin", count: 1000)
    let clock = TestClock()
    let harness = EngineHarness(time: behaviour.stalls ? clock.time : .system)
    harness.engine.submit([
      UploadJob(item: .file(path, id: 1), target: .once(hostile.url())),
      UploadJob(item: .file(small, id: 2), target: .once(kind.url())),
    ])
    if behaviour.stalls {
      await hostile.stalled()
      _ = await harness.finish([ItemID(2)])
    }
    let running = Task { if behaviour.stalls { await clock.run() } }
    defer { running.cancel() }
    let ends = await harness.finish([ItemID(1), ItemID(2)])
    #expect(ends[0].code == behaviour.code, "\(ends[0])")
    #expect(ends[1].code == "done 200")
    switch ends[0] {
    case .failed(let failure):
      #expect(behaviour.words.isEmpty || failure.reply.text.contains(behaviour.words))
      #expect(failure.attempts == 1)
      #expect(!failure.headline.isEmpty)
    case .done(let receipt):
      #expect(behaviour.words.isEmpty || receipt.reply.text.contains(behaviour.words))
      #expect(receipt.doubt == behaviour.doubt)
    default: Issue.record("\(ends[0])")
    }
  }

  /// A byte now and then is no silence, and yet the lane is wanted by others.
  @Test func aReplyThatTricklesForEverEnds() async throws {
    let begun = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 500 Oops\r\n\r\n")
      begun.signal()
      while connection.send([0x61]) { usleep(1000) }
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 100)
    let clock = TestClock()
    let running = Task {
      await begun.passed()
      await clock.run()
    }
    defer { running.cancel() }
    let ends = await EngineHarness(time: clock.time).upload([path], to: .once(server.url()))
    #expect(ends.map(\.code) == ["http-500"], "\(ends)")
  }

  /// Buffers on the way take all of it at once, and the server reads it in its own time: as long as what is beyond the
  /// first mebibyte would take at 20 kB/s, beyond the time-out.
  @Test(arguments: [(10.5, "done 200"), (16, "outcome-unknown")])
  func aServerThatReadsSlowlyHasTimeToGetItAll(seconds: Double, code: String) async throws {
    let gate = Gate()
    let server = try HostileServer(receiveBuffer: 4 << 20) { connection, _ in
      // The kernel of another machine may not keep more than the rest.
      guard let head = connection.readHead(), connection.discard(1 << 20) else { return }
      gate.pass()
      let length = Int(head.headers["content-length"] ?? "") ?? 0
      guard connection.discard(length - (1 << 20)) else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.drain()
    }
    defer {
      gate.open()
      server.stop()
    }
    let path = try folder.write("a.bin", count: (1 << 20) + 99_500)
    let clock = TestClock()
    let harness = EngineHarness(time: clock.time)
    harness.engine.submit([
      UploadJob(item: .file(path, id: 1), target: .once(server.url(), stallTimeout: 6))
    ])
    await harness.wait { states in
      states[ItemID(1)]?.contains { if case .awaitingReply = $0 { true } else { false } } == true
    }
    clock.advance(by: seconds)
    // A reply now could arrive before the request has been cancelled.
    if code == "outcome-unknown" { _ = await harness.finish([ItemID(1)]) }
    gate.open()
    #expect(await harness.finish([ItemID(1)]).map(\.code) == [code])
  }

  @Test func nobodyListens() async throws {
    let port = try HostileServer.closedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let path = try folder.write("a.bin", count: 1000)
    let ends = await EngineHarness().upload([path], to: .once(url))
    #expect(ends.map(\.code) == ["connection-refused"], "\(ends)")
  }

  @Test func nameWithoutAddress() async throws {
    let url = try #require(URL(string: "http://no-such-host.invalid/upload"))
    let path = try folder.write("a.bin", count: 1000)
    let ends = await EngineHarness().upload([path], to: .once(url))
    #expect(ends.map(\.code) == ["name-not-resolved"], "\(ends)")
  }

  @Test func plainHTTPWhereTLSIsExpected() async throws {
    let server = try HostileServer { connection, _ in
      _ = connection.read(1)
      connection.send("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")
      // A connection that is closed before all has been read is reset, and the reply with it.
      connection.drain()
    }
    defer { server.stop() }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let path = try folder.write("a.bin", count: 1000)
    let ends = await EngineHarness().upload([path], to: .once(url, stallTimeout: 6))
    #expect(ends.map(\.code) == ["insecure"], "\(ends)")
  }

  @Test func redirectsThatKeepTheBodyAreFollowedWithIt() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.contains("/upload")
            ? "HTTP/1.1 307 Temporary\r\nLocation: /moved\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 300_000)
    var target = Target.once(server.url())
    target.headers = [.init(name: "Authorization", value: Template(literal: "Bearer t"))]
    let ends = await EngineHarness().upload([path], to: target)
    #expect(ends.map(\.code) == ["done 200"])
    #expect(server.requests.map(\.line) == ["POST /upload HTTP/1.1", "POST /moved HTTP/1.1"])
    #expect(server.requests[1].body.count > 300_000)
    #expect(server.requests[1].headers["authorization"] == "Bearer t")
  }

  /// Redirects end, belong to one attempt, and are followed anew by the next one.
  @Test(arguments: [false, true])
  func redirectsBelongToOneAttempt(_ endsBusy: Bool) async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isBusy = endsBusy && request.line.contains("/5")
        let next = request.line.split(separator: " ")[1].dropFirst().prefix(1).first?
          .wholeNumberValue
        connection.send(
          isBusy
            ? "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 307 Moved\r\nLocation: /\((next ?? 0) + 1)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 1000)
    var target = Target.once(server.url())
    target.retry = RetryPolicy(attempts: 2, base: 0.01)
    let ends = await EngineHarness().upload([path], to: target)
    let places = ["/upload", "/1", "/2", "/3", "/4", "/5"].map { "POST \($0) HTTP/1.1" }
    #expect(ends.map(\.code) == [endsBusy ? "http-503" : "redirected"])
    #expect(ends.first?.failure?.attempts == (endsBusy ? 2 : 1))
    #expect(server.requests.map(\.line) == (endsBusy ? places + places : places))
  }

  @Test func credentialsStayAtTheirOrigin() async throws {
    let other = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let server = try HostileServer.answering(
      "HTTP/1.1 308 Moved\r\nLocation: \(other.url("/there"))\r\nContent-Length: 0\r\n\r\n")
    defer {
      server.stop()
      other.stop()
    }
    let path = try folder.write("a.bin", count: 1000)
    var target = Target.signed(for: server, sendingOnTo: other)
    target.query = [.init(name: "key", value: Template(literal: "secret"))]
    let ends = await EngineHarness().upload([path], to: target)
    #expect(ends.map(\.code) == ["done 200"])
    #expect(other.requests.map(\.line) == ["POST /there HTTP/1.1"])
    #expect(Self.signed(at: other).isEmpty)
    #expect(server.requests.first?.line == "POST /upload?key=secret HTTP/1.1")
  }

  /// The lines of the requests that carried credentials.
  private static func signed(at server: HostileServer) -> [String] {
    server.requests.filter { $0.headers["authorization"] != nil }.map(\.line)
  }

  /// Another server may send an upload on to a path of its choice at home, and must not have it signed there.
  @Test(arguments: [ResumeRules.Mode.off, .tus])
  func onceAwayCredentialsStayAtHome(_ mode: ResumeRules.Mode) async throws {
    let home = Mutex("")
    let other = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        connection.send(
          "HTTP/1.1 307 Back\r\nLocation: \(home.withLock { $0 })\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.contains("/upload")
            ? "HTTP/1.1 307 Away\r\nLocation: \(other.url("/there"))\r\nContent-Length: 0\r\n\r\n"
            : request.line.contains("/chosen")
              ? "HTTP/1.1 307 On\r\nLocation: /further\r\nContent-Length: 0\r\n\r\n"
              : "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer {
      server.stop()
      other.stop()
    }
    home.withLock { $0 = server.url("/chosen").absoluteString }
    let path = try folder.write("a.bin", count: 1000)
    let target = Target.signed(for: server, sendingOnTo: other, mode)
    let ends = await EngineHarness().upload([path], to: target)
    #expect(ends.map(\.code) == ["http-401"], "\(ends)")
    let signed = Self.signed(at: server)
    #expect(signed.allSatisfy { $0.contains("/upload") } && !signed.isEmpty, "\(signed)")
    #expect(server.requests.contains { $0.line.contains("/further") })
    #expect(Self.signed(at: other).isEmpty)
  }

  /// The same with a resumable upload: as the upload's address, or for a later request of an upload that it keeps.
  @Test(arguments: [ResumeRules.Mode.tus, .http], [true, false])
  func anotherServerDoesNotChooseWhatIsSignedAtHome(
    _ mode: ResumeRules.Mode, asAddress: Bool
  ) async throws {
    let home = Mutex("")
    let away = Mutex("")
    let other = try HostileServer { connection, _ in
      while let request = connection.readHead() {
        connection.record(request)
        let chosen = home.withLock { $0 }
        guard request.line.hasPrefix("POST") else {
          _ = connection.discard(Int(request.headers["content-length"] ?? "") ?? 0)
          connection.send(
            "HTTP/1.1 307 Back\r\nLocation: \(chosen)\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        let address = asAddress ? chosen : away.withLock { $0 }
        if mode == .http {
          connection.send(
            "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n"
              + "Location: \(address)\r\n\r\n")
        }
        _ = connection.discard(Int(request.headers["content-length"] ?? "") ?? 0)
        connection.send(
          "HTTP/1.1 201 Made\r\nTus-Resumable: 1.0.0\r\nUpload-Complete: ?0\r\nLocation: \(address)\r\n"
            + "Content-Length: 0\r\n\r\n")
      }
    }
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.contains("/upload")
            ? "HTTP/1.1 307 Away\r\nLocation: \(other.url("/there"))\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer {
      server.stop()
      other.stop()
    }
    home.withLock { $0 = server.url("/chosen").absoluteString }
    away.withLock { $0 = other.url("/kept").absoluteString }
    let path = try folder.write("a.bin", count: 100_000)
    let target = Target.signed(for: server, sendingOnTo: other, mode)
    _ = await EngineHarness().upload([path], to: target)
    #expect(other.requests.contains { $0.line.hasPrefix("POST") })
    let signed = Self.signed(at: server)
    #expect(signed.allSatisfy { $0.contains("/upload") } && !signed.isEmpty, "\(signed)")
    if !asAddress { #expect(server.requests.contains { $0.line.contains("/chosen") }) }
    #expect(Self.signed(at: other).isEmpty)
  }

  @Test func aRetryThatHelpsEndsWell() async throws {
    let server = try HostileServer { connection, number in
      guard connection.readRequest() != nil else { return }
      connection.send(
        number < 2
          ? "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy"
          : "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 1000)
    var target = Target.once(server.url())
    target.retry = RetryPolicy(attempts: 5, base: 0.01, cap: 0.05)
    let harness = EngineHarness()
    let ends = await harness.upload([path], to: target)
    guard case .done(let receipt) = ends.first else {
      Issue.record("\(ends)")
      return
    }
    #expect(receipt.attempts == 3)
    let retries = harness.states(of: ItemID(1)).compactMap { state -> String? in
      guard case .retrying(let failure, let next, _, _) = state else { return nil }
      return "\(failure.code) \(failure.reply.text) \(next)"
    }
    #expect(retries == ["http-503 busy 2", "http-503 busy 3"])
  }

  @Test func aStaleConnectionIsReplacedWithoutLoss() async throws {
    // The server closes each kept-alive connection on the second request, before reading it.
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      _ = connection.readHead()
    }
    defer { server.stop() }
    let paths = try (0..<4).map { try folder.write("\($0).bin", count: 200_000, seed: $0) }
    var target = Target.once(server.url())
    // Where the reset overtakes libcurl's own repetition, nobody can tell whether the file arrived.
    target.retry = RetryPolicy(attempts: 10, base: 0, cap: 0, isIdempotent: true)
    let harness = EngineHarness(lanes: 1)
    let ends = await harness.upload(paths, to: target)
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 4))
    for (index, path) in paths.enumerated() {
      let content = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(server.requests.contains { Data($0.body).range(of: content) != nil }, "file \(index)")
    }
  }
}
