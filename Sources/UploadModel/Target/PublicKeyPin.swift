import Foundation
import ScalarText

/// A public key, known by its hash: `sha256//` and the base64 of the SHA-256 of its
/// SubjectPublicKeyInfo (RFC 7469 §2.4, in the form that curl takes).
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
    let prefix = "sha256//"
    guard text.hasPrefix(scalars: prefix), let data = Data(base64Encoded: String(text.dropFirst(8)))
    else {
      return nil
    }
    self.init(digest: data)
  }

  /// `sha256//…`, as curl takes it.
  package var description: String { "sha256//\(Data(digest).base64EncodedString())" }
}
