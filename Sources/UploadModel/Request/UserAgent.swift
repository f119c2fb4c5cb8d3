/// What servers are told about the program.
package enum UserAgent {
  /// The version of the program.
  package static let version = "0.1.0"
  /// The value of the header field (RFC 9110 §10.1.5).
  static let text = "hoist/\(version)"
}
