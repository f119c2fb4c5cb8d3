/// How many files a target takes in one request.
public struct BatchRule: Hashable, Sendable {
  /// The most files in one request, from 1.
  public var maxFiles: Int
  /// The most bytes in the files of one request together. A larger file goes alone.
  public var maxBytes: Int64
  /// Whether a refused request is split in halves and sent again, so that one bad file cannot fail the
  /// others.
  public var splitsRefused: Bool

  /// A rule for at most `maxFiles` files in a request.
  public init(maxFiles: Int, maxBytes: Int64 = 64 << 20, splitsRefused: Bool = false) {
    self.maxFiles = maxFiles
    self.maxBytes = maxBytes
    self.splitsRefused = splitsRefused
  }
}
