import CCurlHook
import Foundation
import Synchronization
import UploadModel

/// What each origin's transfers are given: its TLS rules and its version of HTTP, for that origin
/// only, wherever else a redirect may lead.
///
/// libcurl shares connections between the transfers of a process, so the rules belong to the process
/// too, and an origin has one set of them.
final class OriginRules: Sendable {
  static let shared = OriginRules()

  private struct Rules {
    var tls: TLSRules
    var http: HTTPVersion
  }
  private let rules = Mutex<[Origin: Rules]>([:])

  /// Has the rules of `target` apply to its origin from now on. To be called before each of its
  /// requests.
  ///
  /// - Throws: a cause, where the request would go without what it depends on.
  func admit(
    _ target: Target, isHookInForce: Bool = CurlHook.isInForce
  ) throws(Failure.Cause) {
    // Without TLS there is nothing to rule.
    if target.tls.isEmpty, target.url.scheme == "http" { return }
    guard let origin = Origin(target.url) else { return }
    if !target.tls.isEmpty {
      guard isHookInForce else {
        throw .insecure(
          "the target's tls rules need libcurl to be reached through hoist's own hook, and this "
            + "program was built or started without it; nothing was sent")
      }
      guard origin.scheme == "https" else {
        throw .insecure("the target has tls rules and its URL is not https; nothing was sent")
      }
    }
    let isSame = rules.withLock { rules in
      if let known = rules[origin], known.tls != target.tls { return false }
      rules[origin] = Rules(tls: target.tls, http: target.http)
      return true
    }
    guard isSame else {
      throw .insecure(
        "another target has other tls rules for \(origin), and an origin has only one set of "
          + "them; nothing was sent")
    }
  }

  /// Fills in what a transfer to `url` is given. Returns whether it may go on.
  func apply(to options: inout hoist_transfer_options, of url: String) -> Bool {
    // Nothing is negotiated without TLS, and no rules are admitted for it.
    if url.hasPrefix("http://") { return true }
    // An address that is not understood could be one that has rules.
    guard let origin = URL(string: url).flatMap({ Origin($0) }) else { return false }
    let rules = rules.withLock { $0[origin] }
    if origin.scheme == "https" { options.http = rules?.http == .http2 ? 2 : 1 }
    guard let rules else { return true }

    var isComplete = true
    func copy(_ text: String?) -> UnsafeMutablePointer<CChar>? {
      guard let text else { return nil }
      let copy = strdup(text)
      if copy == nil { isComplete = false }
      return copy
    }
    options.ca_file = copy(rules.tls.caFile)
    options.pinned_key = copy(rules.tls.pin?.description)
    options.client_certificate = copy(rules.tls.clientCertificate)
    options.client_key = copy(rules.tls.clientKey)
    return isComplete
  }
}
