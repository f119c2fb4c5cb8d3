import Foundation

/// Requirements for a connection beyond the system's TLS rules. No option turns verification off without putting
/// another check in its place.
package struct TLSOptions: Hashable, Sendable {
  /// The path of a PEM file with the certificate authorities to trust instead of the system's.
  package var caFile: String?
  /// The hash of the server's public key in libcurl's syntax: `sha256//` and base64. Without `caFile`, it
  /// replaces the check of the certificate chain and the host name.
  package var pinnedKey: String?
  /// The path of a PEM file with the client's certificate.
  package var clientCertificate: String?
  /// The path of a PEM file with the client's private key, without a pass phrase.
  package var clientKey: String?
}
