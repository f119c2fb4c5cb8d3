import Foundation

/// The URLs of stored files.
enum FileURL {
  /// What needs no encoding in a path segment (RFC 3986, section 2.3).
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  static func make(_ base: String, _ name: String) -> String {
    base + "/files/" + (name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? name)
  }
}
