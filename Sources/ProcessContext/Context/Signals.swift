import Dispatch
import Foundation

/// Signals as a sequence, so that they are handled like other events, and not in a signal handler.
package final class Signals {
  /// The numbers of the signals as they arrive.
  package let stream: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  /// Intercepts these signals for as long as this object lives. SIGHUP and SIGINT stay ignored if the program starts
  /// with them ignored: `nohup` sets up the one, and a script's shell the other for a command in the background, so
  /// that ^c ends only the script.
  init(_ signals: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.stream = stream
    // Dispatch sets the signal's action itself, some time after `activate`. Until then the default action applies, so
    // an early ^c ends the program. If the signal were ignored until then, an early ^c would be lost.
    sources = signals.filter {
      ![SIGHUP, SIGINT].contains($0) || !Self.isIgnored($0)
    }.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        // The code that handles the signal may be waiting for a reader of our output that is not reading.
        if [SIGINT, SIGTERM, SIGHUP].contains(number) { InterruptibleWrite.hurry() }
        continuation.yield(number)
      }
      source.activate()
      return source
    }
  }

  /// Passes on signals that come from elsewhere, such as from a test that runs a command in its own process.
  init(_ stream: AsyncStream<Int32>) { (self.stream, sources) = (stream, []) }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    let handler = action.__sigaction_handler.sa_handler
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  deinit { sources.forEach { $0.cancel() } }

  /// Returns when the first signal arrives.
  package func first() async {
    for await _ in stream { return }
  }
}
