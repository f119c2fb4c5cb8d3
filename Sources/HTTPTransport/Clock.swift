import Dispatch

/// The monotonic clock, in seconds.
enum Clock {
  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
