/// The TLS rules for one origin, beyond those of the system.
///
/// No rule turns verification off. Each one narrows it to something that the person named.
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

  /// The system's own.
  public init() {}

  /// Whether the system's own rules are all there is.
  public var isEmpty: Bool { self == TLSRules() }
}
