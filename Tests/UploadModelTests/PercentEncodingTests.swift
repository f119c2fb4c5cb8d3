import Foundation
import Testing
import UploadModel

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test(
    "what a URL cannot hold is encoded, and what is encoded already is not encoded again",
    arguments: [
      ("http://h/a%20b[1].txt", "http://h/a%20b%5B1%5D.txt"),
      ("http://h/a%20b?x[]=%20", "http://h/a%20b?x%5B%5D=%20"),
      ("http://h/ä%20b", "http://h/%C3%A4%20b"),
      ("http://h/a^b|c%5B", "http://h/a%5Eb%7Cc%5B"),
      ("http://[::1]:80/a%20b[", "http://[::1]:80/a%20b%5B"),
      ("http://h/%zz%4", "http://h/%25zz%254"),
      ("http://h/\u{1}#a#b", "http://h/%01#a%23b"),
      ("//other/ä%20", "http://other/%C3%A4%20"),
      ("ä%20[", "http://base/x/%C3%A4%20%5B"),
      ("/a%20b?y=//[z]", "http://base/a%20b?y=//%5Bz%5D"),
      ("?q=ä%20", "http://base/x/y?q=%C3%A4%20"),
    ])
  func addresses(_ written: String, _ url: String) throws {
    let base = try #require(URL(string: "http://base/x/y"))
    #expect(URL(written: written, relativeTo: base)?.absoluteString == url)
  }
}
