import Foundation
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What a new target's URL answers before anything is sent to it.
@Suite(.timeLimit(.minutes(3)), .needs("openssl", "nginx"))
struct UploadPlaceTests {
  @Test(arguments: [
    ("200 OK", "", nil),
    ("401 Unauthorized", "", nil),
    ("404 Not Found", "", "404 Not Found"),
    ("410 Gone", "", "410 Gone"),
    ("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "405 Method Not Allowed"),
    ("405 Method Not Allowed", "Allow: post, OPTIONS\r\n", nil),
    ("302 Found", "Location: /login\r\n", nil),
  ])
  func itIsAsked(_ status: String, _ field: String, _ expected: String?) async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 \(status)\r\n\(field)Content-Length: 9\r\n\r\n")
    defer { server.stop() }
    let obstacle = await ServerClient(target: .once(server.url())).obstacle()
    #expect(obstacle == expected.map { "127.0.0.1 answers \($0) there" })
    #expect(server.requests.first?.line.hasPrefix("HEAD ") == true)
  }

  /// It is asked as uploads are sent: by the transport, under the target's rules.
  @Test func itsRulesHold() async throws {
    let authority = try CertificateAuthority()
    let nobody = try #require(URL(string: "http://127.0.0.1:9/upload"))
    #expect(
      await ServerClient(target: .once(nobody)).obstacle()
        == "no answer from 127.0.0.1: connection refused")
    var target = Target.once(nobody)
    target.tls.caFile = authority.root.file
    #expect(
      await ServerClient(target: target).obstacle()?.hasPrefix("127.0.0.1 cannot be asked: ")
        == true)
  }
}
