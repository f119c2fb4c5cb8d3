import Foundation
import FoundationNetworking
import HTTPTransport
import Synchronization
import TestSupport

/// Asks and keeps what was told, for tests that wait for a state.
final class Asker: Sendable {
  struct Told: Sendable {
    var acknowledged: [Int64] = []
    var heads: [ReplyHead] = []
    var interim: [ReplyHead] = []
    var expectIgnored = 0
    var endHeld = 0
    var end: ExchangeEnd?
    var afterEnd = 0
  }
  let task: UploadTask
  private let box: Box

  /// What the handler writes to, before there is a task.
  private final class Box: Sendable {
    let told = Mutex(Told())
    let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)
  }

  /// With `releasesEnd`, an end that is held is released at once, within the call that tells of it.
  init(_ session: UploadSession, _ request: ExchangeRequest, releasesEnd: Bool = false) {
    let box = Box()
    self.box = box
    task = session.task(request) { event in
      let isOver = box.told.withLock { told in
        if told.end != nil { told.afterEnd += 1 }
        switch event {
        case .acknowledged(let bytes): told.acknowledged.append(bytes)
        case .expectIgnored: told.expectIgnored += 1
        case .endHeld(let task):
          told.endHeld += 1
          if releasesEnd { task.releaseBody() }
        case .informed(let head): told.interim.append(head)
        case .responded(let head): told.heads.append(head)
        case .ended(let end):
          told.end = end
          return true
        }
        return false
      }
      if isOver { box.waiter.withLock { $0.take() }?.resume() }
    }
  }

  /// What has been told so far.
  var events: Told { box.told.withLock { $0 } }

  /// Begins, and returns once it is over.
  func run() async -> Told {
    await withCheckedContinuation { continuation in
      box.waiter.withLock { $0 = continuation }
      task.resume()
      // One that was cancelled before may be over already.
      if events.end != nil { box.waiter.withLock { $0.take() }?.resume() }
    }
    return events
  }
}

/// What a task's delegate hears.
enum TaskEvent: Sendable {
  case acknowledged(Int64)
  case expectIgnored
  case endHeld(UploadTask)
  case informed(ReplyHead)
  case responded(ReplyHead)
  case ended(ExchangeEnd)
}

/// Gives one closure everything that a task's delegate hears.
private final class Listener: NSObject, UploadTaskDelegate {
  private let handler: @Sendable (TaskEvent) -> Void

  init(_ handler: @escaping @Sendable (TaskEvent) -> Void) { self.handler = handler }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) { handler(.acknowledged(totalBytesSent)) }

  func urlSession(
    _ session: URLSession, task: UploadTask, didReceiveInformationalResponse head: ReplyHead
  ) { handler(.informed(head)) }

  func urlSession(_ session: URLSession, task: UploadTask, didReceive head: ReplyHead) {
    handler(.responded(head))
  }

  func urlSessionHoldsEnd(_ session: URLSession, task: UploadTask) { handler(.endHeld(task)) }

  func urlSessionExpectIgnored(_ session: URLSession, task: UploadTask) { handler(.expectIgnored) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    if let task = task as? UploadTask { handler(.ended(task.end)) }
  }
}

extension UploadSession {
  /// A task that begins with `resume`; the handler hears of it on the transport's thread.
  func task(
    _ request: ExchangeRequest, _ handler: @escaping @Sendable (TaskEvent) -> Void
  ) -> UploadTask {
    task(request, delegate: Listener(handler))
  }
}

/// A body of zeros, which costs nothing.
struct ZeroBody: ExchangeBody {
  let length: Int64

  func makeReader() -> any ExchangeBodyReader { Reader() }

  private final class Reader: ExchangeBodyReader {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return buffer.count
    }
  }
}

/// A body that fails after its first bytes.
struct BrokenBody: ExchangeBody {
  struct Broken: Error {}
  /// More than libcurl asks for at once.
  let length: Int64 = 64 << 20

  func makeReader() -> any ExchangeBodyReader { Reader() }

  private final class Reader: ExchangeBodyReader {
    private var calls = 0

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      calls += 1
      guard calls == 1 else { throw Broken() }
      buffer.initializeMemory(as: UInt8.self, repeating: 1)
      return buffer.count
    }
  }
}
