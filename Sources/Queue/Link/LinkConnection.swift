import Dispatch
import Foundation

/// One end of a connection: a greeting each way, then lines in and out, on the main queue. It never blocks:
/// output that the other end does not read is buffered up to a limit, and beyond that the connection is closed.
@MainActor
final class LinkConnection {
  /// How many bytes of output may be buffered, in addition to those that were owed to the other end when it
  /// connected.
  static let mostWaiting = 4 << 20

  /// Called once the other end has greeted.
  var onGreeting: () -> Void = {}
  /// Called with each later line, without its line feed. If it returns false, the connection is closed.
  var onLine: ([UInt8]) -> Bool = { _ in false }
  /// Called once, when either side closes the connection.
  var onEnd: () -> Void = {}

  private let descriptor: Int32
  private let reading: any DispatchSourceRead
  private var writing: (any DispatchSourceWrite)?
  private var cutter = LineCutter()
  private var waiting: [UInt8] = []
  private var bound = mostWaiting
  private(set) var isOpen = true
  /// The other end's process ID, once it has greeted.
  private(set) var peer: Int32?
  /// Whether the other end sends the queue once this one has ended.
  private(set) var hasSuccessor = false

  /// Takes over the descriptor.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    reading.handleOnMain { [weak self] in self?.read() }
    // A descriptor may be closed only once no source is watching it.
    reading.setCancelHandler { Foundation.close(descriptor) }
  }

  /// Sends the greeting and starts reading. `asSuccessor` says that this end sends the queue once the other one has
  /// ended.
  func begin(asSuccessor: Bool = false) {
    reading.activate()
    var greeting = LinkLine.Greeting(process: getpid())
    if asSuccessor { greeting.isSuccessor = true }
    send(LinkLine.encode(greeting))
  }

  /// Sends lines, including their line feeds, as fast as the other end reads them. If `isOwed`, they are exempt from
  /// the limit on buffered output.
  func send(_ lines: [UInt8], isOwed: Bool = false) {
    guard isOpen else { return }
    if isOwed { bound += lines.count }
    waiting += lines
    if writing == nil { write() }
    if waiting.count > bound { close() }
  }

  /// Closes the connection; only `onEnd` is called afterwards.
  func close() {
    guard isOpen else { return }
    isOpen = false
    writing?.cancel()
    reading.cancel()
    // Without this, some of the buffered output might still be sent.
    waiting = []
    onEnd()
  }

  private func write() {
    var sent = 0
    loop: while sent < waiting.count {
      switch LocalSocket.send(waiting[sent...], to: descriptor) {
      case .bytes(let count): sent += count
      case .later: break loop
      case .ended: return close()
      }
    }
    waiting.removeFirst(sent)
    if waiting.isEmpty {
      writing?.cancel()
      writing = nil
    } else if writing == nil {
      // The source gets its own descriptor, which it can close when it is cancelled.
      let file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard file >= 0 else { return close() }
      let source = DispatchSource.makeWriteSource(fileDescriptor: file, queue: .main)
      source.setCancelHandler { Foundation.close(file) }
      source.handleOnMain { [weak self] in self?.write() }
      source.activate()
      writing = source
    }
  }

  /// Returns whether the line was valid.
  private func handle(_ line: [UInt8]) -> Bool {
    guard peer == nil else { return onLine(line) }
    guard let greeting = LinkLine.decode(LinkLine.Greeting.self, line),
      greeting.hoist == LinkLine.version
    else { return false }
    (peer, hasSuccessor) = (greeting.process, greeting.isSuccessor == true)
    onGreeting()
    return true
  }

  /// Reads what has come. `times` limits it, so that an endless sender cannot monopolize the main queue.
  func read(atMost times: Int = 4) {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    for _ in 0..<times {
      guard isOpen else { return }
      switch LocalSocket.receive(from: descriptor, into: &buffer) {
      case .bytes(let count):
        guard let lines = cutter.cut(buffer[..<count]) else { return close() }
        for line in lines where isOpen {
          if !handle(line) { close() }
        }
      case .later: return
      case .ended: return close()
      }
    }
  }
}
