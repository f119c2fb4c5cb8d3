import Foundation
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
    var end: ExchangeEnd?
    var afterEnd = 0
  }
  let exchange: Exchange
  private let box: Box

  /// What the handler writes to, before there is an exchange.
  private final class Box: Sendable {
    let told = Mutex(Told())
    let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)
  }

  init(_ transport: Transport, _ request: ExchangeRequest) {
    let box = Box()
    self.box = box
    exchange = transport.exchange(request) { event in
      let isOver = box.told.withLock { told in
        if told.end != nil { told.afterEnd += 1 }
        switch event {
        case .acknowledged(let bytes): told.acknowledged.append(bytes)
        case .expectIgnored: told.expectIgnored += 1
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
      exchange.resume()
      // One that was cancelled before may be over already.
      if events.end != nil { box.waiter.withLock { $0.take() }?.resume() }
    }
    return events
  }
}

/// So many bytes that cost nothing.
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
