import CCurl
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

/// A kept connection may end while a request is on its way. It is repeated where the server cannot have
/// seen it, and never elsewhere.
@Suite(.timeLimit(.minutes(3)))
struct KeptConnectionTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// Old enough for any machine.
  private let session = UploadSession(maxIdle: 600)

  private func send(
    to server: HostileServer, bytes: Int64 = 5000, mayRepeat: Bool = false
  ) async -> Asker.Told {
    var request = ExchangeRequest(
      url: server.url(), method: "POST", body: ZeroBody(length: bytes))
    request.mayRepeat = mayRepeat
    return await Asker(session, request).run()
  }

  /// A server whose first connection answers one request, reads the next one and ends without a reply.
  private func reading(_ end: @escaping @Sendable (HostileConnection) -> Void) throws
    -> HostileServer
  {
    try HostileServer { connection, number in
      guard connection.readRequest() != nil else { return }
      connection.send(Self.ok)
      guard connection.readRequest() != nil else { return }
      if number == 0 { return end(connection) }
      connection.send(Self.ok)
    }
  }

  /// A limit that is not set does not part it from the head.
  @Test func aSmallBodyGoesWithItsHead() async throws {
    let together = Mutex<[Int]>([])
    let server = try HostileServer { connection, _ in
      while connection.readHead() != nil {
        together.withLock { $0.append(connection.unread) }
        guard connection.discard(10_000) else { return }
        connection.send(Self.ok)
      }
    }
    defer { server.stop() }
    for _ in 0..<2 {
      var request = ExchangeRequest(
        url: server.url(), method: "POST", body: ZeroBody(length: 10_000))
      request.limits = [session.makeLimit()]
      #expect(await Asker(session, request).run().end?.trouble == nil)
    }
    #expect(together.withLock { $0 } == [10_000, 10_000])
  }

  /// A connection whose body has no reply is reset when it is closed. One that is done with ends in order.
  @Test(arguments: [5000, 500_000])
  func aConnectionThatIsDoneWithEndsInOrder(length: Int64) async throws {
    let isInOrder = Mutex(false)
    let isOver = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      guard connection.discardRequest() else { return }
      connection.send(Self.ok)
      isInOrder.withLock { $0 = connection.endsInOrder() }
      isOver.signal()
    }
    defer { server.stop() }
    var request = ExchangeRequest(
      url: server.url(), method: "POST", body: ZeroBody(length: length))
    request.headers = [("Connection", "close")]
    #expect(await Asker(session, request).run().end?.trouble == nil)
    await wait(for: isOver)
    #expect(isInOrder.withLock { $0 })
  }

  /// The next request goes out before what was postponed is done; on other threads nothing is postponed.
  @Test func whatCanWaitIsDoneOnceTheNextRequestHasGone() async throws {
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let request = ExchangeRequest(
      url: server.url(), method: "POST", body: ZeroBody(length: 10_000))
    let (ends, continuation) = AsyncStream.makeStream(of: Bool.self)
    let next = session.task(request) { _ in }
    let first = session.task(request) { [session] event in
      guard case .ended = event else { return }
      session.postpone { continuation.yield(next.hasHandedOverAll) }
      next.resume()
    }
    first.resume()
    #expect(await ends.first { _ in true } == true)
    let isDone = Mutex(false)
    session.postpone { isDone.withLock { $0 = true } }
    #expect(isDone.withLock { $0 })
    // Another session's thread is another thread too.
    let other = UploadSession()
    let last = session.task(request) { event in
      guard case .ended = event else { return }
      let isDone = Mutex(false)
      other.postpone { isDone.withLock { $0 = true } }
      continuation.yield(isDone.withLock { $0 })
    }
    last.resume()
    #expect(await ends.first { _ in true } == true)
  }

  @Test func whatWasReadAndNotAnsweredIsNotRepeated() async throws {
    let endings: [@Sendable (HostileConnection) -> Void] = [{ $0.close() }, { $0.reset() }]
    for ending in endings {
      let server = try reading(ending)
      defer { server.stop() }
      #expect(await send(to: server).end?.trouble == nil)
      let end = await send(to: server).end
      guard case .connectionLost? = end?.trouble?.kind else {
        Issue.record("\(String(describing: end))")
        continue
      }
      #expect(server.requests.count == 2)
    }
  }

  /// libcurl asks for such a body once more, and 8.14 goes on asking after the handle was reset.
  @Test func whatIsNotRepeatedHarmsNoLaterRequest() async throws {
    let server = try reading { $0.close() }
    defer { server.stop() }
    // Larger than what goes with its head.
    let bytes: Int64 = 200_000
    #expect(await send(to: server, bytes: bytes).end?.trouble == nil)
    #expect(await send(to: server, bytes: bytes).end?.trouble != nil)
    #expect(await send(to: server, bytes: bytes).end?.trouble == nil)
    #expect(server.requests.count == 3)
  }

  @Test func whereACopyDoesNoHarmItIsRepeated() async throws {
    let server = try reading { $0.reset() }
    defer { server.stop() }
    #expect(await send(to: server).end?.trouble == nil)
    #expect(await send(to: server, mayRepeat: true).end?.head?.status == 200)
    #expect(server.requests.count == 3)
  }

  /// A pause is asked for once, and holds for the whole request, however often it could be sent.
  @Test func whatIsToStopUnlessItWasSentIsNotRepeated() async throws {
    let (wasRead, isStopped) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try reading { connection in
      wasRead.signal()
      isStopped.wait()
      connection.reset()
    }
    defer { server.stop() }
    #expect(await send(to: server).end?.trouble == nil)
    var request = ExchangeRequest(url: server.url(), method: "POST", body: ZeroBody(length: 5000))
    request.mayRepeat = true
    let asker = Asker(session, request)
    async let told = asker.run()
    await wait(for: wasRead)
    asker.task.cancelUnlessSent()
    isStopped.signal()
    #expect(await told.end?.trouble != nil)
    #expect(server.requests.count == 2)
  }

  @Test func anEmptyBodyIsNotRepeatedInSilence() async throws {
    let server = try reading { $0.close() }
    defer { server.stop() }
    #expect(await send(to: server, bytes: 0).end?.trouble == nil)
    // It does not go over a kept connection, so that there is nothing for libcurl to repeat.
    #expect(await send(to: server, bytes: 0).end?.trouble == nil)
    #expect(server.requests.count == 2)
  }

  // MARK: What the kernel tells

  /// A connection on the loopback: what the client has, and what the server does with its end.
  private func connection(
    _ script: @escaping @Sendable (HostileConnection) -> Void
  ) throws -> (client: Int32, server: HostileServer) {
    let server = try HostileServer { connection, _ in script(connection) }
    return (try connect(to: server), server)
  }

  private func connect(to server: HostileServer) throws -> Int32 {
    let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = in_port_t(server.port).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(result == 0)
    return client
  }

  /// Waits until the other side's end or reset has come.
  private func waitForEnd(of client: Int32) {
    let peerHungUp: Int16 = 0x2000  // POLLRDHUP, which Glibc hides behind _GNU_SOURCE
    var poller = pollfd(fd: client, events: peerHungUp, revents: 0)
    poll(&poller, 1, 60_000)
  }

  /// Waits until what was sent is answered by a reset, or acknowledged.
  private func waitForAnswer(of client: Int32) async throws {
    try await wait(for: "the kernel's answer") {
      let found = hoist_look_at(client)
      return found.state == TCP_CLOSE || SocketTable.unacknowledged(at: client) == 0 ? true : nil
    }
  }

  @Test func whatIsSentAfterTheOtherSidesEndIsUnseen() async throws {
    let (client, server) = try connection { $0.close() }
    defer {
      Glibc.close(client)
      server.stop()
    }
    waitForEnd(of: client)
    let mark = try #require(SocketTable.end(of: client))
    #expect(Glibc.send(client, "request", 7, Int32(MSG_NOSIGNAL)) == 7)
    try await waitForAnswer(of: client)
    #expect(SocketTable.sight(of: client, after: mark) == .unseen)
  }

  @Test func whatWasReadBeforeTheEndIsNotUnseen() async throws {
    for resets in [false, true] {
      let (client, server) = try connection { connection in
        _ = connection.read(7)
        if resets { connection.reset() }
      }
      defer {
        Glibc.close(client)
        server.stop()
      }
      let mark = try #require(SocketTable.end(of: client))
      #expect(Glibc.send(client, "request", 7, Int32(MSG_NOSIGNAL)) == 7)
      waitForEnd(of: client)
      try await waitForAnswer(of: client)
      #expect(SocketTable.sight(of: client, after: mark) == .uncertain, "resets: \(resets)")
    }
  }

  @Test func whatLiesUnreadWhenTheServerEndsMayHaveBeenSeen() async throws {
    let goOn = DispatchSemaphore(value: 0)
    let (client, server) = try connection { connection in
      goOn.wait()
      _ = connection.awaitUnread(7)
    }
    defer {
      Glibc.close(client)
      server.stop()
    }
    let mark = try #require(SocketTable.end(of: client))
    #expect(Glibc.send(client, "request", 7, Int32(MSG_NOSIGNAL)) == 7)
    goOn.signal()
    waitForEnd(of: client)
    #expect(SocketTable.sight(of: client, after: mark) == .uncertain)
  }

  /// What was on its way when the server ended its own direction arrives, and is read.
  @Test func whatAServerReadsAfterItsOwnEndIsNotUnseen() async throws {
    let server = try HostileServer { connection, _ in
      connection.endSending()
      connection.drain()
    }
    defer { server.stop() }
    let client = try connect(to: server)
    defer { Glibc.close(client) }
    waitForEnd(of: client)
    #expect(SocketTable.hasEnd(hoist_look_at(client)))
    let mark = try #require(SocketTable.end(of: client))
    let closed = try #require(ClosedConnection(client, mark: mark))
    #expect(Glibc.send(client, "request", 7, Int32(MSG_NOSIGNAL)) == 7)
    let sight = try await wait(for: "the kernel's answer") {
      let sight = closed.sight()
      return sight == .open ? nil : sight
    }
    #expect(sight == .uncertain)
  }

  /// A server that never says whether it has seen anything is not waited for without end.
  @Test func aDoubtThatNothingSettlesEnds() async throws {
    let (client, server) = try connection { connection in
      connection.endSending()
      connection.stall()
    }
    defer {
      Glibc.close(client)
      server.stop()
    }
    waitForEnd(of: client)
    let mark = try #require(SocketTable.end(of: client))
    let closed = try #require(ClosedConnection(client, mark: mark))
    #expect(closed.sight(at: 0) == .open)
    #expect(closed.sight(at: Clock.now + 3600) == .uncertain)
    #expect(closed.sight() == .uncertain)
  }

  @Test func anOpenConnectionHasNotEnded() throws {
    let (client, server) = try connection { $0.stall() }
    defer {
      Glibc.close(client)
      server.stop()
    }
    let mark = try #require(SocketTable.end(of: client))
    #expect(SocketTable.sight(of: client, after: mark) == .uncertain)
  }
}
