import NIOHTTP1
import TestSupport
import Testing

@testable import Receiver

@Suite("Whom a request is meant for, and who made it")
struct HostTests {
  @Test(
    "hosts as they may be written",
    arguments: [
      ("nas", "nas", nil), ("NAS.Local:3000", "nas.local", 3000), ("nas.", "nas", nil),
      ("a_b-c.d", "a_b-c.d", nil), ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]", "::1", nil),
      ("[0:0:0:0:0:0:0:1]:8080", "::1", 8080), ("[FE80::1]:1", "fe80::1", 1), ("nas:", "nas", nil),
    ] as [(String, String, Int?)])
  func authorities(text: String, host: String, port: Int?) throws {
    let authority = try #require(Authority(text))
    #expect(authority.host == host && authority.port == port)
    #expect(authority.isAddress == (host.contains(":") || host.contains("127")))
  }

  @Test(
    "what is no host",
    arguments: [
      "", ":80", ".", "a b", "a/b", "user@host", "a:b", "a:70000", "a:1:2", "a:+1", "[::1",
      "[::1]x",
      "[127.0.0.1]", "[fe80::1%25eth0]", "::1", "ä", "nas\u{301}", "a\u{200D}", "a:1\u{FE0F}",
      "a,b",
      "\u{0}", "a%2e", String(repeating: "a", count: 254),
    ])
  func noAuthority(text: String) { #expect(Authority(text) == nil) }

  private func configuration(
    names: [String] = [], host: String = "127.0.0.1", publicURL: String? = nil
  ) -> UploadReceiver.Configuration {
    var configuration = UploadReceiver.Configuration(directory: "/nonexistent")
    configuration.names = names
    configuration.host = host
    configuration.publicURL = publicURL
    return configuration
  }

  private func status(
    _ configuration: UploadReceiver.Configuration, method: HTTPMethod = .POST,
    uri: String = "/upload",
    version: HTTPVersion = .http1_1, _ headers: [(String, String)]
  ) -> Int? {
    let head = HTTPRequestHead(
      version: version, method: method, uri: uri, headers: HTTPHeaders(headers))
    let host = RequestHost(configuration)
    do throws(Refusal) {
      try host.check(head)
      try host.refuseOtherSites(head)
      return nil
    } catch { return Int(error.status.code) }
  }

  @Test(
    "the names that it was started with, addresses and localhost are known, others are not",
    arguments: [
      ("nas.local", nil), ("NAS.LOCAL:3000", nil), ("nas.local.", nil), ("localhost:3000", nil),
      ("127.0.0.1:3000", nil), ("192.168.1.7", nil), ("[::1]:3000", nil),
      ("files.example.org", nil),
      ("bound.name", nil), ("evil.example", 421), ("nas.local.evil.example", 421), ("nas", 421),
      ("localhost.evil.example", 421), ("evillocalhost", 421),
      ("files.localhost:3000", nil), ("127.0.0.1.evil.example", 421), ("", 400), ("a b", 400),
      ("nas.local\u{301}", 400), ("nas.local/", 400),
    ] as [(String, Int?)])
  func hosts(host: String, expected: Int?) {
    let configuration = configuration(
      names: ["nas.local"], host: "bound.name", publicURL: "https://files.example.org:8443/x")
    for method in [HTTPMethod.GET, .POST, .DELETE] {
      #expect(status(configuration, method: method, [("Host", host)]) == expected)
    }
  }

  @Test("Host comes once, and in HTTP/1.0 not at all or once; a whole URL counts as well")
  func hostRules() {
    let none = configuration()
    #expect(status(none, []) == 400)
    #expect(status(none, version: .http1_0, []) == nil)
    #expect(status(none, version: .http1_0, [("Host", "evil.example")]) == 421)
    #expect(status(none, [("Host", "localhost"), ("Host", "localhost")]) == 400)
    let whole = "http://evil.example/upload"
    #expect(status(none, uri: whole, [("Host", "localhost")]) == 421)
    #expect(status(none, uri: "http://localhost/upload", [("Host", "evil.example")]) == 421)
    #expect(status(none, uri: "http://localhost:1/upload", [("Host", "localhost")]) == nil)
  }

  @Test(
    "a page of another site may not send; one of the same, and what is no page, may",
    arguments: [
      ([], nil), ([("Origin", "http://nas:3000")], nil), ([("Origin", "HTTP://NAS:3000")], nil),
      ([("Origin", "http://nas")], 403), ([("Origin", "http://nas:3001")], 403),
      ([("Origin", "https://nas")], 403), ([("Origin", "https://nas:3000")], nil),
      ([("Origin", "http://evil.example")], 403), ([("Origin", "http://evil.example:3000")], 403),
      ([("Origin", "null")], 403), ([("Origin", "")], 403), ([("Origin", "file://")], 403),
      ([("Origin", "http://nas:3000\u{301}")], 403), ([("Origin", "http://nas:3000.evil")], 403),
      ([("Origin", "http://nas:3000"), ("Origin", "http://evil")], 403),
      ([("Origin", "https://files.example.org:8443")], nil),
      ([("Origin", "http://files.example.org:8443")], 403),
      ([("Sec-Fetch-Site", "cross-site")], 403), ([("sec-fetch-site", "CROSS-SITE")], 403),
      ([("Sec-Fetch-Site", "cross-site"), ("Origin", "http://nas:3000")], 403),
      ([("Sec-Fetch-Site", "same-site"), ("Origin", "http://nas:8080")], 403),
      ([("Sec-Fetch-Site", "same-origin"), ("Origin", "null")], nil),
      ([("Sec-Fetch-Site", "none")], nil),
    ] as [([(String, String)], Int?)])
  func origins(headers: [(String, String)], expected: Int?) {
    let configuration = configuration(names: ["nas"], publicURL: "https://files.example.org:8443")
    let all = [("Host", "nas:3000")] + headers
    for method in [HTTPMethod.POST, .DELETE, .PUT] {
      #expect(status(configuration, method: method, all) == expected, "\(headers)")
    }
    // Reading is left to the browser: no page of another site is shown the answer.
    #expect(status(configuration, method: .GET, all) == nil)
  }

  @Test("a port that a page leaves out is its scheme's own")
  func defaultPorts() {
    for (host, origin, expected) in [
      ("nas", "http://nas", nil), ("nas:80", "http://nas", nil), ("nas", "https://nas", nil),
      ("nas:443", "https://nas", nil), ("nas:443", "http://nas", 403),
      ("nas", "http://nas:80", nil),
      ("nas", "https://nas:8443", 403),
    ] as [(String, String, Int?)] {
      let headers = [("Host", host), ("Origin", origin)]
      #expect(status(configuration(names: ["nas"]), headers) == expected, "\(host) \(origin)")
    }
  }

  static let writes = [
    "/upload", "/multiupload", "/notes", "/fishingserver/catches/add.htm",
    "/fishingserver/catches/delete.htm?id=1", "/bookmarks", "/presign", "/bucket",
  ]

  @Test("nothing that writes is open to another site or another name", arguments: writes)
  func everywhere(path: String) async throws {
    try await TestServer.run { server in
      let body = Wire.file("x") + Wire.end
      let origin = try server.request(
        Wire.post(body, to: path, extra: ["Origin: http://evil.example"]))
      #expect(origin.status == 403 && origin.text.contains("another site"))
      let rebound = Wire.post(body, to: path).replacing("Host: test", with: "Host: evil.example")
      let reply = try server.request(rebound)
      #expect(
        reply.status == 421 && reply.text.contains("the name evil.example")
          && !reply.text.contains("--"))
      #expect(try server.names().isEmpty)
    }
  }

  @Test("a name that is rebound may not read either, and its page is told nothing")
  func reading() async throws {
    try await TestServer.run { server in
      for path in ["/", "/files/a", "/bookmarks"] {
        let reply = try server.request("GET \(path) HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        #expect(reply.status == 421)
      }
      #expect(try server.request("GET / HTTP/1.1\r\n\r\n").status == 400)
    }
  }
}
