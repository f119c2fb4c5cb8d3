import Foundation
import ScalarText

/// What makes a connection to one origin secure, beyond the system's own rules.
///
/// There is no rule that turns verification off. Each of them narrows it to something that the person
/// named.
public struct TLSRules: Hashable, Sendable {
  /// The path of a PEM file with the authorities that are trusted instead of the system's. The name
  /// and the dates of the server's certificate are checked as ever.
  public var caFile: String?
  /// The public key that the server must have. Without `caFile` it is all that is asked for: as with
  /// SSH's known hosts, whoever holds the key is the server, whatever names, dates and signatures its
  /// certificate shows.
  public var pin: PublicKeyPin?
  /// The path of a PEM file with the certificate that the server is shown.
  public var clientCertificate: String?
  /// The path of a PEM file with the key to `clientCertificate`; nil where it lies in the same file.
  public var clientKey: String?

  /// Rules with these contents; none of them means the system's own.
  public init(
    caFile: String? = nil, pin: PublicKeyPin? = nil, clientCertificate: String? = nil,
    clientKey: String? = nil
  ) {
    self.caFile = caFile
    self.pin = pin
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }

  /// Whether the system's own rules are all there is.
  public var isEmpty: Bool { self == TLSRules() }
}

/// A public key, known by its hash: `sha256//` and the base64 of the SHA-256 of its
/// SubjectPublicKeyInfo (RFC 7469 §2.4, in the form that curl takes).
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
  /// The hash, 32 bytes.
  public let digest: [UInt8]

  /// The key with this SHA-256; nil where it is not 32 bytes.
  public init?(digest: some Sequence<UInt8>) {
    self.digest = Array(digest)
    guard self.digest.count == 32 else { return nil }
  }

  /// The key that `text` means; nil where it is not `sha256//` and the base64 of 32 bytes.
  public init?(_ text: String) {
    let prefix = "sha256//"
    guard text.hasPrefix(scalars: prefix), let data = Data(base64Encoded: String(text.dropFirst(8)))
    else {
      return nil
    }
    self.init(digest: data)
  }

  /// `sha256//…`, as curl takes it.
  public var description: String { "sha256//\(Data(digest).base64EncodedString())" }
}

/// The version of HTTP that is spoken with a target (RFC 9112, RFC 9113).
public enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
  /// What is faster for uploads: HTTP/1.1, which over TLS took 1.5 s for a gibibyte where HTTP/2 took
  /// 2.6 s.
  case auto
  /// HTTP/1.1.
  case http1 = "1.1"
  /// HTTP/2 where the server speaks it, HTTP/1.1 where it does not; `https` only.
  case http2 = "2"
}
