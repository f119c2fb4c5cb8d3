import CCurl
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What this room relies on in Foundation's URLProtocol on Linux, each pinned: a toolchain that changes it
/// fails a test here, and not a person's upload.
@Suite(.timeLimit(.minutes(3)))
struct URLProtocolTrapTests {
  /// A protocol that notes how it is treated and answers as it is told.
  private final class Probe: URLProtocol {
    struct Seen {
      var queue: UnsafeMutableRawPointer?
      var delegate: ObjectIdentifier?
      var stops = 0
    }
    nonisolated(unsafe) static var seen = Seen()
    static let lock = NSLock()

    static func record(_ change: (inout Seen) -> Void) {
      lock.lock()
      defer { lock.unlock() }
      change(&seen)
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      let queue = hoist_current_queue()
      let delegate = task?.delegate.map { ObjectIdentifier($0) }
      Self.record {
        $0.queue = queue
        $0.delegate = delegate
      }
      guard let url = request.url, url.path != "/hang" else { return }
      let status = Int(url.lastPathComponent) ?? 200
      let fields = url.query == "challenge" ? ["WWW-Authenticate": "Basic realm=\"x\""] : [:]
      guard
        let response = HTTPURLResponse(
          url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
      else { return }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("content".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() { Self.record { $0.stops += 1 } }
  }

  /// Notes a session's callbacks.
  private final class Listener: NSObject, URLSessionDataDelegate, Sendable {
    struct Heard: Sendable {
      var status: Int?
      var data = Data()
      var challenges = 0
      var errorCode: Int?
      var isOver = false
    }
    let heard = Mutex(Heard())

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
      heard.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      heard.withLock { $0.data += data }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      heard.withLock { $0.challenges += 1 }
      completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      heard.withLock {
        $0.errorCode = (error as NSError?)?.code
        $0.isOver = true
      }
    }
  }

  private func load(
    _ path: String, taskDelegate: (any URLSessionTaskDelegate)? = nil, cancels: Bool = false
  ) async throws -> Listener.Heard {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Probe.self]
    let listener = Listener()
    let session = URLSession(configuration: configuration, delegate: listener, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: try #require(URL(string: "http://nowhere.invalid\(path)")))
    if let taskDelegate { task.delegate = taskDelegate }
    task.resume()
    if cancels { task.cancel() }
    try await wait(for: "the task's end") { listener.heard.withLock { $0.isOver ? true : nil } }
    return listener.heard.withLock { $0 }
  }

  /// One after the other, for the probe is one for all.
  @Test func theyAreAsTheyWere() async throws {
    // A protocol among `protocolClasses` is asked first, started on the task's own queue, and finds the
    // delegate that the task was given; the session's delegate hears the rest.
    let delegate = Listener()
    let heard = try await load("/200", taskDelegate: delegate)
    #expect(heard.status == 200)
    #expect(heard.data == Data("content".utf8))
    #expect(heard.errorCode == nil)
    #expect(delegate.heard.withLock { $0.status } == nil)
    Probe.record { seen in
      #expect(seen.queue != nil)
      #expect(seen.delegate == ObjectIdentifier(delegate))
    }
    // A redirect's status is a reply as any other.
    #expect(try await load("/307").status == 307)
    // A 401 with a challenge is not: rejecting it ends the task as cancelled.
    let challenged = try await load("/401?challenge")
    #expect(challenged.challenges == 1)
    #expect(challenged.errorCode == NSURLErrorCancelled)
    // Without that field in the response there is none.
    let refused = try await load("/401")
    #expect(refused.challenges == 0)
    #expect(refused.status == 401)
    #expect(refused.errorCode == nil)
    // Cancelling stops the protocol once, and URLSession tells the end by itself.
    Probe.record { $0.stops = 0 }
    let cancelled = try await load("/hang", cancels: true)
    #expect(cancelled.errorCode == NSURLErrorCancelled)
    Probe.record { #expect($0.stops == 1) }
  }

  /// URLSession reads its registry of tasks without a lock: answers from other threads than the task's
  /// queue crash within seconds. Many at once, from many threads, many cancelled.
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
            if (lane + number) % 5 == 0 { asker.exchange.cancel() }
            let told = await end
            #expect(told.end != nil)
          }
        }
      }
    }
  }
}
