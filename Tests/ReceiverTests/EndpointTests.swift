import Foundation
import JSONText
import NIOHTTP1
import TestSupport
import Testing

@testable import Receiver

@Suite("Endpoints besides plain uploads")
struct EndpointTests {
  private func json(_ reply: RawClient.Reply) throws -> JSONValue {
    try JSONValue(bytes: reply.body)
  }

  private func post(_ target: String, _ body: String, extra: [String] = []) -> String {
    Wire.head(target, length: body.utf8.count, extra: extra, type: "application/json") + body
  }

  private func get(_ target: String, method: String = "GET") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
  }

  private func header(_ name: String, of reply: RawClient.Reply) -> String? { reply[name] }

  // MARK: Bookmarks

  private func ids(_ reply: RawClient.Reply) throws -> [String] {
    guard case .array(let rows) = try json(reply) else { return [] }
    return rows.map { if case .object(let members) = $0 { members["id"]?.text ?? "" } else { "" } }
  }

  @Test("bookmarks are made, listed, filtered, sorted, cut and deleted, and outlive the receiver")
  func bookmarks() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let rows = [
        ("b", 10, "2026-01-02T00:00:00Z"), ("a", 9, "2026-01-03T00:00:00Z"),
        ("b", 2, "2026-01-01T00:00:00Z"),
      ]
      for (index, (name, count, date)) in rows.enumerated() {
        let reply = try server.request(
          post(
            "/bookmarks",
            #"{"folder_name":"\#(name)","item_count":\#(count),"created_date":"\#(date)"}"#))
        #expect(reply.status == 201)
        #expect(header("location", of: reply) == "http://test/bookmarks/\(index + 1)")
      }
      func list(_ query: String) throws -> [String] {
        try ids(server.request(get("/bookmarks\(query)")))
      }
      #expect(try list("") == ["1", "2", "3"])
      #expect(try list("?folder_name=b") == ["1", "3"])
      #expect(try list("?_sort=item_count") == ["3", "2", "1"])
      #expect(try list("?_sort=-created_date") == ["2", "1", "3"])
      #expect(try list("?_sort=folder_name,-item_count") == ["2", "1", "3"])
      #expect(try list("?_sort=item_count&_limit=2&_page=2") == ["1"])
      #expect(try list("?_page=9") == [])
      let total = try server.request(get("/bookmarks?folder_name=b&_limit=1"))
      #expect(header("x-total-count", of: total) == "2")
      #expect(try server.request(get("/bookmarks/2")).status == 200)
      #expect(try server.request(get("/bookmarks/2", method: "DELETE")).status == 204)
      #expect(try server.request(get("/bookmarks/2", method: "DELETE")).status == 404)
      #expect(try list("") == ["1", "3"])
      // Another receiver on the same folder.
      let again = Records(inbox: try Inbox(path: server.folder.path))
      #expect(try again.read { $0.bookmarks.count } == 2)
      #expect(try server.request(get("/files/.hoist-records.json")).status == 404)
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
      #expect(try server.request(post("/bookmarks", body)).status == status)
      #expect(try ids(server.request(get("/bookmarks"))).isEmpty)
    }
  }

  @Test(
    "queries that mean nothing are refused",
    arguments: ["_page=0", "_limit=x", "_limit=1001", "_order=a"])
  func badQueries(query: String) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      #expect(try server.request(get("/bookmarks?\(query)")).status == 400)
    }
  }

  @Test("a page of another site can neither write nor delete")
  func otherSites() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let cross = ["Sec-Fetch-Site: cross-site"]
      #expect(try server.request(post("/bookmarks", "{}", extra: cross)).status == 403)
      #expect(try server.request(post("/presign", "{\"name\":\"a\"}", extra: cross)).status == 403)
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
        #expect(try server.request(post(path, deep)).status == 400)
        #expect(try server.request(post(path, tooMany)).status == 400)
        #expect(try server.request(post(path, wide)).status == 400)
      }
      let kept = try server.request(post("/bookmarks", "{\"a\":\(wide)}"))
      #expect(kept.status == 201)
      #expect(try ids(server.request(get("/bookmarks"))) == ["1"])
      for text in [deep, wide] {
        let form = Self.part("request", text, type: "application/json") + Wire.file("1") + Wire.end
        let note = try server.request(
          Wire.post(form, to: "/notes", extra: ["Authorization: Bearer x"]))
        #expect(note.status == 400)
      }
      let bucket = Wire.field("policy", policy) + Wire.file("x") + Wire.end
      #expect(try server.request(Wire.post(bucket, to: "/bucket")).status == 400)
    }
  }

  // MARK: Catches

  private static func part(
    _ name: String, _ content: String, file: String? = nil, type: String? = nil
  ) -> String {
    "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(file.map { "; filename=\"\($0)\"" } ?? "")\r\n"
      + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "\r\n\(content)\r\n"
  }

  private static func catchForm(
    user: String = "u", token: String = "t", order: [String] = CatchLog.fieldNames,
    date: String = "1795212900",
    imageType: String = "image/jpeg"
  ) -> String {
    let values = ["catchDate": date, "userId": user, "token": token, "fishLength": "42.5"]
    return order.map { part($0, values[$0] ?? "") }.joined()
      + part("catchImage", "JPEG", file: "fish.jpg", type: imageType) + Wire.end
  }

  private func answer(_ reply: RawClient.Reply) throws -> (rc: String, descr: String, items: Int) {
    guard reply.status == 200, case .object(let outer) = try json(reply),
      case .object(let inner)? = outer["fishingResponse"]
    else { return ("none", "", 0) }
    var count = 0
    if case .array(let items)? = inner["items"] { count = items.count }
    return (inner["rc"]?.text ?? "", inner["descr"]?.text ?? "", count)
  }

  @Test("catches are logged, listed and deleted, for their own user only")
  func catches() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let add = "/fishingserver/catches/add.htm"
      let list = "/fishingserver/catches/catches.json?action=list"
      let delete = "/fishingserver/catches/delete.htm?id=1"
      func remove(_ rest: String) throws -> String {
        try answer(server.request(Wire.head("\(delete)\(rest)", length: 0))).rc
      }
      #expect(try answer(server.request(Wire.post(Self.catchForm(), to: add))).rc == "0")
      #expect(
        try server.names() == [".hoist-records.json", ".hoist-records.lock", "fish.jpg"])
      #expect(try answer(server.request(Wire.post(Self.catchForm(token: "x"), to: add))).rc == "2")
      #expect(try answer(server.request(get("\(list)&userid=u&token=t"))) == ("0", "", 1))
      #expect(try answer(server.request(get("\(list)&userid=u&token=x"))).rc == "2")
      #expect(try answer(server.request(get("\(list)&userid=v&token=t"))) == ("0", "", 0))
      #expect(
        try answer(server.request(get("/fishingserver/catches/catches.json?action=x"))).rc == "4")
      #expect(try remove("&userid=u&token=x") == "2")
      #expect(try remove("&userid=v&token=t") == "3")
      #expect(try remove("&userid=u&token=t") == "0")
      #expect(
        try server.names() == [".hoist-records.json", ".hoist-records.lock"],
        "the picture goes with its catch")
      let text = String(decoding: try server.bytes(".hoist-records.json"), as: UTF8.self)
      #expect(!text.contains("\"t\""))
    }
  }

  @Test(
    "a catch that is not right is 200 with an rc, and nothing of it is kept",
    arguments: [
      (catchForm(date: "yesterday"), "catchDate is not in unix seconds"),
      (catchForm(user: ""), "userId is empty"), (catchForm(token: ""), "token is empty"),
      (catchForm(imageType: "image/png"), "catchImage is not image/jpeg"),
      (
        catchForm(order: Array(CatchLog.fieldNames.reversed())),
        "catchDate was expected where submitButton came"
      ),
      (
        catchForm(order: Array(CatchLog.fieldNames.dropLast())),
        "submitButton was expected where catchImage came"
      ),
    ])
  func badCatches(form: String, words: String) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let reply = try answer(server.request(Wire.post(form, to: "/fishingserver/catches/add.htm")))
      #expect(reply == ("1", words, 0))
      #expect(try server.names().isEmpty)
    }
  }

  // MARK: Notes

  @Test(
    "a note needs a bearer token, its JSON first, and photos under their name",
    arguments: [
      (
        part("request", "{\"rawMemo\":\"m\"}", type: "application/json"),
        ["Authorization: Bearer x"], 200
      ),
      (part("request", "{\"rawMemo\":\"m\"}", type: "application/json"), [], 401),
      (
        part("request", "{\"rawMemo\":\"m\"}", type: "application/json"),
        ["Authorization: Basic eDp5"], 401
      ),
      (part("request", "{\"rawMemo\":\"m\"}"), ["Authorization: Bearer x"], 400),
      (
        part("request", "{\"rawMemo\":1}", type: "application/json"), ["Authorization: Bearer x"],
        400
      ),
      (part("request", "{", type: "application/json"), ["Authorization: Bearer x"], 400),
      ("", ["Authorization: Bearer x"], 400),
    ])
  func notes(request: String, headers: [String], status: Int) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let form =
        request + Wire.file("1", name: "1_photo.jpg") + Wire.file("2", name: "2_photo.jpg")
        + Wire.end
      let reply = try server.request(Wire.post(form, to: "/notes", extra: headers))
      #expect(reply.status == status)
      #expect(try server.names() == (status == 200 ? ["1_photo.jpg", "2_photo.jpg"] : []))
    }
  }

  // MARK: Presigned POST

  private static let signer = PostPolicy.Signer(secretKey: "s3cret")

  private func summary(_ fields: [String: String], size: Int64 = 5) -> FormIntake.Summary {
    FormIntake.Summary(
      order: fields.keys.sorted() + ["file"], types: [:], single: fields,
      files: [FormIntake.Summary.File(field: "file", type: "text/plain", size: size)])
  }

  private func refusal(_ form: FormIntake.Summary, at date: Date = Date()) -> Int? {
    do {
      try PostPolicy.check(form, signer: Self.signer, now: date)
      return nil
    } catch { return Int(error.status.code) }
  }

  /// The example in Amazon's documentation of signature version 4 for POST: another program's number.
  @Test("Amazon's own example has Amazon's own signature")
  func amazonsExample() {
    let policy =
      "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9"
    let signer = PostPolicy.Signer(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    #expect(
      signer.signature(of: policy, day: "20151229")
        == "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e")
  }

  @Test("our own tickets are taken as they are and in no other way")
  func tickets() {
    let now = Date()
    let fields = PostPolicy.fields(
      key: "uploads/a", contentType: "text/plain", mostBytes: 10, seconds: 60, now: now,
      signer: Self.signer)
    #expect(refusal(summary(fields)) == nil)
    #expect(refusal(summary(fields, size: 11)) == 413)
    #expect(refusal(summary(fields), at: now + 61) == 403)
    for (name, value) in fields {
      var changed = fields
      changed[name] = value + "x"
      #expect(refusal(summary(changed)) != nil, "\(name)")
      changed[name] = nil
      #expect(refusal(summary(changed)) != nil, "without \(name)")
    }
    var more = fields
    more["acl"] = "public-read"
    #expect(refusal(summary(more)) == 403)
    more["acl"] = nil
    more["x-ignore-me"] = "1"
    #expect(refusal(summary(more)) == nil)
    var early = summary(fields)
    early.order = ["file"] + fields.keys
    #expect(refusal(early) == 400)
  }

  @Test("boto3's policies are taken, and not with another secret")
  func boto3() throws {
    func fields(_ secret: String) throws -> [String: String] {
      let text = try Peer.python("presign_with_boto3.py", secret, "some/key.txt", "100")
      return try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
    }
    let good = try fields("s3cret")
    #expect(refusal(summary(good)) == nil)
    #expect(refusal(summary(good, size: 101)) == 413)
    #expect(refusal(summary(good, size: 0)) == 400)
    var html = good
    html["Content-Type"] = "image/png"
    #expect(refusal(summary(html)) == 403)
    let other = try fields("another")
    #expect(refusal(summary(other)) == 403)
  }

  @Test("a ticket is asked for and used")
  func presign() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let reply = try server.request(post("/presign", #"{"name":"a.txt","type":"text/plain"}"#))
      guard case .object(let ticket) = try json(reply), case .object(let fields)? = ticket["fields"]
      else {
        Issue.record("no ticket: \(reply)")
        return
      }
      #expect(ticket["url"] == .string("http://test/bucket"))
      let form = fields.map { Wire.field($0.key, $0.value.text) }.joined()
      let used = try server.request(Wire.post(form + Wire.file("hello") + Wire.end, to: "/bucket"))
      #expect(used.status == 204)
      #expect(header("location", of: used) == "http://test/files/a.txt")
      #expect(try server.bytes("a.txt") == Array("hello".utf8))
      let without = try server.request(Wire.post(Wire.file("hello") + Wire.end, to: "/bucket"))
      #expect(without.status == 400)
      #expect(try server.names() == ["a.txt"])
      #expect(try server.request(post("/presign", "{}")).status == 400)
    }
  }
}
