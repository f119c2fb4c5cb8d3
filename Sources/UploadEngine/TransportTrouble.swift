import CCurlHook
import Foundation
import UploadModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reads the cause out of what URLSession reports when a task fails.
///
/// On Linux the code is coarse (-1 for everything that has no counterpart on Apple's systems) and
/// the description is libcurl's own sentence, which says more. Both are looked at.
enum TransportTrouble {
  static func cause(code: Int, text: String, host: String) -> Failure.Cause {
    let said = clean(text)
    let words = said.isEmpty ? "error \(code)" : said
    switch code {
    case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: return .nameNotResolved(host: host)
    case NSURLErrorTimedOut where said.isEmpty: return .unreachable("no answer in time")
    case NSURLErrorCancelled: return .cancelled
    case NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateUntrusted,
      NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateHasUnknownRoot,
      NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected,
      NSURLErrorClientCertificateRequired:
      return .insecure(words)
    default: break
    }
    for (sign, cause) in signs where said.contains(sign) { return cause(words, host) }
    switch code {
    case NSURLErrorCannotParseResponse, NSURLErrorBadServerResponse: return .notHTTP(words)
    case NSURLErrorCannotConnectToHost: return .connectionRefused(words)
    case NSURLErrorNetworkConnectionLost: return .connectionLost(words)
    case NSURLErrorTimedOut: return .unreachable(words)
    case NSURLErrorNotConnectedToInternet: return .unreachable(words)
    default: return .network(words)
    }
  }

  /// The same for a task that ended with an error or without.
  ///
  /// - Parameter isBrokenOff: whether the person took it back. A refused challenge and a reply that was
  ///   cut off end in a "cancelled" as well, which nobody asked for.
  static func cause(of error: (any Error)?, host: String, isBrokenOff: Bool) -> Failure.Cause? {
    let cause = error.map { self.cause(of: $0, host: host) }
    return cause == .cancelled && !isBrokenOff ? nil : cause
  }

  /// The hook ended it, for it took no more of the reply. Where the reply's status is known, that is no
  /// trouble.
  static let endless = Failure.Cause.network("its answer has no end")

  static func cause(of error: any Error, host: String) -> Failure.Cause {
    let error = error as NSError
    let text = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
    return cause(code: error.code, text: text, host: host)
  }

  /// Phrases of libcurl and of the system, the telling ones first. A host's name may be in the
  /// sentence: "TLS" comes late and counts in capitals only, or tls.example that refuses a
  /// connection would pass for a server with a bad certificate.
  private static let signs: [(String, @Sendable (String, String) -> Failure.Cause)] = [
    (
      HOIST_REFUSED,
      { _, _ in
        .insecure("libcurl does not take the target's tls rules, so it was not let through")
      }
    ),
    (HOIST_TOO_LONG, { _, _ in endless }),
    (
      "pinned public key",
      { words, host in
        .insecure(
          "\(host) has another key than the pinned one (\(words)). Somebody else may be answering in its place. If "
            + "the key was changed on purpose, pin the new one with hoist trust")
      }
    ),
    ("resolve host", { _, host in .nameNotResolved(host: host) }),
    ("resolve proxy", { words, _ in .unreachable(words) }),
    ("HTTP/0.9", { _, _ in .notHTTP("it sent something that is not an HTTP reply") }),
    ("Unsupported HTTP", { words, _ in .notHTTP(words) }),
    ("Invalid status line", { words, _ in .notHTTP(words) }),
    ("Weird server reply", { words, _ in .notHTTP(words) }),
    ("Connection refused", { words, _ in .connectionRefused(words) }),
    ("No route to host", { words, _ in .unreachable(words) }),
    ("Network is unreachable", { words, _ in .unreachable(words) }),
    ("connect to server", { words, _ in .connectionRefused(words) }),
    ("Connection timed out", { words, _ in .unreachable(words) }),
    ("Connection reset", { words, _ in .connectionLost(words) }),
    ("Broken pipe", { words, _ in .connectionLost(words) }),
    ("Empty reply", { words, _ in .connectionLost(words) }),
    ("Send failure", { words, _ in .connectionLost(words) }),
    ("Recv failure", { words, _ in .connectionLost(words) }),
    ("transfer closed", { words, _ in .connectionLost(words) }),
    ("SSL_read", { words, _ in .connectionLost(words) }),
    ("SSL_write", { words, _ in .connectionLost(words) }),
    (
      "wrong version number",
      { _, host in .insecure("\(host) does not speak TLS at this port; its address may be http://")
      }
    ),
    ("private key", { words, _ in .insecure(words) }),
    ("certificate", { words, _ in .insecure(words) }),
    ("SSL", { words, _ in .insecure(words) }),
    ("TLS", { words, _ in .insecure(words) }),
  ]

  /// The sentence without a full stop, for it goes into one of ours.
  private static func clean(_ text: String) -> String {
    var words = text.trimmingCharacters(in: .whitespacesAndNewlines)
    while words.hasSuffix(".") { words.removeLast() }
    return words
  }
}
