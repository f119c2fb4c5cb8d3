import UploadModel

/// How much of an upload goes into one request: what the target, the server's limits and its refusals allow.
struct RequestSize {
  /// The limits that the server has announced for this upload, or for all uploads.
  var limits: ResumeLimits?
  /// The target's own limit.
  private let chunk: Int64?
  /// The most bytes, once a request was too large.
  private var most: Int64?

  /// The smallest sensible piece, in bytes. If the server refuses a smaller piece, the reason is not its size, and a
  /// lower limit is hardly meant for files.
  private static let leastPiece: Int64 = 16 << 10

  init(chunk: Int64?, limits: ResumeLimits?) { (self.chunk, self.limits) = (chunk, limits) }

  /// The most bytes in one request, but no fewer than the server's minimum.
  var mostContent: Int64 {
    let allowed = [chunk, limits?.append, most].compactMap { $0 }.min()
    return max(allowed ?? .max, limits?.least ?? 1, 1)
  }

  /// Whether the server takes so little in one request that these bytes would need far too many requests.
  func isTooSmall(for rest: Int64) -> Bool {
    guard rest > 0, let append = limits?.append else { return false }
    let piece = max(append, limits?.least ?? 0)
    if piece == 0 { return true }
    return piece < Self.leastPiece && (rest - 1) / piece >= ResumeLimits.mostTinyPieces
  }

  /// After a request with this many bytes was too large, takes what the server says that it takes, or else half as
  /// many. Returns false if no sensible size is left.
  mutating func shrink(below sent: Int64) -> Bool {
    if limits?.append == nil || mostContent >= sent { most = sent / 2 }
    return mostContent < sent && mostContent >= Self.leastPiece
  }
}
