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
    for count in [0, 1, 63, 64, 1023, 1024, 1025, 2048, 5000] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let whole = sum(bytes, inPiecesOf: max(1, count))
      for size in [1, 3, 64, 1023, 1024, 1025, 3000] {
        #expect(sum(bytes, inPiecesOf: size) == whole)
        #expect(sum(bytes, inPiecesOf: size).digest == whole.digest)
      }
    }
  }

  @Test(
    "tells every single changed bit, also at the same place of two pairs of a lane, and any length")
  func differences() {
    let bytes = [UInt8](repeating: 0, count: 2100)
    let whole = sum(bytes, inPiecesOf: 512)
    for bit in stride(from: 0, to: bytes.count * 8, by: 3) {
      var other = bytes
      other[bit / 8] ^= 1 << (bit % 8)
      #expect(sum(other, inPiecesOf: 512) != whole, "bit \(bit)")
      #expect(sum(other, inPiecesOf: 512).digest != whole.digest, "bit \(bit)")
      for distance in [8, 64, 1024] where bit / 8 + distance < bytes.count {
        var both = other
        both[bit / 8 + distance] ^= 1 << (bit % 8)
        #expect(sum(both, inPiecesOf: 512) != whole, "bits \(bit) and \(bit + distance * 8)")
      }
    }
    for count in 0..<bytes.count { #expect(sum(Array(bytes[..<count]), inPiecesOf: 512) != whole) }
  }

  @Test("tells pieces that changed places", arguments: [8, 16, 64, 512, 1024, 4096, 65_536])
  func order(size: Int) {
    var random = SplitMix64(seed: 11)
    let bytes = (0..<262_144).map { _ in UInt8.random(in: 0...255, using: &random) }
    let whole = sum(bytes, inPiecesOf: 100_000)
    for distance in [1, 2, 3] where (distance + 1) * size <= bytes.count {
      var other = bytes
      for index in 0..<size { other.swapAt(index, distance * size + index) }
      #expect(sum(other, inPiecesOf: 100_000) != whole, "\(distance) times \(size) away")
    }
  }
}
