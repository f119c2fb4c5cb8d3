import ScalarText
import TestSupport
import Testing

@Suite("Text for bytes that need not be UTF-8")
struct RawBytesTests {
  @Test(
    arguments: [
      [], Array("a b".utf8), Array("caf\u{E9}.txt".utf8), Array("caf".utf8) + [0xE9],
      Array("caf".utf8) + [0xE8], Array("caf\u{FFFD}".utf8), [0xFF, 0x00, 0x80, 0xC3, 0x28],
      // The scalars that stand for bytes, in a name of their own.
      Array("\u{10FEE9}".utf8), Array("a\u{10FE80}\u{10FEFF}b".utf8) + [0x80],
      Array("\u{10FE7F}".utf8),
    ] as [[UInt8]])
  func theBytesComeBack(_ bytes: [UInt8]) {
    let text = String(rawBytes: bytes)
    #expect(text.rawBytes == bytes)
    #expect(text.readable == String(decoding: bytes, as: UTF8.self))
  }

  @Test func noTwoNamesBecomeOne() {
    var random = SplitMix64(seed: 67)
    let alphabet: [UInt8] = [0x61, 0x80, 0xBB, 0x8F, 0xC3, 0xE9, 0xEF, 0xF4, 0xFE, 0xBD, 0xBF]
    var names: [String: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let text = String(rawBytes: bytes)
      #expect(text.rawBytes == bytes)
      if let other = names[text] { #expect(other == bytes) }
      names[text] = bytes
    }
    #expect(!"plain".hasRawBytes && String(rawBytes: [0xE9]).hasRawBytes)
  }
}
