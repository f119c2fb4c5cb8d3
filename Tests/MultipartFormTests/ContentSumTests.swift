import TestSupport
import Testing

@testable import MultipartForm

@Suite("The sum of a file's content") struct ContentSumTests {
  private func sum(_ bytes: [UInt8], inPiecesOf size: Int) -> ContentSum {
    var sum = ContentSum()
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { sum.add($0) }
    }
    return sum
  }

  @Test("does not depend on the pieces that the content comes in")
  func pieces() {
    var random = SplitMix64(seed: 7)
    for count in [0, 1, 31, 32, 33, 64, 1000] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let whole = sum(bytes, inPiecesOf: max(1, count))
      for size in [1, 3, 31, 32, 33, 100] { #expect(sum(bytes, inPiecesOf: size) == whole) }
    }
  }

  @Test("tells every single changed bit, also at the top of two words of a lane, and any length")
  func differences() {
    let bytes = [UInt8](repeating: 0, count: 131)
    let whole = sum(bytes, inPiecesOf: 64)
    for bit in 0..<(bytes.count * 8) {
      var other = bytes
      other[bit / 8] ^= 1 << (bit % 8)
      #expect(sum(other, inPiecesOf: 64) != whole, "bit \(bit)")
      // The same bit of the next word that the same lane takes.
      guard bit / 8 + 32 < bytes.count else { continue }
      other[bit / 8 + 32] ^= 1 << (bit % 8)
      #expect(sum(other, inPiecesOf: 64) != whole, "bits \(bit) and \(bit + 256)")
    }
    for count in 0..<131 { #expect(sum(Array(bytes[..<count]), inPiecesOf: 64) != whole) }
  }
}
