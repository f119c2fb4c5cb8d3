import Foundation
import HTTPTransport
import UploadModel

extension ExchangeRequest {
  /// Applies a target's HTTP version, TLS rules and, last, credentials, but only if the request goes to the target's
  /// own origin, since trust in it does not follow a redirect. Nothing that a signature covers may change afterwards.
  ///
  /// - Parameters:
  ///   - showsCredentials: false if another origin has chosen the request's destination.
  ///   - sha256: the hexadecimal digits for a body that contains a file; nil if unknown.
  mutating func apply(
    _ target: Target, showsCredentials: Bool = true, sha256: String? = nil, at now: Date
  ) throws(Failure.Cause) {
    guard url == target.url || Origin(url) == target.origin else { return }
    offersHTTP2 = target.http == .http2 && url.scheme == "https"
    if !target.tls.isEmpty {
      guard Origin(url)?.scheme == "https" else {
        throw .insecure("the target has TLS rules, but its URL is not https; nothing was sent")
      }
      tls.caFile = target.tls.caFile
      tls.pinnedKey = target.tls.pin?.description
      tls.clientCertificate = target.tls.clientCertificate
      tls.clientKey = target.tls.clientKey
    }
    guard showsCredentials else { return }
    challenged = target.digest.map {
      DigestCredentials(user: $0.user.fixedText, password: $0.password.fixedText)
    }
    if let keys = target.sigV4 { try sign(with: keys, sha256, at: now) }
  }

  private mutating func sign(
    with keys: SigV4Auth, _ sha256: String?, at now: Date
  ) throws(Failure.Cause) {
    let content: SignatureV4.Content =
      if let text = body as? MemoryBody {
        .bytes(text.bytes)
      } else if let body, body.length > 0 {
        .file(sha256: sha256)
      } else {
        .bytes([])
      }
    let request = SignatureV4(method: method, url: url, headers: headers, content: content)
    let fields = try request.fields(signedBy: keys, at: now)
    let names = Set(fields.map { $0.name.lowercased() })
    headers.removeAll { names.contains($0.name.lowercased()) }
    headers += fields.map { ($0.name, $0.value.written) }
  }
}
