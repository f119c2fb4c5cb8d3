import Foundation
import ScalarText

/// The TLS rules for one origin, beyond those of the system.
///
/// No rule turns verification off. Each narrows it to something that the user named.
package struct TLSRules: Hashable, Sendable {
  /// The path of a PEM file with the authorities that are trusted instead of the system's. The name
  /// and the dates of the server's certificate are checked as usual.
  package var caFile: String?
  /// The public key that the server must have. Without `caFile`, nothing else is checked: as with SSH's known hosts,
  /// the holder of the key is the server, whatever names, dates and signatures its certificate shows.
  package var pin: PublicKeyPin?
  /// The path of a PEM file with the client certificate.
  package var clientCertificate: String?
  /// The path of a PEM file with the key to `clientCertificate`; nil if it is in the same file.
  package var clientKey: String?

  package init() {}

  /// Whether only the system's own rules apply.
  package var isEmpty: Bool { self == TLSRules() }
}

/// A public key, known by its hash: `sha256//` and the base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469
/// §2.4, in the format that curl takes).
package struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
  /// The hash, 32 bytes.
  let digest: [UInt8]

  /// The key with this SHA-256; nil if it is not 32 bytes.
  package init?(digest: some Sequence<UInt8>) {
    self.digest = Array(digest)
    guard self.digest.count == 32 else { return nil }
  }

  /// The key that `text` names; nil if it is not `sha256//` and the base64 of 32 bytes.
  package init?(_ text: String) {
    guard let digits = text.removingPrefix(scalars: "sha256//"),
      let data = Data(base64Encoded: digits)
    else { return nil }
    self.init(digest: data)
  }

  /// `sha256//…`, as curl takes it.
  package var description: String { "sha256//\(Data(digest).base64EncodedString())" }
}
