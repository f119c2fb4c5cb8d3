import Dispatch
import Foundation

/// Signals as a sequence, so that they are handled where everything else is and not in a handler.
final class Signals {
  /// The numbers of the signals as they arrive.
  let stream: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  /// Takes these signals over, for as long as this lives.
  init(_ signals: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.stream = stream
    sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(number) }
      source.activate()
      return source
    }
  }

  deinit { sources.forEach { $0.cancel() } }

  /// Returns when the first of them arrives.
  func first() async {
    for await _ in stream { return }
  }
}
