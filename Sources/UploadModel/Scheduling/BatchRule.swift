/// How many files a target takes in one request.
package struct BatchRule: Hashable, Sendable {
  /// The most files in one request, from 1.
  package var maxFiles: Int
  /// The most bytes that the files of one request may have together. A larger file goes alone.
  package var maxBytes: Int64
  /// Whether a refused request is split in half and sent again, so that one bad file cannot make the other files fail.
  package var splitsRefused: Bool

  package init(maxFiles: Int, maxBytes: Int64 = 64 << 20, splitsRefused: Bool = false) {
    self.maxFiles = maxFiles
    self.maxBytes = maxBytes
    self.splitsRefused = splitsRefused
  }
}
