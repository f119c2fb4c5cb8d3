import Foundation
import Synchronization

extension UUID {
  /// A random UUID (RFC 9562 §5.4). Foundation's own initializer would open a file for each UUID.
  package static func random() -> UUID {
    let bits = randomWords.withLock { ($0.next(), $0.next()) }
    return withUnsafeBytes(of: bits) { UUID($0.load(as: uuid_t.self), version: 4) }
  }

  private static let randomWords = Mutex(RandomWords())

  /// The UUID with these bits, except for those of its version and variant (RFC 9562 §4).
  package init(_ bits: uuid_t, version: UInt8) {
    var bits = bits
    bits.6 = bits.6 & 0x0F | version << 4
    bits.8 = bits.8 & 0x3F | 0x80
    self.init(uuid: bits)
  }
}

/// The system's random bits, fetched for many numbers at once, since there may be thousands of files.
private struct RandomWords: RandomNumberGenerator {
  private var words: [UInt64] = []

  mutating func next() -> UInt64 {
    if let word = words.popLast() { return word }
    var system = SystemRandomNumberGenerator()
    // The most bytes that getentropy(3) gives at once.
    words = [UInt64](repeating: 0, count: 32)
    let isFilled = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
    if !isFilled { words = words.map { _ in system.next() } }
    return words.popLast() ?? system.next()
  }
}
