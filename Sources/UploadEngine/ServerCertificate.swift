import CCurlHook
import Crypto
import Foundation
import UploadModel

/// What a server shows of itself in a TLS handshake, for a person to judge.
public struct ServerCertificate: Sendable {
  /// Why a server could not be looked at: libcurl's own words.
  public struct Unreachable: Error, CustomStringConvertible {
    /// The reason, as a sentence without its full stop.
    public let description: String
  }

  /// Why the system's own rules refuse the server, in libcurl's words; nil where they accept it.
  public let refusal: String?
  /// The certificate (RFC 5280).
  public let certificate: X509Certificate
  /// The SHA-256 of the whole certificate, as browsers show it: `AB:CD:…`.
  public let fingerprint: String
  /// The key that the server has shown to have.
  public let pin: PublicKeyPin

  /// Shakes hands with the server of an `https` URL and hangs up; nothing is asked of it. The usual
  /// proxies apply. Blocks, for a minute at most.
  public static func of(_ url: URL) throws(Unreachable) -> ServerCertificate {
    var (trusted, seen) = (hoist_certificate(), hoist_certificate())
    hoist_curl_look_at(url.absoluteString, true, &trusted)
    hoist_curl_look_at(url.absoluteString, false, &seen)
    defer {
      free(trusted.pem)
      free(seen.pem)
    }
    guard seen.error == 0 else {
      let cause = TransportTrouble.cause(
        code: NSURLErrorUnknown, text: words(of: seen), host: url.host ?? "it")
      guard case .insecure(let why) = cause else { throw Unreachable(description: words(of: seen)) }
      throw Unreachable(description: why)
    }
    guard let pem = seen.pem, let der = der(inPEM: String(cString: pem)),
      let certificate = X509Certificate(der: der),
      let pin = PublicKeyPin(digest: SHA256.hash(data: certificate.publicKeyInfo))
    else { throw Unreachable(description: "it showed no certificate that can be read") }
    return ServerCertificate(
      refusal: trusted.error == 0 ? nil : words(of: trusted), certificate: certificate,
      fingerprint: SHA256.hash(data: der).map { String(format: "%02X", $0) }
        .joined(separator: ":"),
      pin: pin)
  }

  private static func words(of result: hoist_certificate) -> String {
    withUnsafeBytes(of: result.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func der(inPEM text: String) -> [UInt8]? {
    let lines = text.split(whereSeparator: \.isNewline)
    guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN CERTIFICATE") }),
      let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END CERTIFICATE") })
    else { return nil }
    return Data(base64Encoded: lines[(begin + 1)..<end].joined()).map(Array.init)
  }
}
