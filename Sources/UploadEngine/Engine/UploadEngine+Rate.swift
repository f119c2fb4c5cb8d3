import HTTPTransport
import UploadModel

/// Bandwidth limits: one for the total, and one for each target that has its own.
extension UploadEngine {
  /// Sets the limit on the total, in bytes a second; nil for none. It applies to requests under way at once.
  package nonisolated func setLimit(_ bytesPerSecond: Int64?) {
    totalLimit.set(bytesPerSecond)
  }

  /// The limits that apply to a request to a target.
  func limits(for target: Target) -> [BandwidthLimit] {
    guard let rate = target.rateLimit else { return [totalLimit] }
    let limit = targetLimits[target.name] ?? session.makeLimit()
    targetLimits[target.name] = limit
    limit.set(rate)
    return [totalLimit, limit]
  }
}
