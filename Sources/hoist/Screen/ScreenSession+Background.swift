import Foundation
import UploadModel

/// Leaving the queue to a process without a terminal.
extension ScreenSession {
  /// Starts the process that continues, and hands over the right to send without a gap. Returns its number; nil
  /// if it did not begin, in which case the queue is kept for the next hoist.
  func goOnInBackground() -> pid_t? {
    guard let arguments = options.arguments, let lock = keeper.handOver() else { return nil }
    let handover = Handover(
      arguments: arguments, limit: state.rateLimit,
      lanes: state.wishes, floor: floor)
    do throws(BackgroundSender.Failure) {
      return try BackgroundSender.start(handover, lock: lock)
    } catch {
      context.output.error("! nothing goes on in the background: \(error.reason)")
      return nil
    }
  }
}
