import COpenSSL

/// A hash function that takes its input in pieces. Copies are independent of each other.
package protocol HashFunction: Sendable {
  init()
  /// Appends bytes to the input.
  mutating func update(_ bytes: UnsafeRawBufferPointer)
  /// The digest of the input so far; more input may follow.
  func finalize() -> [UInt8]
}

/// A hash function that HMAC can use.
package protocol CryptographicHash: HashFunction {
  /// The length of the blocks that the function hashes, in bytes.
  static var blockSize: Int { get }
}

extension HashFunction {
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      update(UnsafeRawBufferPointer($0))
    }
    if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
  }

  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = Self()
    hash.update(bytes)
    return hash.finalize()
  }
}

/// SHA-256 (FIPS 180-4).
package struct SHA256: CryptographicHash {
  package static let blockSize = Int(SHA256_CBLOCK)
  private var context = SHA256_CTX()

  package init() { SHA256_Init(&context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA256_Update(&context, bytes.baseAddress, bytes.count)
  }

  package func finalize() -> [UInt8] { digest(of: context, SHA256_DIGEST_LENGTH, SHA256_Final) }
}

/// SHA-512 (FIPS 180-4).
package struct SHA512: CryptographicHash {
  package static let blockSize = Int(SHA512_CBLOCK)
  private var context = SHA512_CTX()

  package init() { SHA512_Init(&context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA512_Update(&context, bytes.baseAddress, bytes.count)
  }

  package func finalize() -> [UInt8] { digest(of: context, SHA512_DIGEST_LENGTH, SHA512_Final) }
}

/// SHA-1 (FIPS 180-4). It is broken: use it only for protocols that require it.
package struct SHA1: CryptographicHash {
  package static let blockSize = Int(SHA_CBLOCK)
  private var context = SHA_CTX()

  package init() { SHA1_Init(&context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA1_Update(&context, bytes.baseAddress, bytes.count)
  }

  package func finalize() -> [UInt8] { digest(of: context, SHA_DIGEST_LENGTH, SHA1_Final) }
}

/// MD5 (RFC 1321). It is broken: use it only for protocols that require it.
package struct MD5: CryptographicHash {
  package static let blockSize = Int(MD5_CBLOCK)
  private var context = MD5_CTX()

  package init() { MD5_Init(&context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    MD5_Update(&context, bytes.baseAddress, bytes.count)
  }

  package func finalize() -> [UInt8] { digest(of: context, MD5_DIGEST_LENGTH, MD5_Final) }
}

/// Finalizes a copy of a context, so that the original can take more input.
private func digest<Context>(
  of context: Context, _ count: Int32,
  _ end: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32
) -> [UInt8] {
  var context = context
  return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
    _ = end(buffer.baseAddress, &context)
    filled = Int(count)
  }
}
