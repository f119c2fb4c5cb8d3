import ScalarText
import UploadModel

/// An address that a terminal may open when it is clicked.
package enum WebAddress {
  /// A length in bytes that all browsers accept.
  private static let longest = 2048

  /// Whether it is a web address: other schemes can start programs.
  static func isOne(_ url: String) -> Bool {
    ["http://", "https://"].contains { url.lowercasedASCII.hasPrefix(scalars: $0) }
  }

  /// An address in the form in which it may be sent to a terminal: printable ASCII only, whatever a server said; nil if
  /// it is not a web address, or is too long.
  package static func link(_ url: String) -> String? {
    guard isOne(url), url.utf8.count <= longest else { return nil }
    let link = PercentEncoding.encode(url.utf8, keeping: { (0x21...0x7E).contains($0) })
    return link.utf8.count <= longest ? link : nil
  }
}
