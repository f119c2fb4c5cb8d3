/// The digests of a file's content, in lower-case hexadecimal digits.
package struct ContentDigests: Hashable, Sendable {
  /// SHA-256 (FIPS 180-4).
  var sha256: String
  /// MD5 (RFC 1321). It proves nothing, but some servers ask for it.
  var md5: String

  /// The digests with these values.
  package init(sha256: String, md5: String) {
    self.sha256 = sha256
    self.md5 = md5
  }
}

extension Target {
  /// Whether any of its templates asks for the digests of a file's content.
  package var asksForDigests: Bool {
    templates.contains { $0.asks(for: .fileSHA256) || $0.asks(for: .fileMD5) }
  }
}
