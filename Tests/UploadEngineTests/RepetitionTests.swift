import Foundation
import HTTPTransport
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// Nothing is sent twice in silence, whatever would repeat it.
@Suite(.timeLimit(.minutes(5)))
struct RepetitionTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// Its kept connections are never too old to be used again, however busy the machine.
  private static let patient = UploadSession(maxIdle: 600)

  /// How a server ends a connection that it kept.
  enum Ending: CaseIterable { case inOrder, byReset }

  /// A server that reads its second request whole without answering it. That comes over the connection
  /// of the first.
  private func forgetful(_ ending: Ending) throws -> HostileServer {
    let requests = Mutex(0)
    return try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        let number = requests.withLock { requests in
          requests += 1
          return requests
        }
        if number == 2 {
          if ending == .byReset { connection.reset() }
          return
        }
        connection.send(Self.ok)
      }
    }
  }

  private func copies(of number: Int, _ server: HostileServer) throws -> Int {
    let content = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("\(number)"))))
    return server.requests.count { Data($0.body).range(of: Data(content)) != nil }
  }

  private func upload(
    to server: HostileServer, bytes: Int = 5000,
    _ change: (inout Target) throws -> Void = { _ in }
  ) async throws -> [ItemState] {
    let paths = try (1...2).map { try folder.write("\($0)", count: bytes, seed: UInt64($0)) }
    var target = Target(name: "t", url: server.url())
    target.retry = RetryPolicy(attempts: 5, base: 0, cap: 0)
    try change(&target)
    return await EngineHarness(lanes: 1, session: Self.patient).upload(paths, to: target)
  }

  @Test(arguments: Ending.allCases)
  func aBodyThatWasHandedOverWholeIsNotRepeated(_ ending: Ending) async throws {
    let server = try forgetful(ending)
    defer { server.stop() }
    let ends = try await upload(to: server)
    #expect(ends.map(\.code) == ["done 200", "outcome-unknown"], "\(ends)")
    #expect(try copies(of: 2, server) == 1)
  }

  @Test(arguments: Ending.allCases)
  func whereASecondCopyDoesNoHarmItIsRepeated(_ ending: Ending) async throws {
    let server = try forgetful(ending)
    defer { server.stop() }
    let ends = try await upload(to: server) { $0.retry.isIdempotent = true }
    #expect(ends.map(\.code) == ["done 200", "done 200"], "\(ends)")
    #expect(try copies(of: 2, server) == 2)
  }

  /// A server that ends its side of a kept connection may still read, and process, what is on its way there.
  @Test(arguments: [5000, 900_000], [false, true])
  func aHalfClosedConnectionGetsNoCopyBehindOnesBack(_ size: Int, mayRepeat: Bool) async throws {
    let requests = Mutex(0)
    let server = try HostileServer { connection, _ in
      while var request = connection.readHead() {
        let number = requests.withLock { requests in
          requests += 1
          return requests
        }
        if number == 2 { connection.endSending() }
        let length = Int(request.headers["content-length"] ?? "") ?? 0
        guard let body = connection.read(length) else { return }
        request.body = body
        connection.record(request)
        if number == 2 { return connection.drain() }
        connection.send(Self.ok)
      }
    }
    defer { server.stop() }
    let ends = try await upload(to: server, bytes: size) { $0.retry.isIdempotent = mayRepeat }
    // The end may be noticed before any of a large body, or before all of it, was sent.
    let codes =
      mayRepeat
      ? ["done 200"]
      : size > 5000 ? ["outcome-unknown", "done 200"] : ["outcome-unknown"]
    #expect(ends.first?.code == "done 200" && codes.contains(ends.last?.code ?? ""), "\(ends)")
    let most = mayRepeat ? 2 : 1
    // The server may still be reading a small file, which is sent in one piece. Of a large one it may have no whole
    // copy, if the end is noticed before everything was sent.
    try await wait(for: "the server to read what arrived") {
      let isThere = try size > 5000 || copies(of: 2, server) >= most
      return isThere ? true : nil
    }
    #expect((most - 1...most).contains(try copies(of: 2, server)))
  }

  /// A server that answers one request on each of its first two connections, once both are there, and
  /// does `then` with the next that comes over either.
  private func keepingTwo(
    _ then: @escaping @Sendable (HostileConnection) -> Void
  ) throws -> HostileServer {
    let gates = [Gate(), Gate()]
    return try HostileServer { connection, number in
      if number < 2 {
        guard connection.readRequest() != nil else { return }
        gates[number].open()
        gates[1 - number].pass()
        connection.send(Self.ok)
      }
      then(connection)
    }
  }

  /// libcurl tries every kept connection before it makes a new one, and asks a stream again that has
  /// failed: one that says to be at its end then leaves the request without an end of its own.
  @Test func whereTwoConnectionsWereKeptAFileThatMayNotBeRepeatedEndsAtOnce() async throws {
    let server = try keepingTwo { _ = $0.readRequest() }
    defer { server.stop() }
    let ends = try await uploadAfterTwo(5000, to: server) {}
    let cause = try #require(ends.last?.failure?.cause)
    guard case .outcomeUnknown(let why) = cause else { throw UnexpectedCause(cause: cause) }
    #expect(!why.hasPrefix("no reply within"), "\(why)")
  }

  @Test func whereTwoConnectionsWereKeptAFileThatChangesEndsAtOnce() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let begun = Mutex(0)
    let server = try keepingTwo { connection in
      guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
      begun.withLock { $0 += 1 }
      reached.open()
      goOn.pass()
      connection.drain()
    }
    defer { server.stop() }
    let path = folder.path("3")
    let ends = try await uploadAfterTwo(30_000_000, to: server) {
      await reached.passed()
      truncate(path, 20_000_000)
      goOn.open()
    }
    #expect(ends.last?.failure?.cause == .changed(.shrank), "\(ends)")
    #expect(begun.withLock { $0 } == 1, "it is not begun again on the other connection")
  }

  private struct UnexpectedCause: Error { let cause: Failure.Cause }

  /// Uploads two files at a time to a server that keeps both connections, and a third after them.
  private func uploadAfterTwo(
    _ count: Int, to server: HostileServer, _ meanwhile: () async throws -> Void
  ) async throws -> [ItemState] {
    let harness = EngineHarness(lanes: 2, session: Self.patient)
    let target = Target.once(server.url())
    let jobs = try (1...3).map { id in
      let path = try folder.write("\(id)", count: id == 3 ? count : 100, seed: UInt64(id))
      return UploadJob(item: .file(path, id: Int64(id)), target: target)
    }
    harness.engine.submit(jobs)
    try await meanwhile()
    return await harness.finish(jobs.map(\.item.id))
  }

  /// A gateway's trouble comes after the whole form: the server behind may have stored it each time.
  @Test(arguments: [
    ("500 Oops", "http-500", 1), ("502 Bad Gateway", "outcome-unknown", 1),
    ("504 Gateway Timeout", "outcome-unknown", 1), ("503 Busy", "http-503", 3),
    ("429 Slow", "http-429", 3),
  ])
  func aGatewaysTroubleIsNoReasonToSendItAgain(
    _ status: String, _ code: String, _ times: Int
  ) async throws {
    let server = try HostileServer.answering("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    let path = try folder.write("1", count: 5000, seed: 1)
    var target = Target(name: "t", url: server.url())
    target.retry = RetryPolicy(attempts: 3, base: 0, cap: 0)
    let ends = await EngineHarness(lanes: 1).upload([path], to: target)
    #expect(ends.map(\.code) == [code], "\(ends)")
    #expect(server.requests.count == times)
  }

  /// A server that asks for the body and refuses once it has all of it does not mean the question.
  @Test func a417AfterTheWholeBodyIsARefusal() async throws {
    let server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        if head.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        guard connection.discard(Int(head.headers["content-length"] ?? "") ?? 0) else { return }
        connection.record(head)
        connection.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    for size in [2_000_000, 9_000_000] {
      let before = server.requests.count
      let path = try folder.write("\(size)", count: size, seed: 1)
      var target = Target(name: "t", url: server.url())
      target.retry = RetryPolicy(attempts: 3, base: 0, cap: 0)
      let ends = await EngineHarness(lanes: 1).upload([path], to: target)
      #expect(ends.map(\.code) == ["http-417"], "\(ends)")
      #expect(server.requests.count - before == 1, "\(size)")
    }
  }

  /// A reset throws away what waits in the kernel, which is not to be taken for arrived.
  @Test func aResetRightAfterAnEarlyReplyIsALoss() async throws {
    let server = try HostileServer(receiveBuffer: 8192) { connection, _ in
      guard connection.readHead() != nil, connection.read(1000) != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.reset()
    }
    defer { server.stop() }
    let path = try folder.write("1", count: 900_000, seed: 1)
    for _ in 0..<20 {
      let ends = await EngineHarness(lanes: 1).upload([path], to: .once(server.url()))
      // The reset may overtake the reply.
      #expect(["connection-lost", "outcome-unknown"].contains(ends.first?.code), "\(ends)")
    }
  }

  /// A good reply that comes while the end of the body is still on its way counts once that has arrived.
  @Test(arguments: [true, false])
  func anEarlyReplyCountsOnceAllHasArrived(readsOn: Bool) async throws {
    let goOn = Gate()
    let server = try HostileServer(receiveBuffer: 8192) { connection, _ in
      guard let head = connection.readHead() else { return }
      // The rest is in the client's kernel, and has no room in the server's.
      guard connection.read(1000) != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      goOn.pass()
      guard readsOn else { return connection.reset() }
      guard connection.discard((Int(head.headers["content-length"] ?? "") ?? 0) - 1000) else {
        return
      }
      connection.record(head)
      connection.drain()
    }
    defer { server.stop() }
    let path = try folder.write("1", count: 900_000, seed: 1)
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: .once(server.url()))])
    // Once the reply is there: code that takes it for the end would have reported it by then, or reports none later.
    await harness.wait { states in
      states[ItemID(1)]?.contains { if case .sending = $0 { true } else { $0.isFinished } } == true
    }
    goOn.open()
    let ends = await harness.finish([ItemID(1)])
    // The reset may overtake the reply.
    let expected = readsOn ? ["done 200"] : ["connection-lost", "outcome-unknown"]
    #expect(ends.count == 1 && ends.allSatisfy { expected.contains($0.code) }, "\(ends)")
    // What has arrived may not have been read yet.
    if readsOn {
      try await wait(for: "the server to read it") { server.requests.isEmpty ? nil : true }
    }
    #expect(server.requests.count == (readsOn ? 1 : 0))
  }

  @Test func aKeyThatTheServerKnowsARepetitionByIsAsGood() async throws {
    let server = try forgetful(.inOrder)
    defer { server.stop() }
    let key = try Template("{uuid}", lookup: Template.Lookup(environment: { _ in nil }))
    let ends = try await upload(to: server) {
      $0.headers = [.init(name: "idempotency-key", value: key)]
    }
    #expect(ends.map(\.code) == ["done 200", "done 200"], "\(ends)")
    let keys = server.requests.map { $0.headers["idempotency-key"] ?? "" }
    #expect(keys.count == 3 && Set(keys).count == 2 && keys[1] == keys[2], "\(keys)")
  }

  @Test func anEmptyFileThatNeverLeftIsNotUnknown() async throws {
    let server = try HostileServer { connection, _ in connection.stall() }
    defer { server.stop() }
    // It speaks no TLS, so that nothing is ever asked of it.
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    var target = Target.once(url, stallTimeout: 0.5)
    target.body = .binary
    let path = try folder.write("empty", [])
    let ends = await EngineHarness().upload([path], to: target)
    #expect(ends.map(\.code) == ["unreachable"], "\(ends)")
  }

  @Test func anEmptyFileThatWasNotAnsweredMayHaveArrived() async throws {
    let server = try HostileServer { connection, _ in _ = connection.readRequest() }
    defer { server.stop() }
    var target = Target.once(server.url())
    target.body = .binary
    target.retry = RetryPolicy(attempts: 3, base: 0, cap: 0)
    let path = try folder.write("empty", [])
    let ends = await EngineHarness().upload([path], to: target)
    #expect(ends.map(\.code) == ["outcome-unknown"], "\(ends)")
    #expect(server.requests.count == 1)
  }

  @Test func anEmptyFileWhoseReplyNeverComesMayHaveArrived() async throws {
    let server = try HostileServer { connection, _ in
      if connection.readRequest() != nil { connection.stall() }
    }
    defer { server.stop() }
    var target = Target.once(server.url())
    target.body = .binary
    target.retry = RetryPolicy(attempts: 3, base: 0, cap: 0)
    let path = try folder.write("empty", [])
    let clock = TestClock()
    let running = Task {
      await server.stalled()
      await clock.run()
    }
    defer { running.cancel() }
    let ends = await EngineHarness(time: clock.time).upload([path], to: target)
    #expect(ends.map(\.code) == ["outcome-unknown"], "\(ends)")
    #expect(server.requests.count == 1)
  }

  /// A server that reads a request whole and then does as it is told.
  private func undecided(
    _ reached: DispatchSemaphore, _ goOn: DispatchSemaphore, reply: String?
  ) throws -> HostileServer {
    try HostileServer { connection, number in
      guard connection.readRequest() != nil else { return }
      guard number == 0 else {
        connection.send(Self.ok)
        return
      }
      reached.signal()
      goOn.wait()
      if let reply { connection.send(reply) }
    }
  }

  @Test(arguments: [nil, ok])
  func whatIsPutBackWhileItsReplyIsDueIsNotSentAgain(_ reply: String?) async throws {
    let (reached, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try undecided(reached, goOn, reply: reply)
    defer { server.stop() }
    let harness = EngineHarness(lanes: 1)
    // Another file in the same request keeps it from being broken off.
    let jobs = try (1...2).map { id in
      var target = Target.once(server.url(), stallTimeout: 120)
      target.batch = BatchRule(maxFiles: 2)
      return UploadJob(
        item: .file(try folder.write("\(id)", count: 100), id: Int64(id)), target: target)
    }
    harness.engine.submit(jobs)
    await reached.passed()
    await harness.wait { states in
      states[ItemID(1)]?.contains { if case .awaitingReply = $0 { true } else { false } } == true
    }
    harness.engine.remove([ItemID(1)])
    harness.engine.submit([jobs[0]])
    harness.engine.tryServers()
    goOn.signal()
    let ends = await harness.finish(jobs.map(\.item.id))
    let expected = reply == nil ? "outcome-unknown" : "done 200"
    #expect(ends.map(\.code) == [expected, expected], "\(ends)")
    #expect(server.requests.count == 1)
  }
}
