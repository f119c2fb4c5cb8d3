import Digests
import Testing

@Suite("Digests")
struct DigestsTests {
  /// Examples of FIPS 180-4 and RFC 1321.
  @Test(
    "are those of the standards, however the input is cut",
    arguments: ["", "abc", "message digest"])
  func knownAnswers(text: String) {
    let known = [
      "": (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709", "d41d8cd98f00b204e9800998ecf8427e"
      ),
      "abc": (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "a9993e364706816aba3e25717850c26c9cd0d89d", "900150983cd24fb0d6963f7d28e17f72"
      ),
      "message digest": (
        "f7846f55cf23e14eebeab5b4e1550cad5b509e3348fbc4efa3a1413d393cb650",
        "c12252ceda8be8994d5fa0290a47231c1d16aae3", "f96b697d7cb7938d525a2f31aaf161d0"
      ),
    ]
    #expect(SHA256.hash(text.utf8).hexadecimal == known[text]?.0)
    #expect(SHA1.hash(text.utf8).hexadecimal == known[text]?.1)
    #expect(MD5.hash(text.utf8).hexadecimal == known[text]?.2)
    var hash = SHA256()
    for byte in text.utf8 {
      hash.update([byte])
      _ = hash.finalize()
    }
    #expect(hash.finalize().hexadecimal == known[text]?.0)
  }

  /// The example of FIPS 180-4, the check values of the CRC catalogue, and 32 zeros from RFC 3720.
  @Test("the longer and the shorter ones too, wherever the input is cut")
  func moreKnownAnswers() {
    #expect(
      SHA512.hash("abc".utf8).hexadecimal
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    #expect(CRC32.hash("".utf8).hexadecimal == "00000000")
    #expect(CRC32.hash("123456789".utf8).hexadecimal == "cbf43926")
    #expect(CRC32C.hash("123456789".utf8).hexadecimal == "e3069283")
    #expect(CRC32C.hash(Array(repeating: 0, count: 32)).hexadecimal == "8a9136aa")
    let text = Array("The quick brown fox jumps over the lazy dog".utf8)
    for cut in text.indices {
      var hash = CRC32()
      hash.update(text[..<cut])
      hash.update(text[cut...])
      #expect(hash.finalize().hexadecimal == "414fa339")
    }
  }

  @Test("hexadecimal digits are read as they are written, and nothing else is")
  func hexadecimal() {
    let bytes = (UInt8.min ... .max).map { $0 }
    #expect([UInt8](hexadecimal: bytes.hexadecimal) == bytes)
    #expect([UInt8](hexadecimal: bytes.hexadecimal.uppercased()) == bytes)
    for text in ["0", "0g", "+1", " 1", "é"] { #expect([UInt8](hexadecimal: text) == nil) }
  }

  @Test("a copy goes on by itself")
  func copies() {
    var first = SHA256()
    first.update("a".utf8)
    var second = first
    second.update("bc".utf8)
    first.update("b".utf8)
    #expect(second.finalize() == SHA256.hash("abc".utf8))
    #expect(first.finalize() == SHA256.hash("ab".utf8))
  }

  /// RFC 4231, test cases 2 and 6: a short key, and one that is longer than a block.
  @Test("codes that prove a key are those of the standard")
  func authentication() {
    #expect(
      MessageAuthentication.code(of: "what do ya want for nothing?".utf8, key: Array("Jefe".utf8))
        .hexadecimal == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      MessageAuthentication.code(
        of: "Test Using Larger Than Block-Size Key - Hash Key First".utf8,
        key: Array(repeating: 0xAA, count: 131)
      ).hexadecimal == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  /// RFC 4231, test cases 2 and 6. The blocks of SHA-512 are longer than those of the others.
  @Test("also with SHA-512")
  func authenticationBySHA512() {
    #expect(
      MessageAuthentication.code(
        of: "what do ya want for nothing?".utf8, key: Array("Jefe".utf8), with: SHA512.self
      ).hexadecimal
        == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    )
    #expect(
      MessageAuthentication.code(
        of: "Test Using Larger Than Block-Size Key - Hash Key First".utf8,
        key: Array(repeating: 0xAA, count: 131), with: SHA512.self
      ).hexadecimal
        == "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
    )
  }

  /// RFC 2202, HMAC-SHA-1, test cases 2 and 6.
  @Test("also with SHA-1")
  func authenticationBySHA1() {
    #expect(
      MessageAuthentication.code(
        of: "what do ya want for nothing?".utf8, key: Array("Jefe".utf8), with: SHA1.self
      ).hexadecimal == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    #expect(
      MessageAuthentication.code(
        of: "Test Using Larger Than Block-Size Key - Hash Key First".utf8,
        key: Array(repeating: 0xAA, count: 80), with: SHA1.self
      ).hexadecimal == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
  }

  @Test("secrets are compared whole")
  func comparison() {
    #expect(areEqualInConstantTime("token".utf8, "token".utf8))
    #expect(!areEqualInConstantTime("token".utf8, "tokem".utf8))
    #expect(!areEqualInConstantTime("token".utf8, "toke".utf8))
  }
}
