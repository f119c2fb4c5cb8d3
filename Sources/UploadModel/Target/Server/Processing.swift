import Foundation

/// A file that its server has accepted but not finished processing.
package struct Processing: Hashable, Sendable, Codable {
  /// What the server said when it accepted the file.
  package var receipt: Receipt
  /// Where the server is asked about the file's progress; nil if the address is secret and so must not be saved.
  package var url: URL?
  /// When the server accepted the file.
  package var since: Date
  /// The server's last answer, if that did not say whether the server is still at work, or why the server could not be
  /// asked. If nil, the server said that it is at work.
  package var trouble: String?

  package init(_ receipt: Receipt, askingAt url: URL?, since: Date) {
    (self.receipt, self.url, self.since) = (receipt, url, since)
  }

  package var words: String {
    "being processed by the server"
      + (trouble.map { ", which cannot be asked about it: \($0)" } ?? "")
  }
}
