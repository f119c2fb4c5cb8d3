/// Digests of a file's content, in lower-case hexadecimal digits.
package struct ContentDigests: Hashable, Sendable {
  /// A hash function that templates can ask for.
  package enum Algorithm: Hashable, Sendable {
    /// FIPS 180-4.
    case sha256
    /// FIPS 180-4. Not secure against forgery, but some servers ask for it.
    case sha1
    /// RFC 1321. Not secure against forgery, but some servers ask for it.
    case md5
  }

  private let digits: [Algorithm: String]

  /// The digests with these values.
  package init(_ digits: [Algorithm: String]) { self.digits = digits }

  /// The digest by an algorithm; nil if it was not computed.
  subscript(algorithm: Algorithm) -> String? { digits[algorithm] }
}

extension Target {
  /// The digests of a file's content that its templates ask for.
  package var digests: Set<ContentDigests.Algorithm> {
    Set(templates.flatMap(\.placeholders).compactMap(\.digest))
  }
}
