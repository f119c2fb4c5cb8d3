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

  /// A share for each origin that a request went to, with the address of its first request.
  private let shares = Mutex<[(url: URL, share: Share)]>([])

  /// An empty jar.
  package init() {}

  /// The share for requests to a URL; nil if memory is short.
  func share(for url: URL) -> UnsafeMutableRawPointer? {
    shares.withLock { shares in
      // Most uploads take one request, before which there is nothing to compare.
      if let known = shares.first(where: { Self.origin($0.url) == Self.origin(url) }) {
        return known.share.pointer
      }
      guard let share = Share() else { return nil }
      shares.append((url, share))
      return share.pointer
    }
  }

  private static func origin(_ url: URL) -> String {
    let scheme = url.scheme ?? ""
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    return "\(scheme)://\(url.host?.lowercased() ?? ""):\(port)"
  }
}
