import Foundation
import JSONText
import TestSupport
import Testing

@testable import Receiver
@testable import ReceiverDemos

@Suite("Bookmarks")
struct BookmarksTests {
  @Test("bookmarks are made, listed, filtered, sorted, cut and deleted, and outlive the receiver")
  func bookmarks() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let rows = [
        ("b", 10, "2026-01-02T00:00:00Z"), ("a", 9, "2026-01-03T00:00:00Z"),
        ("b", 2, "2026-01-01T00:00:00Z"),
      ]
      for (index, (name, count, date)) in rows.enumerated() {
        let reply = try server.request(
          Wire.json(
            "/bookmarks",
            #"{"folder_name":"\#(name)","item_count":\#(count),"created_date":"\#(date)"}"#))
        #expect(reply.status == 201)
        #expect(reply["location"] == "/bookmarks/\(index + 1)")
      }
      func list(_ query: String) throws -> [String] {
        try server.request(Wire.get("/bookmarks\(query)")).ids()
      }
      #expect(try list("") == ["1", "2", "3"])
      #expect(try list("?folder_name=b") == ["1", "3"])
      #expect(try list("?_sort=item_count") == ["3", "2", "1"])
      #expect(try list("?_sort=-created_date") == ["2", "1", "3"])
      #expect(try list("?_sort=folder_name,-item_count") == ["2", "1", "3"])
      #expect(try list("?_sort=item_count&_limit=2&_page=2") == ["1"])
      #expect(try list("?_page=9") == [])
      let total = try server.request(Wire.get("/bookmarks?folder_name=b&_limit=1"))
      #expect(total["x-total-count"] == "2")
      #expect(try server.request(Wire.get("/bookmarks/2")).status == 200)
      #expect(try server.request(Wire.get("/bookmarks/2", method: "DELETE")).status == 204)
      #expect(try server.request(Wire.get("/bookmarks/2", method: "DELETE")).status == 404)
      #expect(try list("") == ["1", "3"])
      // Another receiver on the same folder.
      let again = Records(folder: ReceiverFolder(inbox: try Inbox(path: server.folder.path)))
      #expect(try again.read { $0.bookmarks.count } == 2)
      #expect(try server.request(Wire.get("/files/.hoist-records.json")).status == 404)
    }
  }

  @Test(
    "what is no bookmark is refused",
    arguments: [
      ("[]", 400), ("{", 400), ("{\"a\u{301}\":1}", 422), ("{\"_a\":1}", 422),
      ("{\"a__b\":1}", 422),
      ("{\"\":1}", 422), ("{\"1a\":1}", 422), (#"{"folderName":1}"#, 422), (#"{"id":1}"#, 422),
      (#"{"created_date":"yesterday"}"#, 422), (#"{"created_date":1}"#, 422),
    ])
  func badBookmarks(body: String, status: Int) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      #expect(try server.request(Wire.json("/bookmarks", body)).status == status)
      #expect(try server.request(Wire.get("/bookmarks")).ids().isEmpty)
    }
  }

  @Test(
    "queries that mean nothing are refused",
    arguments: ["_page=0", "_limit=x", "_limit=1001", "_order=a"])
  func badQueries(query: String) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      #expect(try server.request(Wire.get("/bookmarks?\(query)")).status == 400)
    }
  }

  @Test("a page of another site can neither write nor delete")
  func otherSites() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let cross = ["Sec-Fetch-Site: cross-site"]
      #expect(try server.request(Wire.json("/bookmarks", "{}", extra: cross)).status == 403)
      #expect(
        try server.request(Wire.json("/presign", "{\"name\":\"a\"}", extra: cross)).status == 403)
    }
  }

  /// Sixteen kilobytes of this once held a core for a minute, three times over.
  @Test("JSON that is made to cost time is refused or taken at once")
  func expensiveJSON() async throws {
    let deep = String(repeating: "[", count: 16 << 10)
    let wide =
      String(repeating: "[", count: 120)
      + Array(repeating: "[]", count: 5_000)
      .joined(separator: ",") + String(repeating: "]", count: 120)
    let tooMany = "[\(Array(repeating: "0", count: 20_000).joined(separator: ","))]"
    let policy = Data(wide.utf8).base64EncodedString()
    try await TestServer.run { (server: TestServer) async throws in
      for path in ["/bookmarks", "/presign"] {
        #expect(try server.request(Wire.json(path, deep)).status == 400)
        #expect(try server.request(Wire.json(path, tooMany)).status == 400)
        #expect(try server.request(Wire.json(path, wide)).status == 400)
      }
      let kept = try server.request(Wire.json("/bookmarks", "{\"a\":\(wide)}"))
      #expect(kept.status == 201)
      #expect(try server.request(Wire.get("/bookmarks")).ids() == ["1"])
      for text in [deep, wide] {
        let form = Wire.part("request", text, type: "application/json") + Wire.file("1") + Wire.end
        let note = try server.request(
          Wire.post(form, to: "/notes", extra: ["Authorization: Bearer x"]))
        #expect(note.status == 400)
      }
      let bucket = Wire.field("policy", policy) + Wire.file("x") + Wire.end
      #expect(try server.request(Wire.post(bucket, to: "/bucket")).status == 400)
    }
  }
}
