/// The TLS rules for one origin, beyond those of the system.
///
/// No rule turns verification off. Each narrows it to something that the user named.
package struct TLSRules: Hashable, Sendable {
  /// The path of a PEM file with the authorities that are trusted instead of the system's. The name
  /// and the dates of the server's certificate are checked as usual.
  package var caFile: String?
  /// The public key that the server must have. Without `caFile`, nothing else is checked: as with
  /// SSH's known hosts, the holder of the key is the server, whatever names, dates and signatures its
  /// certificate shows.
  package var pin: PublicKeyPin?
  /// The path of a PEM file with the client certificate.
  package var clientCertificate: String?
  /// The path of a PEM file with the key to `clientCertificate`; nil if it is in the same file.
  package var clientKey: String?

  /// The system's own rules.
  package init() {}

  /// Whether only the system's own rules apply.
  package var isEmpty: Bool { self == TLSRules() }
}
