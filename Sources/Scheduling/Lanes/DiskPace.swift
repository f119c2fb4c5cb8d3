/// How long the queue's disk takes to write, and what follows from it.
///
/// After a loss of power, whatever was claimed and is not recorded as ended is in doubt. Where the disk is slow,
/// nothing is claimed before a lane is free for it, so that no more files are in doubt than there are lanes, and lanes
/// go in step: the ends of what they have sent are written together with their next claims. Where it is quick, lanes
/// would wait for claims more often than for servers: files are claimed ahead, as many as are sent within 20 ms, and
/// what has happened is written once a quarter of them have ended.
package struct DiskPace: Sendable {
  /// How long the last writes took, in seconds, with the latest at the end.
  private var writes: [Double] = []
  /// Whether writes are slow. They count as slow until one has shown that they are not.
  package private(set) var isSlow = true

  /// How many writes count. Their median decides, which a single slow one among quick ones does not change.
  private static let memory = 9
  /// Writes become slow at `slow` seconds, and quick below `quick`. In between, they stay what they were, so that a
  /// disk at the border does not change all the time.
  private static let slow = 0.004, quick = 0.003

  package init() {}

  package mutating func record(_ seconds: Double) {
    if writes.count == Self.memory { writes.removeFirst() }
    writes.append(seconds)
    if median >= Self.slow { isSlow = true }
    if median < Self.quick { isSlow = false }
  }

  private var median: Double { writes.isEmpty ? 0 : writes.sorted()[writes.count / 2] }

  /// How long to wait, in seconds, for the ends of what was claimed, so that one write records many, if a request takes
  /// `seconds`; and how many of `claimed` uploads may then be left. There is no wait for requests that take longer, since
  /// these do not end together.
  ///
  /// On a slow disk, all are waited for. On a quick one, a quarter of them: the others keep the lanes busy until the
  /// next claims are written. Where a write costs next to nothing, as in memory, nothing is waited for.
  package func patience(
    withRequestsTaking seconds: Double, claimed: Int
  ) -> (seconds: Double, left: Int) {
    if isSlow { return (seconds < median ? min(median / 2, Self.longestPatience) : 0, 0) }
    let isWorthIt = seconds < Self.quickPatience && median >= Self.free
    return (isWorthIt ? Self.quickPatience : 0, claimed - claimed / 4)
  }

  private static let longestPatience = 0.005
  private static let quickPatience = 0.002
  private static let free = 0.0003

  /// How many requests may be claimed ahead of each lane if one takes `seconds`.
  package func ahead(ofRequestsTaking seconds: Double) -> Int {
    if isSlow { return 0 }
    return seconds > 0 ? max(1, Int(min(Self.horizon / seconds, Double(Self.mostAhead)))) : 1
  }

  /// How many seconds' work is claimed ahead.
  private static let horizon = 0.02
  private static let mostAhead = 16
}
