import Dispatch

/// A token bucket: grants a number of bytes per second, and accumulates no more than a moment's worth.
struct TokenBucket: Hashable, Sendable {
  /// How much can accumulate, in seconds' worth of the rate.
  static let burst = 0.05
  /// The smallest amount granted at once, in seconds' worth of the rate. Smaller amounts would only cost time.
  static let piece = 0.02

  /// Bytes per second; nil for no limit.
  private(set) var rate: Int64?
  private var tokens = 0.0
  private var last = 0.0

  /// Changes the rate. Times are in seconds on a monotonic clock.
  mutating func set(_ rate: Int64?, at now: Double) {
    refill(at: now)
    self.rate = rate.flatMap { $0 > 0 ? $0 : nil }
    tokens = min(tokens, capacity)
    last = now
  }

  /// How many of the wanted bytes may be sent now; 0 if they must wait.
  mutating func available(_ wanted: Int, at now: Double) -> Int {
    guard rate != nil else { return wanted }
    refill(at: now)
    return tokens >= enough(for: wanted) ? min(wanted, Int(tokens)) : 0
  }

  /// The number of seconds until some of the wanted bytes may be sent.
  func delay(_ wanted: Int) -> Double {
    guard let rate else { return 0 }
    return max(0, (enough(for: wanted) - tokens) / Double(rate))
  }

  mutating func spend(_ bytes: Int) {
    guard rate != nil else { return }
    tokens -= Double(bytes)
  }

  private mutating func refill(at now: Double) {
    guard let rate else { return }
    tokens = min(capacity, tokens + max(0, now - last) * Double(rate))
    last = max(last, now)
  }

  private var capacity: Double { max(1, Double(rate ?? 0) * Self.burst) }

  private func enough(for wanted: Int) -> Double {
    max(1, min(Double(wanted), Double(rate ?? 0) * Self.piece))
  }
}

/// The monotonic clock, in seconds.
enum Clock {
  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
