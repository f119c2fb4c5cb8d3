/// How many items send the same file to the same target.
///
/// Nearly every item is the only one, and there can be hundreds of thousands, so that only fingerprints are kept: hash
/// values of 64 bits, seeded at random. That two of 200,000 have the same by chance happens once in a billion queues.
struct ErrandCounts: Sendable {
  /// The errands of one item or more.
  private var known: Set<Int> = []
  /// How many items more an errand has, if it has more than one.
  private var more: [Int: Int] = [:]
  /// Changes when an errand of several items gets more or fewer of them.
  private(set) var version = 0

  /// How many items send the file at this path to a target.
  func count(of path: [UInt8], for target: String) -> Int {
    let errand = Self.fingerprint(of: path, for: target)
    return known.contains(errand) ? 1 + (more[errand] ?? 0) : 0
  }

  /// Counts an item that begins to send the file at this path to a target, or ceases to.
  mutating func count(_ path: [UInt8], for target: String, by step: Int) {
    let errand = Self.fingerprint(of: path, for: target)
    let count = (known.contains(errand) ? 1 + (more[errand] ?? 0) : 0) + step
    if count > 0 { known.insert(errand) } else { known.remove(errand) }
    let others = count > 1 ? count - 1 : nil
    if more[errand] != others { version += 1 }
    more[errand] = others
  }

  private static func fingerprint(of path: [UInt8], for target: String) -> Int {
    var hasher = Hasher()
    path.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(target)
    return hasher.finalize()
  }
}
