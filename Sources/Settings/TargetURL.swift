import Foundation
import UploadModel

/// Reads the address of a target.
public enum TargetURL {
  /// Why a text is no address that files can be sent to.
  public struct Mistake: Error, Hashable, CustomStringConvertible {
    /// What was expected and what was found.
    public let description: String
  }

  /// The URL in `text`: absolute, `http` or `https`, with a host and without a password in it.
  public static func parse(_ text: String) throws(Mistake) -> URL {
    guard let url = URL(string: text), url.scheme != nil else {
      throw Mistake(description: "expected a URL such as https://host/upload, found \"\(text)\"")
    }
    guard Origin(url) != nil else {
      throw Mistake(description: "expected an http or https URL with a host, found \"\(text)\"")
    }
    guard url.user == nil, url.password == nil else {
      throw Mistake(
        description: "the URL holds a user name or password; put an Authorization header instead")
    }
    guard url.fragment == nil else {
      throw Mistake(description: "a fragment (\"#…\") is never sent; leave it away")
    }
    if let port = url.port, !(1...65_535).contains(port) {
      throw Mistake(description: "the port \(port) is not between 1 and 65535")
    }
    return url
  }
}
