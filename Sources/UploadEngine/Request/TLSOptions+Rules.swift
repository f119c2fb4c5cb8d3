import Foundation
import HTTPTransport
import UploadModel

extension ExchangeRequest {
  /// Applies the TLS rules, the digest credentials and the HTTP version of a target, but only at the target's
  /// own origin: that trust does not follow a redirect.
  ///
  /// - Throws: a cause if the request would go without the TLS that the target's rules require.
  mutating func obey(_ target: Target) throws(Failure.Cause) {
    guard url == target.url || Origin(url) == target.origin else { return }
    digest = target.digest.map {
      DigestCredentials(user: $0.user.fixedText, password: $0.password.fixedText)
    }
    offersHTTP2 = target.http == .http2 && url.scheme == "https"
    guard !target.tls.isEmpty else { return }
    guard Origin(url)?.scheme == "https" else {
      throw .insecure("the target has TLS rules, but its URL is not https; nothing was sent")
    }
    tls = TLSOptions(
      caFile: target.tls.caFile, pinnedKey: target.tls.pin?.description,
      clientCertificate: target.tls.clientCertificate, clientKey: target.tls.clientKey)
  }
}
