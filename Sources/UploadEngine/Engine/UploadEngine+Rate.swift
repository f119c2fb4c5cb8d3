import HTTPTransport
import UploadModel

/// Bounds on what is sent: one for everything, and one for each target that has its own.
extension UploadEngine {
  /// Bounds what is sent from now on, in bytes a second; nil for no bound. Requests under way obey at
  /// once.
  public nonisolated func setLimit(_ bytesPerSecond: Int64?) {
    totalLimit.set(bytesPerSecond)
  }

  /// What a request to a target has to keep to.
  func limits(for target: Target) -> [BandwidthLimit] {
    guard let rate = target.rateLimit else { return [totalLimit] }
    let limit = targetLimits[target.name] ?? transport.makeLimit()
    targetLimits[target.name] = limit
    limit.set(rate)
    return [totalLimit, limit]
  }
}
