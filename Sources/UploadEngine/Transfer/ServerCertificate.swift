import Digests
import Foundation
import HTTPTransport
import UploadModel

/// A server's identity in a TLS handshake, for a person to judge.
package struct ServerCertificate: Sendable {
  /// Why the system's own rules refuse the server, in libcurl's words; nil if they accept it.
  package let refusal: String?
  /// The certificate (RFC 5280).
  package let certificate: X509Certificate
  /// The SHA-256 of the whole certificate, as browsers show it: `AB:CD:…`.
  package let fingerprint: String
  /// The pin of the server's public key.
  package let pin: PublicKeyPin

  /// Performs a TLS handshake with the server of an `https` URL and disconnects, without sending a request. The usual
  /// proxies apply. Blocks for up to a minute.
  package static func of(_ url: URL) throws(InvalidInput) -> ServerCertificate {
    let trusted = CertificateProbe(url: url.absoluteString, verifying: true)
    let seen = CertificateProbe(url: url.absoluteString, verifying: false)
    if let trouble = seen.trouble {
      let cause = Failure.Cause(trouble, host: url.host ?? "it")
      let why = if case .insecure(let why) = cause { why } else { trouble.words }
      throw InvalidInput(why)
    }
    guard let certificate = seen.certificate.flatMap(X509Certificate.init(pem:)),
      let pin = PublicKeyPin(digest: SHA256.hash(certificate.publicKeyInfo))
    else { throw InvalidInput("it presented no readable certificate") }
    return ServerCertificate(
      refusal: trusted.trouble?.words, certificate: certificate,
      fingerprint: SHA256.hash(certificate.der).map { String(format: "%02X", $0) }
        .joined(separator: ":"),
      pin: pin)
  }
}
