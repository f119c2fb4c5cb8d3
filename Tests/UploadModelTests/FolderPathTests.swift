import Foundation
import ScalarText
import Testing

@testable import UploadModel

/// The folders on the way to a file, by its address and what all files of its target share.
struct FolderPathTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let address: String
    let start: String
    /// The paths of the folders, and how a person knows them.
    let folders: [String]
    let names: [String]
    /// Which of them are made.
    let made: Range<Int>
    var testDescription: String { "\(address) from \(start)" }

    init(
      _ address: String, from start: String, _ folders: [String], _ names: [String],
      made: Range<Int>
    ) {
      (self.address, self.start, self.folders, self.names) = (address, start, folders, names)
      self.made = made
    }
  }

  static let rows = [
    Row(
      "/dav/t/u/a.txt", from: "/dav/", ["/dav/", "/dav/t/", "/dav/t/u/"], ["/dav", "t", "t/u"],
      made: 1..<3),
    // A file in the shared folder.
    Row("/dav/b/a.txt", from: "/dav/b/", ["/dav/", "/dav/b/"], ["/dav", "/dav/b"], made: 1..<2),
    // An address without placeholders is that of the file, or of a folder.
    Row("/dav/up", from: "/dav/up", ["/dav/"], ["/dav"], made: 0..<1),
    Row("/dav/up/", from: "/dav/up/", ["/dav/", "/dav/up/"], ["/dav", "/dav/up"], made: 1..<2),
    Row("/t/a.txt", from: "/", ["/t/"], ["t"], made: 0..<1),
    // What comes after the path has no folders.
    Row("/dav/t/a?b=/c/d", from: "/dav/", ["/dav/", "/dav/t/"], ["/dav", "t"], made: 1..<2),
    Row(
      "/d/a%23b/%25/f%FCr/x", from: "/d/",
      ["/d/", "/d/a%23b/", "/d/a%23b/%25/", "/d/a%23b/%25/f%FCr/"],
      ["/d", "a#b", "a#b/%", "a#b/%/" + String(rawBytes: [0x66, 0xFC, 0x72])], made: 1..<4),
    // Nothing is made of an empty name.
    Row("/d//t/x", from: "/d/", ["/d/", "/d//t/"], ["/d", "t"], made: 1..<2),
  ]

  @Test(arguments: rows)
  func folders(_ row: Row) throws {
    let origin = "https://h.example:8443"
    let address = try #require(URL(string: origin + row.address))
    let start = try #require(URL(string: origin + row.start))
    let path = try #require(FolderPath(of: address, from: start))
    #expect(path.folders.map(\.address) == row.folders.map { origin + $0 })
    #expect(path.folders.map(\.name) == row.names)
    #expect(path.indices == row.made)
  }

  @Test(arguments: ["", "/", "/a.txt", "/a.txt?to=/b/c"])
  func none(_ address: String) throws {
    let url = try #require(URL(string: "http://h" + address))
    #expect(FolderPath(of: url, from: url) == nil)
  }

  @Test("A 409 or 404 may mean a missing folder, and a 500 only nginx's")
  func signs() throws {
    let url = try #require(URL(string: "http://h/"))
    func isMissing(_ status: Int, _ server: String? = nil) -> Bool {
      FolderRule.isMissing(
        TransferEnd(url: url, status: status, headers: server.map { ["server": $0] } ?? [:]))
    }
    #expect(isMissing(404) && isMissing(409) && isMissing(500, "nginx/1.22.1"))
    #expect(
      !isMissing(500) && !isMissing(500, "Apache") && !isMissing(403) && !isMissing(201, "nginx"))
  }
}
