import Dispatch
import Foundation
import UploadModel

/// The clocks and the randomness that the engine goes by.
public struct TimeSource: Sendable {
  /// The monotonic clock.
  public var now: @Sendable () -> Instant
  /// The wall clock.
  public var date: @Sendable () -> Date
  /// A number in 0..<1.
  public var random: @Sendable () -> Double

  /// The system's.
  public static let system = TimeSource(
    now: { Instant(seconds: Double(DispatchTime.now().uptimeNanoseconds) / 1e9) },
    date: { Date() },
    random: { Double.random(in: 0..<1) })
}
