import UploadModel

/// What a number of lanes did in some time.
struct MeasuredWork: Hashable, Sendable {
  var lanes = 0
  var seconds = 0.0
  /// Acknowledged bytes.
  private var bytes = 0.0
  /// Sums over slices of the time: how many there were, the bytes per second in each, and the squares of these.
  private var slices = 0.0
  private var rates = 0.0
  private var rateSquares = 0.0
  private var sliceStart: Instant?
  private var sliceBytes = 0.0
  /// Requests that have ended, their bytes, and the squares of these.
  private(set) var ends = 0.0
  private var sizes = 0.0
  private var squares = 0.0

  mutating func recordAcknowledged(_ bytes: Double, since start: Instant, at now: Instant) {
    self.bytes += bytes
    sliceBytes += bytes
    let time = now - (sliceStart ?? start)
    guard time >= Self.slice else { return }
    let rate = sliceBytes / time
    slices += 1
    rates += rate
    rateSquares += rate * rate
    (sliceStart, sliceBytes) = (now, 0)
  }

  mutating func recordEnd(of bytes: Double) {
    ends += 1
    sizes += bytes
    squares += bytes * bytes
  }

  /// Whether at least this many bytes were acknowledged for each of the lanes.
  func hasSent(_ bytes: Double, onEachOf lanes: Int) -> Bool { self.bytes >= bytes * Double(lanes) }

  /// What was done per second: bytes, and what each request costs beside them.
  func rate(cost: Double) -> Double { (bytes + cost * ends) / seconds }

  /// Whether bytes were acknowledged at a steady rate.
  var isSteady: Bool {
    guard slices >= Self.fewestSlices else { return false }
    let mean = rates / slices
    return rateSquares / slices - mean * mean < Self.steady * mean * mean
  }

  /// How many requests of one size would tell as much. Where one is as large as all others together, chance decides
  /// what is done in some time.
  func equalEnds(cost: Double) -> Double {
    let sum = sizes + cost * ends
    return sum * sum / max(squares + (2 * sizes + cost * ends) * cost, 1)
  }

  /// This together with what the same lanes did later, which counts more.
  func followed(by later: Self) -> Self {
    var both = later
    both.seconds += Self.memory * seconds
    both.bytes += Self.memory * bytes
    both.slices += Self.memory * slices
    both.rates += Self.memory * rates
    both.rateSquares += Self.memory * rateSquares
    both.ends += Self.memory * ends
    both.sizes += Self.memory * sizes
    both.squares += Self.memory * squares
    return both
  }

  private static let memory = 0.8
  /// Seconds.
  private static let slice = 0.1
  private static let fewestSlices = 3.0
  /// The variance of a steady rate, as a part of its square: it deviates by a fifth.
  private static let steady = 0.04
}
