import Foundation

/// What makes a connection secure beyond the system's own rules. Nothing here turns verification off
/// without putting something else in its place.
package struct TLSOptions: Hashable, Sendable {
  /// The path of a PEM file with the authorities that are trusted instead of the system's.
  package var caFile: String?
  /// The hash of the server's public key as libcurl takes it: `sha256//` and base64. Without `caFile`, it is checked
  /// instead of the chain and the name.
  package var pinnedKey: String?
  /// The path of a PEM file with the client's certificate.
  package var clientCertificate: String?
  /// The path of a PEM file with the key to it, without a pass phrase.
  package var clientKey: String?

  /// The system's own rules, except for what is given here.
  package init(
    caFile: String? = nil, pinnedKey: String? = nil, clientCertificate: String? = nil,
    clientKey: String? = nil
  ) {
    self.caFile = caFile
    self.pinnedKey = pinnedKey
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }
}
