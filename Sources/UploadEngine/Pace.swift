import UploadModel

/// How much of a body is handed over at once: about a twentieth of a second's worth, so that progress
/// is fine on a slow line and calls are few on a fast one.
///
/// The next piece is asked for when the last one has left for the kernel, so the time between two
/// requests tells the speed.
struct Pace {
  static let smallest = 64 * 1024
  static let seconds = 0.05

  private(set) var piece = smallest
  private var last: Moment?

  /// The size of the piece that is handed over now, in bytes, at most `limit`.
  mutating func next(at moment: Moment, limit: Int) -> Int {
    defer { last = moment }
    if let last {
      let elapsed = max(moment - last, 1e-6)
      let worth = Double(piece) / elapsed * Self.seconds
      // Twice at most: one quick call proves little. The way down is as gentle.
      piece = Int(min(max(worth, Double(piece) / 2), Double(piece) * 2))
    }
    piece = min(max(piece, Self.smallest), max(limit, 1))
    return min(piece, limit)
  }
}
