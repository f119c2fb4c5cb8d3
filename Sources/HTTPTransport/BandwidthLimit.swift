import Synchronization

/// A rate limit in bytes per second, shared by the bodies of several tasks. It can change while they run.
package final class BandwidthLimit: Sendable {
  private let bucket = Mutex(TokenBucket())
  private let changed: @Sendable () -> Void

  init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

  /// Changes the limit, in bytes per second; nil for no limit.
  package func set(_ bytesPerSecond: Int64?) {
    let isNews = bucket.withLock { bucket in
      let old = bucket.rate
      bucket.set(bytesPerSecond, at: Clock.now)
      return bucket.rate != old
    }
    if isNews { changed() }
  }

  var isSet: Bool { bucket.withLock { $0.rate != nil } }

  /// Takes as many of the wanted bytes as all limits allow now, and returns that number. If it is 0, `delay` is the
  /// number of seconds to wait.
  static func consume(_ wanted: Int, from limits: [BandwidthLimit]) -> (bytes: Int, delay: Double) {
    let now = Clock.now
    var (bytes, delay) = (wanted, 0.0)
    for limit in limits {
      limit.bucket.withLock { bucket in
        let available = bucket.available(wanted, at: now)
        if available == 0 { delay = max(delay, bucket.delay(wanted)) }
        bytes = min(bytes, available)
      }
    }
    guard bytes > 0 else { return (0, delay) }
    for limit in limits { limit.bucket.withLock { $0.spend(bytes) } }
    return (bytes, 0)
  }
}
