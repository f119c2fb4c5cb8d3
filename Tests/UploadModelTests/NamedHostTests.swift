import Foundation
import Testing

@testable import UploadModel

@Suite("Hosts that a target names get its credentials, and no others")
struct NamedHostTests {
  private static let github = "https://api.github.com/"

  @Test(arguments: [
    ("https://uploads.github.com/a?b", true), ("https://UPLOADS.GitHub.com/a", true),
    ("https://uploads.github.com:443/", true), ("http://uploads.github.com/", false),
    ("http://uploads.github.com:443/", false), ("https://uploads.github.com:8443/", false),
    ("https://uploads.github.com./", false), ("https://uploads.github.com.evil.example/", false),
    ("https://evil.example/uploads.github.com", false), ("https://github.com/", false),
    ("https://xuploads.github.com/", false), ("https://x.uploads.github.com/", false),
    ("https://uploads.github.com@evil.example/", false),
    ("https://me@uploads.github.com/", false), ("https://:@uploads.github.com/", false),
    ("https://evil.example#@uploads.github.com/", false),
    ("https://evil.example?@uploads.github.com/", false),
    ("https://evil.example\\@uploads.github.com/", false),
    ("https://uploads.github.com%00.evil.example/", false),
    ("https://uploads.github.com%2eevil.example/", false),
    ("ftp://uploads.github.com/", false), ("//uploads.github.com/", false),
  ])
  func addresses(_ text: String, _ isNamed: Bool) throws {
    let host = try NamedHost("uploads.github.com")
    // What is no URL gets nothing.
    let url = URL(string: text)
    #expect((url.map { host.holds(for: $0, from: Origin(text: Self.github)) } ?? false) == isNamed)
  }

  @Test(
    "only on this machine does it go without encryption",
    arguments: [
      ("127.0.0.1:81", "http://127.0.0.1:81/", "http://127.0.0.1:80/", true),
      ("localhost", "http://localhost/", "http://127.0.0.1/", true),
      ("[::1]:81", "http://[::1]:81/", "http://[::1]:80/", true),
      ("127.0.0.1:81", "http://127.0.0.1:82/", "http://127.0.0.1/", false),
      ("127.0.0.1:81", "http://127.0.0.1:81/", "https://127.0.0.1/", false),
      ("u.example:81", "http://u.example:81/", "http://127.0.0.1/", false),
      ("127.0.0.1:81", "http://127.0.0.1:81/", "http://h.example/", false),
      ("u.example:81", "https://u.example:81/", "http://h.example/", true),
      ("u.example:81", "https://u.example/", "https://h.example/", false),
    ])
  func loopback(_ name: String, _ text: String, _ home: String, _ isNamed: Bool) throws {
    let url = try #require(URL(string: text))
    #expect(try NamedHost(name).holds(for: url, from: Origin(text: home)) == isNamed)
  }

  @Test(arguments: [
    "", "https://u.example", "u.example/", "me@u.example", "u.example.", "*.u.example",
    "u.example?a",
    "u.example#a", "u.example:", "u.example:port", "u example", "u.example:81/a",
  ])
  func mistakes(_ text: String) {
    #expect(throws: InvalidInput.self) { try NamedHost(text) }
  }

  @Test(arguments: ["u.example", "u.example:81", "[::1]:81", "10.0.0.1"])
  func writtenAgain(_ text: String) throws {
    #expect(try NamedHost(text).description == text)
    #expect(try NamedHost(NamedHost(text.uppercased()).description) == NamedHost(text))
  }
}
