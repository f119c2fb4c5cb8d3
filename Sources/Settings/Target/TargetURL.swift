import Foundation
import ScalarText
import UploadModel

/// Reads the address of a target.
package enum TargetURL {
  /// The address without its query, which may contain a key, so that it can be shown.
  package static func shown(_ url: URL) -> String {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
    parts.query = nil
    return parts.string ?? ""
  }

  /// Parses an absolute `http` or `https` URL with a host and without credentials.
  package static func parse(_ text: String) throws(InvalidInput) -> URL {
    // Check this first, because later messages show the text.
    guard !mayHoldPassword(text) else {
      throw InvalidInput(
        "the URL contains a user name or password; use an Authorization header instead")
    }
    guard !text.unicodeScalars.contains(where: isControl) else {
      throw InvalidInput("the URL contains a control character")
    }
    guard !text.unicodeScalars.contains(where: \.isWhiteSpace) else {
      throw InvalidInput("the URL contains a space; write it as %20")
    }
    // Messages omit the query, which may contain a key.
    let shown = String(text.unicodeScalars.prefix { $0 != "?" })
    guard let url = URL(written: text), url.scheme != nil else {
      let missing =
        shown.isEmpty || shown.contains(scalars: "://") ? "" : ", which lacks http:// or https://"
      throw InvalidInput("expected a URL such as https://host/upload, found \"\(shown)\"\(missing)")
    }
    guard let origin = Origin(url), !origin.host.unicodeScalars.contains(where: isControl) else {
      throw InvalidInput("expected an http or https URL with a host, found \"\(shown)\"")
    }
    guard url.fragment == nil else {
      throw InvalidInput("a fragment (\"#…\") is never sent; leave it out")
    }
    if let port = url.port, !(1...65_535).contains(port) {
      throw InvalidInput("the port \(port) is not between 1 and 65535")
    }
    // libcurl accepts schemes only in lower case. Change the scheme only if needed, since that makes Foundation load
    // ICU's tables.
    guard url.scheme != origin.scheme,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    parts.scheme = origin.scheme
    return parts.url ?? url
  }

  /// Whether the text may contain credentials before an `@`, even if it is not a valid URL. An `@` in a path is allowed
  /// only if the text before it is a URL by itself, which it is not in "http://u:pa/ss@host".
  private static func mayHoldPassword(_ text: String) -> Bool {
    guard let at = text.unicodeScalars.firstIndex(of: "@") else { return false }
    guard let url = URL(written: text), Origin(url) != nil else { return true }
    if url.user != nil || url.password != nil { return true }
    return URL(string: String(text[..<at])) == nil
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
