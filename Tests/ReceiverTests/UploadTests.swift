import Foundation
import TestSupport
import Testing

@testable import Receiver

@Suite("Uploads")
struct UploadTests {
  @Test(
    "curl -F: one file of any length arrives byte for byte, and the answer describes it",
    .needs("curl"),
    arguments: [
      0, 1, 65_535, 65_536, 1_000_003, 20 << 20,
    ])
  func curlOne(size: Int) async throws {
    try await TestServer.run { server in
      let bytes = patternBytes(size)
      let source = server.folder.path + "-source"
      try Data(bytes).write(to: URL(fileURLWithPath: source))
      let (status, output) = try run(
        "curl",
        [
          "-sS", "--fail-with-body", "-F", "picture=@\(source);filename=p.jpg;type=image/jpeg",
          "http://127.0.0.1:\(server.port)/upload",
        ])
      #expect(status == 0)
      let file = try #require(try Receipt(Array(output)).files.first)
      #expect(file.field == "picture" && file.name == "p.jpg" && file.stored == "p.jpg")
      #expect(file.size == Int64(size) && file.type == "image/jpeg" && file.sha256 == sha256(bytes))
      #expect(file.url == "http://127.0.0.1:\(server.port)/files/p.jpg")
      #expect(try server.bytes("p.jpg") == bytes)
      #expect(try server.names() == ["p.jpg"])
    }
  }

  @Test(
    "the digest of what was stored is given to who asks for it", .needs("curl"),
    arguments: [
      ("sha-256=10", true), ("md5=9, sha-256=1", true), ("sha-256=0", false), ("sha-512=3", false),
      ("nonsense,,", false), (nil, false),
    ])
  func digest(_ wanted: String?, _ isGiven: Bool) async throws {
    try await TestServer.run { server in
      let source = server.folder.path + "-source"
      try Data(patternBytes(1000)).write(to: URL(fileURLWithPath: source))
      let asks = wanted.map { ["-H", "Want-Repr-Digest: \($0)"] } ?? []
      let (_, output) = try run(
        "curl",
        ["-sSi", "-F", "a=@\(source)"] + asks + ["http://127.0.0.1:\(server.port)/upload"])
      let reply = String(decoding: output, as: UTF8.self)
      let bytes = stride(from: 0, to: 64, by: 2).map { index in
        UInt8(sha256(patternBytes(1000)).dropFirst(index).prefix(2), radix: 16) ?? 0
      }
      let field = "Repr-Digest: sha-256=:\(Data(bytes).base64EncodedString()):"
      #expect(reply.contains(field) == isGiven, "\(reply)")
      #expect(reply.contains("Repr-Digest") == isGiven)
    }
  }

  @Test("curl -F: ten files and fields in one request", .needs("curl"))
  func curlMany() async throws {
    try await TestServer.run { server in
      var arguments = ["-sS", "-F", "title=Sommer", "-F", "tag=a", "-F", "tag=b", "-F", "empty="]
      let source = server.folder.path + "-source"
      try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
      for index in 0..<10 {
        let path = "\(source)/\(index).bin"
        try Data(patternBytes(100_000 * index, seed: UInt64(index))).write(
          to: URL(fileURLWithPath: path))
        arguments += ["-F", "f\(index)=@\(path)"]
      }
      let (_, output) = try run(
        "curl", arguments + ["http://127.0.0.1:\(server.port)/multiupload"])
      #expect(try Receipt(Array(output)).files.map(\.field) == (0..<10).map { "f\($0)" })
      for index in 0..<10 {
        #expect(
          try server.bytes("\(index).bin") == patternBytes(100_000 * index, seed: UInt64(index)))
      }
      let json = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
      let fields = try #require(json["fields"] as? [String: Any])
      #expect(fields["title"] as? String == "Sommer")
      #expect(fields["tag"] as? [String] == ["a", "b"])
      #expect(fields["empty"] as? String == "")
    }
  }

  @Test(
    "hostile names stay in the folder",
    arguments: [
      ("../../etc/x", "x"), ("..\\\\..\\\\x.txt", "__..__x.txt"), ("/abs/olute", "olute"),
      ("..", "file"),
      ("C:\\\\a\\\\b.txt", "b.txt"), (".htaccess", "htaccess"),
      ("a\u{1B}]0;x\u{7}.txt", "a]0;x.txt"),
      ("/\u{301}x", "\u{301}x"), ("sub/\u{301}x", "\u{301}x"), (".\u{301}x", "\u{301}x"),
      ("../\u{200D}x", "\u{200D}x"), ("/\u{FE0F}x", "\u{FE0F}x"), ("a\"b.txt", "a_b.txt"),
      ("back\\slash.txt", "back_slash.txt"),
      ("nul", "_nul"), ("%2e%2e%2fx", "%2e%2e%2fx"), ("x%00.txt", "x%00.txt"),
    ])
  func traversal(sent: String, stored: String) async throws {
    try await TestServer.run { server in
      let reply = try server.request(Wire.post(Wire.file("evil", name: sent) + Wire.end))
      // A control character in a header may be refused outright; what must not happen is an escape.
      guard reply.status == 201 else {
        #expect(reply.status == 400)
        #expect(try server.names().isEmpty)
        return
      }
      #expect(try Receipt(reply.body).files.map(\.stored) == [stored])
      #expect(try server.names() == [stored])
    }
  }

  @Test("one file is answered with 201 and its address, several with 200, a browser with the page")
  func answers() async throws {
    try await TestServer.run { server in
      let one = try server.request(Wire.post(Wire.file("x") + Wire.end))
      #expect(one.status == 201 && one["location"] == "/files/a.txt")
      let two = Wire.file("x") + Wire.file("y") + Wire.end
      let several = try server.request(Wire.post(two, to: "/multiupload"))
      #expect(several.status == 200 && several["location"] == nil)
      // Nobody knows here what TLS ends at; an address that the owner gave is another matter.
      #expect(try Receipt(one.body).files[0].url == "http://test/files/a.txt")
      let accept = ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"]
      let browser = try server.request(Wire.post(Wire.file("z") + Wire.end, extra: accept))
      #expect(browser.status == 303 && browser["location"] == "/")
      #expect(try server.names().count == 4)
      let refused = try server.request(Wire.post(Wire.end, extra: accept))
      #expect(refused.status == 400 && refused["content-type"] == "text/html; charset=utf-8")
      #expect(refused.text.contains("The form has no file in it.") && refused.text.contains("Back"))
    }
  }

  @Test("an address for all is in each Location")
  func publicAddress() async throws {
    try await TestServer.run({ $0.publicURL = "https://files.example/in/" }) { server in
      let one = try server.request(Wire.post(Wire.file("x") + Wire.end))
      #expect(one["location"] == "https://files.example/in/files/a.txt")
      let tus = try server.request(
        "POST /files HTTP/1.1\r\nHost: test\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 1\r\n\r\n")
      #expect(tus["location"]?.hasPrefix("https://files.example/in/uploads/") == true)
    }
  }

  @Test("a name in a charset that nobody has to know is no name, and the file is taken")
  func otherCharset() async throws {
    try await TestServer.run { server in
      let form = Wire.file("x").replacingOccurrences(
        of: #"filename="a.txt""#, with: "filename*=iso-8859-1''na%EFve.txt")
      let reply = try server.request(Wire.post(form + Wire.end))
      #expect(reply.status == 201, "\(reply.text)")
      #expect(try server.names() == ["file"])
    }
  }

  @Test("bytes in a name that are not UTF-8 become U+FFFD")
  func invalidUTF8() async throws {
    try await TestServer.run { server in
      var body = Array("--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a".utf8)
      body += [0xFF, 0xFE]
      body += Array(".txt\"\r\n\r\nx\r\n--B--\r\n".utf8)
      let client = try server.connect()
      try client.send(Array(Wire.head(length: body.count).utf8) + body)
      #expect(try client.readReply().status == 201)
      #expect(try server.names() == ["a\u{FFFD}\u{FFFD}.txt"])
    }
  }

  @Test("escaped names are decoded only if asked for")
  func escapes() async throws {
    for (decodes, name) in [(false, "a%22b.txt"), (true, "a_b.txt")] {
      try await TestServer.run {
        $0.decodesEscapedNames = decodes
      } _: { server in
        _ = try server.request(Wire.post(Wire.file("x", name: "a%22b.txt") + Wire.end))
        #expect(try server.names() == [name])
      }
    }
  }

  @Test("a part without a type is text, and a name comes back as it was sent")
  func defaults() async throws {
    try await TestServer.run { server in
      let part =
        "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"b\\c.txt\"\r\n\r\nx\r\n"
      let reply = try server.request(Wire.post(part + Wire.end))
      let file = try #require(try Receipt(reply.body).files.first)
      #expect(file.type == "text/plain" && file.name == "a\"b\\c.txt" && file.stored == "a_b_c.txt")
    }
  }

  @Test("long fields are taken, and not repeated: sixfold in JSON, they would have to be held")
  func longFields() async throws {
    try await TestServer.run { server in
      for (count, isRepeated) in [(65_535, true), (65_536, false), (1_000_000, false)] {
        let field = Wire.field("a", String(repeating: "\u{1}", count: count))
        let reply = try server.request(Wire.post(field + Wire.file("x") + Wire.end))
        #expect(reply.status == 201 && reply.body.count < 500_000)
        #expect(reply.text.contains("\"fields\":{\"a\":\"\\u0001") == isRepeated)
      }
    }
  }

  @Test("a file input that nobody used is no file; one without a name but with content is")
  func emptyName() async throws {
    try await TestServer.run { server in
      let unused = Wire.file("", name: "", field: "none")
      #expect(try server.request(Wire.post(unused + Wire.end)).status == 400)
      let both = try server.request(Wire.post(unused + Wire.file("x") + Wire.end))
      #expect(try Receipt(both.body).files.map(\.name) == ["a.txt"])
      let nameless = try server.request(Wire.post(Wire.file("x", name: "") + Wire.end))
      #expect(try Receipt(nameless.body).files.map(\.stored) == ["file"])
    }
  }

  @Test("clashing names of one request and of many are all kept")
  func clashes() async throws {
    try await TestServer.run { server in
      for _ in 1...2 {
        let body = Wire.file("one") + Wire.file("two") + Wire.end
        let reply = try server.request(Wire.post(body, to: "/multiupload"))
        #expect(reply.status == 200)
      }
      #expect(try server.names() == ["a (2).txt", "a (3).txt", "a (4).txt", "a.txt"])
      #expect(try server.bytes("a.txt") == Array("one".utf8))
      #expect(try server.bytes("a (4).txt") == Array("two".utf8))
    }
  }

  @Test("what arrived is listed, as a page or as JSON, and can be fetched")
  func fetching() async throws {
    try await TestServer.run { server in
      let bytes = patternBytes(700_001)
      let client = try server.connect()
      let head = "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"<b>&é.bin\"\r\n\r\n"
      let body = Array(head.utf8) + bytes + Array("\r\n--B--\r\n".utf8)
      try client.send(Array(Wire.head(length: body.count).utf8) + body)
      let url = try #require(try Receipt(client.readReply().body).files.first?.url)
      #expect(url == "http://test/files/_b_%26%C3%A9.bin")
      // Somebody else may put files there too.
      try Data().write(to: server.folder.appendingPathComponent("<i>.txt"))

      try client.send("GET \(url.dropFirst("http://test".count)) HTTP/1.1\r\nHost: test\r\n\r\n")
      let file = try client.readReply()
      #expect(file.body == bytes)
      #expect(file["content-disposition"] == "attachment")
      #expect(file["x-content-type-options"] == "nosniff")

      try client.send("HEAD \(url) HTTP/1.1\r\nHost: test\r\n\r\n")
      #expect(try client.readReply(hasBody: false)["content-length"] == "700001")

      try client.send("GET / HTTP/1.1\r\nHost: test\r\nAccept: text/html\r\n\r\n")
      let page = try client.readReply()
      #expect(page["content-type"] == "text/html; charset=utf-8")
      #expect(page.text.contains("_b_&amp;é.bin") && page.text.contains("&lt;i&gt;.txt"))
      #expect(!page.text.contains("<i>"))
      #expect(page.text.contains("href=\"/files/_b_%26%C3%A9.bin\""))

      try client.send("GET / HTTP/1.1\r\nHost: test\r\nAccept: application/json\r\n\r\n")
      struct List: Decodable {
        struct Entry: Decodable { var name, url, modified: String; var size: Int64 }
        var files: [Entry]
      }
      let list = try JSONDecoder().decode(List.self, from: Data(client.readReply().body))
      let entry = try #require(list.files.first { $0.name == "_b_&é.bin" })
      #expect(list.files.count == 2 && entry.size == 700_001 && entry.url == url)

      try client.send("GET /files/missing HTTP/1.1\r\nHost: test\r\n\r\n")
      #expect(try client.readReply().status == 404)
    }
  }

  @Test("what arrived stays, unless clients may delete it", arguments: [false, true])
  func deletion(isAllowed: Bool) async throws {
    try await TestServer.run({ $0.allowsDeletion = isAllowed }) { server in
      try Data([1]).write(to: server.folder.appendingPathComponent("a b.txt"))
      try Data([1]).write(to: server.folder.appendingPathComponent(".hoist-own.json"))
      let outside = server.folder.deletingLastPathComponent().appendingPathComponent(
        "\(server.folder.lastPathComponent).txt")
      try Data([1]).write(to: outside)
      try FileManager.default.createSymbolicLink(
        at: server.folder.appendingPathComponent("link.txt"), withDestinationURL: outside)
      func delete(_ name: String) throws -> RawClient.Reply {
        try server.request("DELETE /files/\(name) HTTP/1.1\r\nHost: test\r\n\r\n")
      }
      for name in [
        "missing", ".hoist-own.json", "link.txt", "..%2F\(outside.lastPathComponent)", "..", "",
      ] {
        #expect(try delete(name).status == (isAllowed ? 404 : 403), "\(name)")
      }
      #expect(FileManager.default.fileExists(atPath: outside.path))
      let reply = try delete("a%20b.txt")
      #expect(reply.status == (isAllowed ? 204 : 403))
      #expect(
        isAllowed
          || reply.text.contains("does not allow files to be deleted") && !reply.text.contains("--")
      )
      let left = [".hoist-own.json", "link.txt"]
      #expect(try server.names() == (isAllowed ? left : [left[0], "a b.txt", left[1]]))
      let told = server.events.all.compactMap { event in
        if case .deleted(let name, _) = event { name } else { nil }
      }
      #expect(told == (isAllowed ? ["a b.txt"] : []))
      #expect(try delete("a%20b.txt").status == (isAllowed ? 404 : 403))
    }
  }

  @Test("a public URL replaces the Host header in addresses")
  func publicURL() async throws {
    try await TestServer.run {
      $0.publicURL = "https://files.example.org/"
      $0.syncsToDisk = true
    } _: { server in
      let reply = try server.request(Wire.post(Wire.file("x") + Wire.end))
      #expect(try Receipt(reply.body).files.map(\.url) == ["https://files.example.org/files/a.txt"])
    }
  }

  @Test("IPv6, and a client of HTTP/1.0 without Host", .needs("curl"))
  func ipv6() async throws {
    try await TestServer.run {
      $0.host = "::1"
    } _: { server in
      let (_, output) = try run(
        "curl",
        [
          "-sS", "-0", "-H", "Host:", "-F", "f=x;filename=a.txt",
          "http://[::1]:\(server.port)/upload",
        ])
      let file = try #require(try Receipt(Array(output)).files.first)
      #expect(file.url == "http://[::1]:\(server.port)/files/a.txt")
    }
  }

  @Test("many files from 50 clients while others stall, lie and leave: nothing lost or mixed up")
  func concurrent() async throws {
    let rounds = Effort.of(10, long: 40)
    try await TestServer.run {
      $0.stopTimeout = .milliseconds(100)
    } _: { server in
      let hostile = try (0..<12).map { index in
        let client = try server.connect()
        switch index % 4 {
        case 0: try client.send(Wire.head(length: 1 << 30) + Wire.file("stalls").dropLast(3))
        case 1: try client.send(Wire.post(Wire.file("no end", name: "same.bin")))
        case 2: try client.send("POST /upload HTTP/1.1\r\nX: ")
        default:
          try client.send(Wire.head(length: 1 << 20) + Wire.file("leaves", name: "same.bin"))
          client.reset()
        }
        return client
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<50 {
          group.addTask {
            let client = try server.connect()
            for round in 0..<rounds {
              let bytes = patternBytes(1_000 + 301 * index, seed: UInt64(index * 100 + round))
              let head =
                "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"same.bin\"\r\n\r\n"
              let body = Array(head.utf8) + bytes + Array("\r\n--B--\r\n".utf8)
              try client.send(Array(Wire.head(length: body.count).utf8) + body)
              let file = try #require(try Receipt(client.readReply().body).files.first)
              #expect(file.sha256 == sha256(bytes))
              #expect(try server.bytes(file.stored) == bytes)
            }
          }
        }
        try await group.waitForAll()
      }
      await server.receiver.stop()
      withExtendedLifetime(hostile) {}
      #expect(try server.names().count == 50 * rounds)
      #expect(
        server.events.all.count { if case .stored = $0 { true } else { false } } == 50 * rounds)
    }
  }
}
