import Foundation

/// A file that its server has accepted, but not finished with.
package struct Processing: Hashable, Sendable, Codable {
  /// What the server said when it accepted the file.
  package var receipt: Receipt
  /// Where it is asked what has become of the file; nil if the address was too secret to be kept.
  package var url: URL?
  /// When it accepted the file.
  package var since: Date
  /// What the server answered to the last question instead of saying how far it is, or why it could not be asked; nil if
  /// it said that it is at work.
  package var trouble: String?

  /// A file that was accepted at this time.
  package init(_ receipt: Receipt, askingAt url: URL?, since: Date) {
    (self.receipt, self.url, self.since) = (receipt, url, since)
  }

  /// What the row of such a file says.
  package var words: String {
    "processing at the server" + (trouble.map { ", which cannot be asked: \($0)" } ?? "")
  }
}
