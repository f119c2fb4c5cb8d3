import CCurl
import Foundation
import Synchronization

/// The cookies of one upload or run. A balancer in front of several servers may use one to lead all requests of an upload
/// to the same server.
///
/// libcurl's own engine keeps them in memory (RFC 6265), separately for each origin, until the jar is released. Cookies
/// themselves make no difference between ports.
package final class CookieJar: Sendable {
  /// One of libcurl's shares.
  ///
  /// Unchecked: the pointer is a constant. What it points to is used only by handles, on the transport's thread, until
  /// `deinit` frees it. A request keeps its jar for as long as its handle, so no handle uses it by then.
  private final class Share: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    init?() {
      guard let pointer = hoist_share_of_cookies() else { return nil }
      self.pointer = pointer
    }

    deinit { curl_share_cleanup(pointer) }
  }

  private let shares = Mutex<[String: Share]>([:])

  /// An empty jar.
  package init() {}

  /// The share for requests to a URL; nil if memory is short.
  func share(for url: URL) -> UnsafeMutableRawPointer? {
    let scheme = url.scheme ?? ""
    let origin =
      "\(scheme)://\(url.host?.lowercased() ?? ""):\(url.port ?? (scheme == "https" ? 443 : 80))"
    return shares.withLock { shares in
      let share = shares[origin] ?? Share()
      shares[origin] = share
      return share?.pointer
    }
  }
}
