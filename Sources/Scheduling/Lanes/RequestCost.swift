import UploadModel

/// What a request costs beside its content: as many bytes as would take that long. It is found from how long requests of
/// different sizes take. Where delay rules, it is more than any content; on a full line, it is little.
///
/// With it, what lanes do per second hardly depends on which files come next.
struct RequestCost: Hashable, Sendable {
  // Sums over the requests that have ended; older ones count less.
  private var count = 0.0
  private var sizes = 0.0
  private var squares = 0.0
  private var times = 0.0
  private var products = 0.0

  mutating func record(bytes: Double, seconds: Double) {
    count = Self.memory * count + 1
    sizes = Self.memory * sizes + bytes
    squares = Self.memory * squares + bytes * bytes
    times = Self.memory * times + seconds
    products = Self.memory * products + bytes * seconds
  }

  /// The cost in bytes: where the line through times and sizes (by least squares) reaches no time at all.
  var bytes: Double {
    guard count >= Self.fewest else { return Self.usual }
    let size = sizes / count
    let variance = squares / count - size * size
    guard variance > Self.leastSpread * size * size else { return Self.usual }
    let secondsOfByte = (products / count - size * times / count) / variance
    let most = Self.most * size
    guard secondsOfByte > 0 else { return most }
    return min(max(times / count / secondsOfByte - size, Self.usual), most)
  }

  /// The cost if too little is known, or if all files have one size, so that any cost would do.
  static let usual = Double(Workload.ofRequest)
  /// At this multiple of the content, the content hardly counts.
  private static let most = 32.0
  /// Sizes whose variance is a smaller part of their mean's square tell nothing.
  private static let leastSpread = 0.1
  private static let fewest = 5.0
  private static let memory = 1 - 1 / 48.0
}
