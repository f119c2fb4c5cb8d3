import Foundation

/// How far this machine's local time is ahead of UTC. It uses the C library, since Foundation would load ICU's zones.
enum LocalOffset {
  /// The offset in seconds at a time, which is given in seconds since 1970.
  @Sendable static func at(_ seconds: Int64) -> Int {
    var (time, parts) = (time_t(seconds), tm())
    // Without this, a change of the zone would not be noticed.
    tzset()
    return localtime_r(&time, &parts) == nil ? 0 : parts.tm_gmtoff
  }
}
