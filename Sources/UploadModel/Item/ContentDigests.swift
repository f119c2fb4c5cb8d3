import Digests
import MultipartForm

/// Digests of a file's content, in lower-case hexadecimal digits.
package struct ContentDigests: Hashable, Sendable {
  /// A digest algorithm. The raw value is its name in the configuration, and follows `file.` and `piece.` in
  /// placeholders.
  package enum Algorithm: String, CaseIterable, Hashable, Sendable, Codable {
    /// FIPS 180-4.
    case sha256, sha512
    /// FIPS 180-4. Not secure against forgery, but some servers ask for it.
    case sha1
    /// RFC 1321. Not secure against forgery, but some servers ask for it.
    case md5
    /// Checksums, which detect only accidental damage.
    case crc32, crc32c

    /// Its name, as registered for HTTP digest fields (RFC 9530).
    package var name: String {
      switch self {
      case .sha256: "sha-256"
      case .sha512: "sha-512"
      case .sha1: "sha-1"
      case .md5, .crc32, .crc32c: rawValue
      }
    }

    /// The algorithm in its initial state.
    package var function: any HashFunction {
      switch self {
      case .sha256: SHA256()
      case .sha512: SHA512()
      case .sha1: SHA1()
      case .md5: MD5()
      case .crc32: CRC32()
      case .crc32c: CRC32C()
      }
    }

    /// The size of a digest in bytes.
    var size: Int { function.finalize().count }

    /// The algorithm with this name, as servers and configurations write it.
    package init?(named name: String) {
      let name = name.lowercased()
      guard
        let algorithm = Self.allCases.first(where: { $0.name == name || $0.rawValue == name })
          ?? (name == "sha" ? .sha1 : nil)
      else { return nil }
      self = algorithm
    }
  }

  /// The digests, each in lower-case hexadecimal digits.
  package let digits: [Algorithm: String]

  package init(_ digits: [Algorithm: String]) { self.digits = digits }

  /// Picks the digests from values that are stored by placeholder name.
  package init(named values: [String: String]) {
    digits = values.reduce(into: [:]) { digits, entry in
      if let algorithm = Template.Placeholder(rawValue: entry.key)?.pieceDigest {
        digits[algorithm] = entry.value
      }
    }
  }

  /// The digest by an algorithm; nil if it was not computed.
  package subscript(algorithm: Algorithm) -> String? { digits[algorithm] }

  /// Whether there is a digest by each of these algorithms.
  package func cover(_ algorithms: Set<Algorithm>) -> Bool {
    algorithms.allSatisfy { digits[$0] != nil }
  }

  /// The digest of a piece by the name of its placeholder; nil if it was not computed.
  package subscript(named name: String) -> String? {
    Template.Placeholder(rawValue: name)?.pieceDigest.flatMap { self[$0] }
  }
}

/// Remembers digests of files, so that an unchanged file is not read again.
package protocol DigestMemory: Sendable {
  /// The digests of the file, if `stamp` shows that it has not changed; nil if none are known.
  func digests(of stamp: FileStamp) -> ContentDigests?
  func remember(_ digests: ContentDigests, of stamp: FileStamp)
}

extension Target {
  /// The digests of a file's content that the target's templates ask for.
  package var digests: Set<ContentDigests.Algorithm> {
    Set(
      templates.flatMap(\.placeholders).compactMap(\.digest)
        + [response.sum?.wanted].compactMap(\.self))
  }
}
