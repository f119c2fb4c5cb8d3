import Glibc
import Synchronization

/// The system's random bits, fetched for many numbers at once: a push may have thousands of files.
package struct PooledRandomNumberGenerator: RandomNumberGenerator {
  private static let pool = Mutex<[UInt64]>([])

  package init() {}

  package mutating func next() -> UInt64 {
    Self.pool.withLock { words in
      if let word = words.popLast() { return word }
      var system = SystemRandomNumberGenerator()
      // The most bytes that getentropy(3) gives at once.
      words = [UInt64](repeating: 0, count: 32)
      let isFilled = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
      if !isFilled { words = words.map { _ in system.next() } }
      return words.popLast() ?? system.next()
    }
  }
}
