import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

/// Requests against a scripted server: what goes over the wire, and what the delegate hears.
@Suite(.timeLimit(.minutes(3)))
struct UploadTaskTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private func post(_ server: HostileServer, _ body: any ExchangeBody) -> ExchangeRequest {
    ExchangeRequest(
      url: server.url(), method: "POST", headers: [("Content-Type", "text/plain")], body: body)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func aBodyGoesWithItsLengthAndInOrder(_ method: String) async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var request = post(server, MemoryBody(Data("hello".utf8)))
    request.method = method
    request.headers = [("X-B", "2"), ("X-A", "1")]
    let told = await Asker(.shared, request).run()
    #expect(told.end?.trouble == nil, "\(String(describing: told.end))")
    #expect(told.end?.head?.status == 200)
    #expect(told.end.map { String(decoding: $0.reply, as: UTF8.self) } == "ok")
    #expect(told.acknowledged.last == 5)
    let seen = try #require(server.requests.first)
    #expect(seen.line == "\(method) /upload HTTP/1.1")
    #expect(seen.body == Array("hello".utf8))
    #expect(seen.headers["content-length"] == "5")
    #expect(seen.headers["transfer-encoding"] == nil)
    #expect(seen.headers["expect"] == nil)
  }

  /// A body that calls back before each of its bytes are read, on the transport's own thread, with how many were.
  private struct WatchedBody: ExchangeBody {
    let length: Int64
    let onRead: @Sendable (Int64) -> Void

    func makeReader() -> any ExchangeBodyReader { Reader(self) }

    private final class Reader: ExchangeBodyReader {
      private let body: WatchedBody
      private var given: Int64 = 0

      init(_ body: WatchedBody) { self.body = body }

      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        body.onRead(given)
        let count = min(Int64(buffer.count), body.length - given)
        given += count
        buffer.initializeMemory(as: UInt8.self, repeating: 1)
        return Int(count)
      }
    }
  }

  /// If libcurl asks for more before the loop sees the order to stop, it closes the connection by itself. What the kernel
  /// has of the body is discarded there too. The order comes from another request's body, so that it falls in between.
  @Test func whatIsCancelledBetweenTwoReadsDoesNotArriveFromBuffers() async throws {
    for _ in 0..<5 {
      let isOver = Mutex(false)
      let received = Mutex(0)
      let server = try HostileServer(receiveBuffer: 64 << 10) { connection, _ in
        guard connection.readHead() != nil else { return }
        connection.stall(atMost: .seconds(20))
        while connection.read(1) != nil { received.withLock { $0 += 1 } }
        isOver.withLock { $0 = true }
      }
      let other = try HostileServer { connection, _ in connection.drain() }
      defer {
        server.stop()
        other.stop()
      }
      let given = Mutex<Int64>(0)
      let session = UploadSession(expectPatience: 60)
      let meant = Asker(
        session,
        post(server, WatchedBody(length: 1_500_000) { bytes in given.withLock { $0 = bytes } }))
      let beside = Asker(
        session,
        post(
          other,
          WatchedBody(length: 1 << 40) { _ in
            if given.withLock({ $0 > 600_000 }) { meant.task.cancel() }
          }))
      beside.task.resume()
      let told = await meant.run()
      beside.task.cancel()
      #expect(told.end?.trouble != nil)
      try await wait(for: "the connection's end") { isOver.withLock { $0 } ? true : nil }
      #expect(received.withLock { $0 } < 450_000)
    }
  }

  @Test func aBodyWaitsUntilAnInterimReplyIsRead() async throws {
    let server = try HostileServer { connection, _ in
      guard var request = connection.readHead() else { return }
      connection.send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /1\r\n\r\n")
      connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      request.body = connection.read(2 << 20) ?? []
      connection.record(request)
      connection.send("HTTP/1.1 104 Upload Resumption Supported\r\n\r\n" + Self.ok)
    }
    defer { server.stop() }
    var request = post(server, ZeroBody(length: 2 << 20))
    (request.expectsContinue, request.waitsAfterInterim) = (true, true)
    let asker = Asker(UploadSession(expectPatience: 60), request)
    async let end = asker.run()
    try await wait(for: "the body to wait") {
      asker.task.transferProgress.isHeldBack ? true : nil
    }
    #expect(asker.task.transferProgress.handedOver == 0)
    try await wait(for: "the interim replies") {
      asker.events.interim.count == 2 ? true : nil
    }
    #expect(
      asker.events.interim
        == [ReplyHead(status: 104, headers: ["location": "/1"]), ReplyHead(status: 100)])
    asker.task.releaseBody()
    let told = await end
    #expect(told.end?.head?.status == 200 && told.interim.count == 3)
    #expect(server.requests.first?.body.count == 2 << 20)
  }

  @Test func aGetHasNoBody() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let told = await Asker(.shared, ExchangeRequest(url: server.url("/a?b=%2F../c"), method: "GET"))
      .run()
    #expect(told.heads.map(\.status) == [200], "\(String(describing: told.end))")
    #expect(server.requests.first?.line == "GET /a?b=%2F../c HTTP/1.1")
    #expect(server.requests.first?.headers["content-length"] == nil)
  }

  @Test func aBodyThatFailsEndsTheTaskWithItsError() async throws {
    let server = try HostileServer { connection, _ in connection.drain() }
    defer { server.stop() }
    let told = await Asker(.shared, post(server, BrokenBody())).run()
    guard case .body(let error)? = told.end?.trouble?.kind else {
      Issue.record("\(String(describing: told.end?.trouble))")
      return
    }
    #expect(error is BrokenBody.Broken)
  }

  @Test func whatTheConnectionCannotHoldIsNotAcknowledged() async throws {
    let reached = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let server = try HostileServer(receiveBuffer: 8192) { connection, _ in
      guard connection.readHead() != nil else { return }
      reached.signal()
      goOn.wait()
      guard connection.discard(4 << 20) else { return }
      connection.send(Self.ok)
    }
    defer { server.stop() }
    let asker = Asker(.shared, post(server, ZeroBody(length: 4 << 20)))
    async let end = asker.run()
    await wait(for: reached)
    // The kernel takes all of it or most; the other side has room for some kilobytes.
    try await wait(for: "the kernel's buffer to fill") {
      asker.task.transferProgress.handedOver > 1 << 20 ? true : nil
    }
    // What the delegate has been told by `didSendBodyData`.
    #expect(asker.events.acknowledged.last ?? 0 < 256 << 10)
    #expect(asker.task.transferProgress.acknowledged < 256 << 10)
    goOn.signal()
    let told = await end
    #expect(told.end?.head?.status == 200)
    #expect(told.acknowledged.last == 4 << 20)
    #expect(told.acknowledged == told.acknowledged.sorted(), "it never goes back")
  }

  /// So that it can be recorded that the server may have the request before it can have it.
  @Test(arguments: [100, 100_000, 2 << 20])
  func theEndOfABodyIsHeld(length: Int64) async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var request = post(server, ZeroBody(length: length))
    request.holdsEnd = true
    let asker = Asker(.shared, request)
    async let told = asker.run()
    let before = max(0, length - 512)
    try await wait(for: "all but the end") {
      asker.events.endHeld == 1 && asker.events.acknowledged.last ?? 0 == before ? true : nil
    }
    #expect(asker.task.transferProgress.handedOver == before && server.requests.isEmpty)
    asker.task.releaseBody()
    #expect(await told.end?.head?.status == 200)
    #expect(asker.events.endHeld == 1 && server.requests.map(\.body.count) == [Int(length)])
  }

  /// A delegate that answers from another thread may do so before the transport has put the body on hold.
  @Test(arguments: [100, 100_000, 2 << 20])
  func anEndThatIsReleasedAtOnceIsSent(length: Int64) async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var request = post(server, ZeroBody(length: length))
    request.holdsEnd = true
    let asker = Asker(.shared, request, releasesEnd: true)
    // Ends a task that would otherwise wait forever.
    defer { asker.task.cancel() }
    asker.task.resume()
    let end = try await wait(for: "the end") { asker.events.end }
    #expect(end.trouble == nil && end.head?.status == 200)
    #expect(asker.events.endHeld == 1 && server.requests.map(\.body.count) == [Int(length)])
  }

  @Test func aQuestionThatIsNotAnsweredIsTold() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var request = post(server, ZeroBody(length: 2 << 20))
    request.expectsContinue = true
    let told = await Asker(.shared, request).run()
    #expect(told.expectIgnored == 1)
    #expect(server.requests.first?.headers["expect"] == "100-continue")
    #expect(server.requests.first?.body.count == 2 << 20)
  }

  @Test func aQuestionThatIsAnsweredIsNot() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      guard connection.discard(2 << 20) else { return }
      connection.send(Self.ok)
    }
    defer { server.stop() }
    var request = post(server, ZeroBody(length: 2 << 20))
    request.expectsContinue = true
    let told = await Asker(UploadSession(expectPatience: 60), request).run()
    #expect(told.expectIgnored == 0)
    #expect(told.heads.map(\.status) == [200])
  }

  @Test func headsThatWouldBeOthersAreRefused() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    for bad in ["a\r\nX-Evil: 1", "a\nb", "a\0b"] {
      var request = post(server, MemoryBody(Data()))
      request.headers = [("X-A", bad)]
      let told = await Asker(.shared, request).run()
      guard case .optionRefused? = told.end?.trouble?.kind else {
        Issue.record("\(bad.debugDescription): \(String(describing: told.end))")
        continue
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test func aReplyIsTakenUpToItsBound() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([UInt8](repeating: 0x61, count: 1 << 16)) {}
    }
    defer { server.stop() }
    var request = post(server, MemoryBody(Data("x".utf8)))
    request.mostReply = 100_000
    let end = await Asker(.shared, request).run().end
    #expect(end?.reply.count == 100_000)
    #expect(end?.isReplyCut == true)
    #expect(end?.trouble == nil)
  }

  @Test func aHeadWithoutAnEndIsCut() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send([UInt8](String(repeating: "X-A: b\r\n", count: 4096).utf8)) {}
    }
    defer { server.stop() }
    let end = await Asker(.shared, post(server, MemoryBody(Data("x".utf8)))).run().end
    #expect(end?.head == nil)
  }

  /// A small body is not looked at while it is sent.
  @Test func theRoundTripTimeOfASmallRequestIsKnown() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let asker = Asker(.shared, post(server, MemoryBody(Data("x".utf8))))
    #expect(await asker.run().end?.head?.status == 200)
    #expect(asker.task.transferProgress.roundTrip ?? 0 > 0)
  }

  @Test func nothingIsToldAfterTheEnd() async throws {
    let server = try HostileServer { connection, _ in connection.drain() }
    defer { server.stop() }
    let asker = Asker(.shared, post(server, ZeroBody(length: 1 << 30)))
    async let end = asker.run()
    try await wait(for: "bytes to be on their way") {
      asker.task.transferProgress.acknowledged > 0 ? true : nil
    }
    asker.task.cancel()
    asker.task.cancel()
    guard case .cancelled? = await end.end?.trouble?.kind else {
      Issue.record("\(asker.events)")
      return
    }
    // Another task of the same loop: whatever was still to come of the first has come by then.
    let other = try HostileServer.answering(Self.ok)
    defer { other.stop() }
    #expect(await Asker(.shared, post(other, ZeroBody(length: 10))).run().end?.trouble == nil)
    #expect(asker.events.afterEnd == 0)
  }

  @Test func cancellingBeforeTheBeginningIsAnEnd() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let asker = Asker(.shared, post(server, ZeroBody(length: 10)))
    asker.task.cancel()
    try await wait(for: "its end") { asker.events.end.map { _ in true } }
    #expect(server.requests.isEmpty)
  }

  @Test func aLimitGivesEveryoneTheirTurn() async throws {
    let server = try HostileServer { connection, _ in connection.drain() }
    defer { server.stop() }
    let limit = UploadSession.shared.makeLimit()
    limit.set(1)
    let askers = (0..<4).map { _ in
      var request = post(server, ZeroBody(length: 1 << 30))
      request.limits = [limit]
      return Asker(.shared, request)
    }
    for asker in askers { asker.task.resume() }
    // Nobody has had a turn before all have come.
    try await wait(for: "all to be held back") {
      askers.allSatisfy { $0.task.transferProgress.isHeldBack } ? true : nil
    }
    limit.set(1_000_000)
    try await wait(for: "half a megabyte to be handed over") {
      askers.reduce(0) { $0 + $1.task.transferProgress.handedOver } > 500_000 ? true : nil
    }
    let shares = askers.map(\.task.transferProgress.handedOver)
    #expect(shares.allSatisfy { $0 > 60_000 }, "\(shares)")
    for asker in askers { asker.task.cancel() }
    try await wait(for: "their ends") { askers.allSatisfy { $0.events.end != nil } ? true : nil }
  }

  /// A server that has stopped reading is no less silent for a limit of ours.
  @Test func aLimitDoesNotHideAStall() async throws {
    let server = try HostileServer(receiveBuffer: 8192) { connection, _ in connection.stall() }
    defer { server.stop() }
    let limit = UploadSession.shared.makeLimit()
    limit.set(50_000_000)
    var request = post(server, ZeroBody(length: 1 << 30))
    request.limits = [limit]
    let asker = Asker(.shared, request)
    asker.task.resume()
    var last = asker.task.transferProgress
    try await wait(for: "a look at which nothing has moved") {
      let now = asker.task.transferProgress
      defer { last = now }
      return now.handedOver > 0 && !now.hasMoved(since: last) ? true : nil
    }
    asker.task.cancel()
  }

  @Test func theLimitHoldsForManyAndMayChange() async throws {
    let server = try HostileServer { connection, _ in
      while connection.discardRequest() { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let limit = UploadSession.shared.makeLimit()
    limit.set(2_000_000)
    let start = Clock.now
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5 {
            var request = self.post(server, ZeroBody(length: 50_000))
            request.limits = [limit]
            let end = await Asker(.shared, request).run().end
            #expect(end?.trouble == nil)
          }
        }
      }
    }
    // Two megabytes: a busy machine may take longer, and none may be faster.
    #expect(Clock.now - start > 0.9)
    limit.set(1)
    var request = post(server, ZeroBody(length: 50_000))
    request.limits = [limit]
    let asker = Asker(.shared, request)
    async let end = asker.run()
    try await wait(for: "the limit to hold it back") {
      asker.task.transferProgress.isHeldBack ? true : nil
    }
    limit.set(nil)
    #expect(await end.end?.trouble == nil)
  }

  @Test(
    "all that the server has taken counts, however it answers before it closes",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 403 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
      "HTTP/1.1 403 No\r\nContent-Length: 100\r\n\r\nno",
      "SSH-2.0-OpenSSH_9\r\n",
    ])
  func allThatWasTakenCounts(_ reply: String) async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send(reply)
    }
    defer { server.stop() }
    for _ in 0..<6 {
      let limit = UploadSession.shared.makeLimit()
      limit.set(1)
      var request = post(server, ZeroBody(length: 40_000))
      request.limits = [limit]
      let asker = Asker(.shared, request)
      async let told = asker.run()
      try await wait(for: "the limit to hold it back") {
        asker.task.transferProgress.isHeldBack ? true : nil
      }
      // The rest leaves at once, and the connection ends before anybody has looked how much of it was taken.
      limit.set(nil)
      #expect(await told.acknowledged.last == 40_000)
    }
  }
}

/// Waits for a server's thread without one of the threads that all tests share.
func wait(for semaphore: DispatchSemaphore) async {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      semaphore.wait()
      continuation.resume()
    }
  }
}
