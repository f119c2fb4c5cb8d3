import Foundation
import JSONText
import Testing

@testable import UploadModel

/// Lists of folders, as servers write them.
struct MultiStatusTests {
  private func files(_ text: String, _ folder: String = "http://h/dav/my%20files/") throws
    -> [String]?
  {
    let folder = try #require(URL(string: folder))
    guard case .array(let entries)? = MultiStatus.files(in: text, of: folder) else { return nil }
    return entries.map(\.text)
  }

  private static let apache = """
    <?xml version="1.0" encoding="utf-8"?>
    <D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
    <D:response xmlns:lp1="DAV:"><D:href>/dav/my%20files/</D:href><D:propstat><D:prop>
    <lp1:resourcetype><D:collection/></lp1:resourcetype></D:prop></D:propstat></D:response>
    <D:response xmlns:lp1="DAV:"><D:href>/dav/my%20files/a%20b%26.txt</D:href><D:propstat><D:prop>
    <lp1:resourcetype/><lp1:getcontentlength>12</lp1:getcontentlength>
    <lp1:getlastmodified>Sun, 29 Nov 2026 15:05:59 GMT</lp1:getlastmodified></D:prop></D:propstat></D:response>
    <D:response><D:href>/dav/my%20files/sub/</D:href><D:propstat><D:prop>
    <D:resourcetype><D:collection/></D:resourcetype></D:prop></D:propstat></D:response>
    </D:multistatus>
    """

  @Test func filesWithSizeAndTime() throws {
    let folder = try #require(URL(string: "http://h/dav/my%20files"))
    let found = MultiStatus.files(in: Self.apache, of: folder)
    #expect(
      found
        == .array([
          .object([
            "id": .string("a b&.txt"), "size": .integer(12), "time": .integer(1_795_964_759),
          ])
        ]))
  }

  @Test(
    "Addresses may be whole, have no prefix, or other references; what is elsewhere is left out")
  func addresses() throws {
    let text = """
      <multistatus xmlns="DAV:"><response><href>http://h/dav/my%20files/x</href></response>
      <response><href> /dav/my files/y&amp;z </href></response>
      <response><href>/dav/other/w</href></response><response><href>/dav/my%20files</href></response>
      <response><href>/dav/my%20files/f%FCr</href></response></multistatus>
      """
    let found = try #require(try files(text))
    #expect(found.count == 3, "\(found)")
    for (entry, name) in zip(found, ["x", "y&z", String(rawBytes: [0x66, 0xFC, 0x72])]) {
      #expect(JSONValue(text: entry) == .object(["id": .string(name)]), "\(entry)")
    }
  }

  @Test(arguments: ["", "{}", "<html><body>Sign in</body></html>", "<response/>"])
  func others(_ text: String) throws {
    #expect(try files(text) == nil)
  }

  @Test func emptyFolder() throws { #expect(try files("<d:multistatus/>") == []) }

  @Test(arguments: [
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:01 GMT", 951_825_601),
    ("Mon, 31 Dec 2029 23:59:60 GMT", 1_893_456_000), ("Sun, 29 Nov 2026 15:05 GMT", nil),
    ("Sun, 29 Nix 2026 15:05:59 GMT", nil), ("", nil), ("Sun, 99 Nov 2026 15:05:59 GMT", nil),
  ])
  func times(_ text: String, _ seconds: Int64?) { #expect(MultiStatus.seconds(text) == seconds) }
}
