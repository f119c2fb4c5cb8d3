import COpenSSL

/// HMAC (RFC 2104) with SHA-256.
package enum MessageAuthentication {
  /// The bytes that SHA-256 works on at once.
  private static let blockSize = 64

  /// The 32 bytes that prove who has the key.
  package static func code(of message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    var block = key.count > blockSize ? SHA256.hash(key) : key
    block += repeatElement(0, count: blockSize - block.count)
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    var outer = SHA256()
    outer.update(block.map { $0 ^ 0x5C })
    outer.update(inner.finalize())
    return outer.finalize()
  }
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
package func areEqualInConstantTime(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>)
  -> Bool
{
  // Digests have one length, so not even that is told.
  let (first, second) = (SHA256.hash(first), SHA256.hash(second))
  return CRYPTO_memcmp(first, second, first.count) == 0
}

extension Sequence<UInt8> {
  /// Two lower-case digits for each byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Bytes that nobody can guess, from the system's own generator (getrandom(2)).
package func randomBytes(_ count: Int) -> [UInt8] {
  (0..<count).map { _ in UInt8.random(in: .min ... .max) }
}
