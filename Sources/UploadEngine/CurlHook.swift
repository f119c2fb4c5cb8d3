import CCurlHook
import Foundation

/// What libcurl is told beyond what URLSession lets one say.
enum CurlHook {
  /// The most that libcurl takes from the body at once, in bytes. Its own 64 KiB cost two thirds of
  /// the throughput of a fast line; beyond a mebibyte nothing is gained, and URLSession holds
  /// several buffers of this size for each transfer.
  static let uploadBufferBytes = 1024 * 1024

  /// The seconds for which a connection may have been idle and is used again. Servers close idle ones
  /// after some time, the hasty ones after two seconds. A request that crosses that on its way may have
  /// been read or not, which nobody can tell: a new connection costs less than that doubt.
  static let mostIdle = 1

  /// Puts the hook in force for every transfer from now on.
  static func install() {
    hoist_curl_hook_install { url, options in
      guard let url, let options else { return false }
      options.pointee.upload_buffer_bytes = CurlHook.uploadBufferBytes
      options.pointee.most_idle_seconds = CurlHook.mostIdle
      return OriginRules.shared.apply(to: &options.pointee, of: String(cString: url))
    }
  }

  /// Whether transfers really go through the hook. Where they do not, nothing may depend on it.
  static let isInForce = hoist_curl_hook_is_in_force()

  /// How many requests have been begun at an origin, or more; while it stays the same, none has left.
  /// Nil where nobody tells.
  static func begun(at url: URL) -> Int64? {
    let count = hoist_curl_begun(url.absoluteString)
    return count < 0 ? nil : count
  }

  /// Bounds what the whole process sends, in bytes a second; nil for no bound.
  static func limit(_ bytesPerSecond: Int64?) {
    hoist_curl_hook_limit(bytesPerSecond ?? 0)
  }
}
