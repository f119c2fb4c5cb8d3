import COpenSSL

/// HMAC (RFC 2104).
package enum MessageAuthentication {
  /// The authentication code of a message. It has the length of a digest.
  package static func code<Hash: CryptographicHash>(
    of message: some Sequence<UInt8>, key: [UInt8], with hash: Hash.Type = SHA256.self
  ) -> [UInt8] {
    var block = key.count > Hash.blockSize ? Hash.hash(key) : key
    block += repeatElement(0, count: Hash.blockSize - block.count)
    var inner = Hash()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    var outer = Hash()
    outer.update(block.map { $0 ^ 0x5C })
    outer.update(inner.finalize())
    return outer.finalize()
  }
}

/// Whether two secrets are equal, in time that does not depend on where they differ.
package func areEqualInConstantTime(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>)
  -> Bool
{
  // Digests have the same length, so the comparison does not leak the lengths either.
  let (first, second) = (SHA256.hash(first), SHA256.hash(second))
  return CRYPTO_memcmp(first, second, first.count) == 0
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The bytes that pairs of hexadecimal digits stand for; nil if the text is anything else.
  package init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    self = stride(from: 1, to: digits.count, by: 2).map { UInt8(digits[$0 - 1] << 4 | digits[$0]) }
  }
}

/// Unpredictable bytes from the system's generator (getrandom(2)).
package func randomBytes(_ count: Int) -> [UInt8] {
  (0..<count).map { _ in UInt8.random(in: .min ... .max) }
}
