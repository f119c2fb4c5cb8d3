import UploadModel

/// The bytes that moved in each of the last seconds, for a graph.
package struct Sparkline: Hashable, Sendable, Codable {
  /// How many seconds are kept.
  package let seconds: Int

  package init(seconds: Int = 60) { self.seconds = seconds }

  private var counts: [Int64] = []
  /// The second in which bytes were last counted.
  private var last = 0

  /// Whether it can have come about by counting. One that another process has sent may be anything.
  var isSound: Bool {
    (1...600).contains(seconds) && counts.count <= seconds && last >= 0
      && counts.allSatisfy { $0 >= 0 }
  }

  /// Counts bytes that moved.
  package mutating func record(_ bytes: Int64, at instant: Instant) {
    let second = Int(instant.seconds.rounded(.down))
    if counts.isEmpty { (counts, last) = ([0], second) }
    let gap = min(max(0, second - last), seconds)
    counts += repeatElement(0, count: gap)
    if counts.count > seconds { counts.removeFirst(counts.count - seconds) }
    last = max(last, second)
    counts[counts.count - 1] &+= max(0, bytes)
  }

  /// The counts of the last seconds that are over, at most `count` of them, the newest last.
  package func values(_ count: Int, at instant: Instant) -> [Int64] {
    let second = Int(instant.seconds.rounded(.down))
    var past = counts + repeatElement(0, count: min(max(0, second - last), seconds + 1))
    if second >= last, !past.isEmpty { past.removeLast() }
    return past.suffix(seconds).suffix(max(0, count))
  }

  /// Whether anything has moved in this second, or in the `count` seconds before it.
  func hasMoved(within count: Int, at instant: Instant) -> Bool {
    let gap = max(0, Int(instant.seconds.rounded(.down)) - last)
    return counts.suffix(max(0, count + 1 - gap)).contains { $0 > 0 }
  }

  /// A graph of as many of the last full seconds as fit, scaled to the highest count; empty if nothing moved in them.
  package func text(width: Int, at instant: Instant, ascii: Bool) -> String {
    let shown = values(width, at: instant)
    guard let most = shown.max(), most > 0 else { return "" }
    let steps = Array(ascii ? "_.-=+*%#" : "▁▂▃▄▅▆▇█")
    return String(
      shown.map { count in
        let level = Double(count) / Double(most) * Double(steps.count)
        return steps[min(steps.count - 1, max(0, Int(level.rounded(.up)) - 1))]
      })
  }
}
