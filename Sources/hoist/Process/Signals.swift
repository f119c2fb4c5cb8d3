import Dispatch
import Foundation

/// Signals as a sequence, so that they are handled where everything else is and not in a handler.
final class Signals {
  /// The numbers of the signals as they arrive.
  let stream: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  /// Takes these signals over, for as long as this lives. SIGHUP stays ignored where whoever started us
  /// wants it so, which is what `nohup` does.
  init(_ signals: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.stream = stream
    sources = signals.filter { $0 != SIGHUP || !Self.isIgnored($0) }.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        // Whoever is to hear of it may be waiting for a reader of what hoist prints.
        if [SIGINT, SIGTERM, SIGHUP].contains(number) { InterruptibleWrite.hurry() }
        continuation.yield(number)
      }
      source.activate()
      return source
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  deinit { sources.forEach { $0.cancel() } }

  /// Returns when the first of them arrives.
  func first() async {
    for await _ in stream { return }
  }
}
