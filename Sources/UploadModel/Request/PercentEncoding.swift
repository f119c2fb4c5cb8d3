import Foundation

/// Percent-encoding for texts in URLs.
package enum PercentEncoding {
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// Encodes everything except the unreserved characters of RFC 3986 §2.3, including the plus sign, which
  /// many servers take for a space.
  package static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
