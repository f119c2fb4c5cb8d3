import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

/// A body that waits for "100 Continue" does not wait for ever: a server need not say it (RFC 9110 §10.1.1).
@Suite(.timeLimit(.minutes(3)))
struct ExpectTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
  private static let length: Int64 = 2 << 20

  /// libcurl looks at its own second once, and not where something arrives in the same moment.
  @Test func aReplyAtTheEndOfTheWaitDoesNotKeepTheBody() async throws {
    let isOver = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 102 Processing\r\n\r\n")
      // Not for luck: this is the second for which libcurl waits.
      Thread.sleep(forTimeInterval: 1.2)
      connection.send("HTTP/1.1 104 Upload Resumption Supported\r\n\r\n")
      isOver.signal()
      if connection.discard(Int(Self.length)) { connection.send(Self.ok) }
    }
    defer { server.stop() }
    var request = ExchangeRequest(
      url: server.url(), method: "POST", body: ZeroBody(length: Self.length))
    (request.expectsContinue, request.waitsAfterInterim) = (true, true)
    let exchange = Mutex<UploadTask?>(nil)
    let end = Mutex<ExchangeEnd?>(nil)
    // A transport of its own: its thread is kept from its work until both have come.
    let asked = UploadSession().task(request) { event in
      switch event {
      case .informed(let head):
        if head.status == 102 { isOver.wait() }
        exchange.withLock { $0 }?.releaseBody()
      case .ended(let told): end.withLock { $0 = told }
      default: break
      }
    }
    exchange.withLock { $0 = asked }
    asked.resume()
    defer { asked.cancel() }
    let told = try await wait(for: "the end") { end.withLock { $0 } }
    #expect(told.head?.status == 200 && told.trouble == nil, "\(told)")
  }

  /// An interim reply in place of the one that was asked for.
  @Test(arguments: [false, true])
  func anInterimReplyDoesNotStandForTheOneThatWasAskedFor(_ waits: Bool) async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      // After libcurl has begun to wait.
      Thread.sleep(forTimeInterval: 0.05)
      connection.send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /1\r\n\r\n")
      if connection.discard(Int(Self.length)) { connection.send(Self.ok) }
    }
    defer { server.stop() }
    var request = ExchangeRequest(
      url: server.url(), method: "POST", body: ZeroBody(length: Self.length))
    (request.expectsContinue, request.waitsAfterInterim) = (true, waits)
    let asker = Asker(UploadSession(), request)
    async let end = asker.run()
    defer { asker.task.cancel() }
    try await wait(for: "the interim reply") { asker.events.interim.first }
    asker.task.releaseBody()
    try await wait(for: "the end") { asker.events.end }
    let told = await end
    #expect(told.end?.head?.status == 200 && told.expectIgnored == 1, "\(told)")
  }
}
