/// The sums of a file's content, in lower-case hexadecimal digits.
public struct ContentDigests: Hashable, Sendable {
  /// FIPS 180-4.
  var sha256: String
  /// RFC 1321. No proof of anything, but some servers ask for it.
  var md5: String

  /// These sums.
  public init(sha256: String, md5: String) {
    self.sha256 = sha256
    self.md5 = md5
  }
}

extension Target {
  /// Whether any of its templates asks for the sums of a file's content.
  public var asksForDigests: Bool {
    templates.contains { $0.asks(for: .fileSHA256) || $0.asks(for: .fileMD5) }
  }
}
