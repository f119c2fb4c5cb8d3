import Dispatch
import Foundation
import Synchronization

/// Bounds the memory of pieces on their way to the line.
///
/// URLSession allocates a buffer for each piece of a body and frees it on a global queue, whenever a
/// thread there gets a processor. On a busy machine the bodies of fast uploads would pile up, hundreds
/// of megabytes deep. A block of our own on the same queue tells how far it has come.
enum Backlog {
  /// Above this many bytes, pieces are small.
  private static let comfortable = 6 << 20
  /// Above this many, the next piece waits.
  private static let most = 12 << 20
  /// The longest wait, in steps of a tenth of a millisecond: all transfers wait with it.
  private static let patience = 20

  private static let bytes = Atomic<Int>(0)

  /// How much may be handed over now, of what was wanted.
  static func bound(_ wanted: Int) -> Int {
    guard bytes.load(ordering: .relaxed) > comfortable else { return wanted }
    for _ in 0..<patience where bytes.load(ordering: .relaxed) > most { usleep(100) }
    return min(wanted, Pace.smallest)
  }

  /// Notes a piece that is handed over.
  static func note(_ count: Int) {
    // Small files do not pile up, and would pay for it.
    guard count >= Pace.smallest else { return }
    bytes.add(count, ordering: .relaxed)
    DispatchQueue.global().async { bytes.subtract(count, ordering: .relaxed) }
  }
}
