import Foundation
import HTTPTransport
import UploadModel

extension ExchangeRequest {
  /// Gives the request the TLS rules and the version of HTTP of a target, at the target's own origin and
  /// nowhere else: a redirect takes none of the trust along.
  ///
  /// - Throws: a cause, where the request would go without what it depends on.
  mutating func obey(_ target: Target) throws(Failure.Cause) {
    guard Origin(url) == Origin(target.url) else { return }
    offersHTTP2 = target.http == .http2 && url.scheme == "https"
    guard !target.tls.isEmpty else { return }
    guard Origin(url)?.scheme == "https" else {
      throw .insecure("the target has tls rules and its URL is not https; nothing was sent")
    }
    tls = TLSOptions(
      caFile: target.tls.caFile, pinnedKey: target.tls.pin?.description,
      clientCertificate: target.tls.clientCertificate, clientKey: target.tls.clientKey)
  }
}
