import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

/// What this room relies on in Foundation's URLSessionTask on Linux, each pinned: a toolchain that changes it
/// fails a test here, and not a person's upload.
@Suite(.timeLimit(.minutes(3)))
struct URLSessionTaskTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private enum End { case good, cancelled, failed }

  /// Keeps a task's callbacks.
  private final class Listener: NSObject, UploadTaskDelegate {
    struct Heard: Sendable {
      var sent: [Int64] = []
      /// The sum of what each call said was new.
      var sum: Int64 = 0
      var expected: Int64 = 0
      var task: ObjectIdentifier?
      var ends: [End] = []
    }
    let heard = Mutex(Heard())

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
      totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      heard.withLock {
        $0.sent.append(totalBytesSent)
        $0.sum += bytesSent
        $0.expected = totalBytesExpectedToSend
        $0.task = ObjectIdentifier(task)
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let end: End =
        switch (error as? TransportError)?.kind {
        case nil: error == nil ? .good : .failed
        case .cancelled: .cancelled
        default: .failed
        }
      heard.withLock { $0.ends.append(end) }
    }
  }

  /// Code that knows only URLSession's own types can begin it, follow it and cancel it. A small body goes with its head,
  /// and a large one in many pieces.
  @Test(arguments: [2000, 4 << 20] as [Int64])
  func anUploadTaskIsATask(length: Int64) async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let request = ExchangeRequest(url: server.url(), method: "PUT", body: ZeroBody(length: length))
    let listener = Listener()
    let task: URLSessionTask = UploadSession.shared.task(request, delegate: listener)
    #expect(task.countOfBytesExpectedToSend == length && task.countOfBytesSent == 0)
    task.resume()
    task.resume()
    try await wait(for: "the end") { listener.heard.withLock { $0.ends.first } }
    let heard = listener.heard.withLock { $0 }
    #expect(heard.sent.last == length && heard.expected == length)
    #expect(heard.sum == length && heard.sent == heard.sent.sorted())
    #expect(heard.task == ObjectIdentifier(task))
    #expect(heard.ends == [.good])
    #expect(task.countOfBytesSent == length)
    task.cancel()
    task.resume()
    // What was ordered before is done by the end of another request.
    _ = await Asker(.shared, ExchangeRequest(url: server.url(), method: "GET")).run()
    #expect(listener.heard.withLock { $0.ends } == [.good])
    #expect(server.requests.map(\.line) == ["PUT /upload HTTP/1.1", "GET /upload HTTP/1.1"])
  }

  /// The end is reported once, whatever comes first.
  @Test(arguments: [false, true])
  func aCancelledTaskEndsOnce(isResumed: Bool) async throws {
    let server = try HostileServer { connection, _ in
      guard let request = connection.readHead() else { return }
      guard request.line.hasPrefix("POST") else { return connection.send(Self.ok) }
      connection.record(request)
      // Nothing is read: a server that has all of it hangs up, and then the test is too late to cancel.
      connection.stall()
    }
    defer { server.stop() }
    let listener = Listener()
    let request = ExchangeRequest(
      url: server.url(), method: "POST", body: ZeroBody(length: 1 << 30))
    let task: URLSessionTask = UploadSession.shared.task(request, delegate: listener)
    if isResumed {
      task.resume()
      try await wait(for: "the first bytes") {
        task.countOfBytesSent > 0 && server.requests.count == 1 ? true : nil
      }
    }
    task.cancel()
    task.cancel()
    task.resume()
    try await wait(for: "the end") { listener.heard.withLock { $0.ends.first } }
    // What was ordered before is done by the end of another request.
    _ = await Asker(.shared, ExchangeRequest(url: server.url(), method: "GET")).run()
    #expect(listener.heard.withLock { $0.ends } == [.cancelled])
    #expect(server.requests.count == (isResumed ? 1 : 0))
  }

  /// Many at once, from many threads, many cancelled: each ends once.
  @Test func manyAtOnceFromManyThreads() async throws {
    let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    defer { server.stop() }
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<16 {
        group.addTask {
          for number in 0..<100 {
            let asker = Asker(
              .shared,
              ExchangeRequest(url: server.url(), method: "POST", body: ZeroBody(length: 2000)))
            async let end = asker.run()
            if (lane + number) % 5 == 0 { asker.task.cancel() }
            let told = await end
            #expect(told.end != nil && told.afterEnd == 0)
          }
        }
      }
    }
  }
}
