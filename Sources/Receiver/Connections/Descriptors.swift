import Foundation

/// The descriptors of this process, which connections and files share.
enum Descriptors {
  /// How many may be open at a time.
  static var limit: Int {
    var limit = rlimit()
    let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return status == 0 ? Int(clamping: limit.rlim_cur) : 1_024
  }
}
