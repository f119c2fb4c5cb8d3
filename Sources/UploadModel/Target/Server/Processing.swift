import Foundation

/// A file that its server has accepted but not finished processing.
package struct Processing: Hashable, Sendable, Codable {
  /// What the server said when it accepted the file.
  package var receipt: Receipt
  /// Where the server is asked about the file's progress; nil if the address is secret, so that it is not kept.
  package var url: URL?
  /// When it accepted the file.
  package var since: Date
  /// The server's last answer if it did not say how far it is, or why the server could not be asked; nil if it said
  /// that it is at work.
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
