import Foundation
import JSONText
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite("A server's checksum of what it has stored is compared", .timeLimit(.minutes(5)))
struct VerificationTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// Of "abc".
  private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let sha256Base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
  private static let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d"
  private static let md5 = "900150983cd24fb0d6963f7d28e17f72"
  /// What S3 may give in its place.
  private static let md5Like = String(repeating: "a", count: 32)
  private static let other = String(repeating: "0", count: 64)

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Where the target looks; nil for nowhere.
    let place: String?
    var sum: ContentDigests.Algorithm?
    var headers = ""
    var body = ""
    var code = "done 200"
    var verified: String?
  }

  static let rows: [Row] = [
    Row(
      testDescription: "Repr-Digest", place: "repr-digest",
      headers: "Repr-Digest: sha-512=:AA==:, sha-256=:\(sha256Base64):\r\n", verified: "sha-256"),
    Row(
      testDescription: "Repr-Digest that differs", place: "repr-digest",
      headers: "Repr-Digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:\r\n",
      code: "content-differs"),
    Row(
      testDescription: "only algorithms that are not known", place: "repr-digest",
      headers: "Repr-Digest: sha-512=:AAAA:\r\n"),
    Row(testDescription: "no field", place: "repr-digest"),
    Row(
      testDescription: "Content-Digest", place: "content-digest",
      headers: "Content-Digest: sha-256=:\(sha256Base64):\r\n", verified: "sha-256"),
    Row(
      testDescription: "S3's", place: "x-amz-checksum-sha256",
      headers: "x-amz-checksum-sha256: \(sha256Base64)\r\n", verified: "sha-256"),
    Row(
      testDescription: "S3's CRC", place: "x-amz-checksum-crc32",
      headers: "x-amz-checksum-crc32: NSRBwg==\r\n", verified: "crc32"),
    Row(
      testDescription: "S3's CRC, and it differs", place: "x-amz-checksum-crc32c",
      headers: "x-amz-checksum-crc32c: NSRBwg==\r\n", code: "content-differs"),
    Row(
      testDescription: "Google's", place: "x-goog-hash",
      headers: "x-goog-hash: crc32c=Nks/tw==,md5=AAAAAAAAAAAAAAAAAAAAAA==\r\n", verified: "crc32c"),
    Row(
      testDescription: "S3's, of all parts", place: "x-amz-checksum-sha256",
      headers: "x-amz-checksum-sha256: \(sha256Base64)-2\r\n"),
    Row(
      testDescription: "ownCloud's", place: "oc-checksum",
      headers: "OC-Checksum: SHA1:\(sha1)\r\n", verified: "sha-1"),
    Row(
      testDescription: "ownCloud's, with another algorithm", place: "oc-checksum",
      headers: "OC-Checksum: ADLER32:1234abcd\r\n"),
    Row(
      testDescription: "Nextcloud's", place: "x-hash-sha1", sum: .sha1,
      headers: "X-Hash-SHA1: \(sha1.uppercased())\r\n", verified: "sha-1"),
    Row(
      testDescription: "an ETag", place: "etag", sum: .md5, headers: "ETag: \"\(md5)\"\r\n",
      verified: "md5"),
    Row(
      testDescription: "an ETag of several pieces", place: "etag", sum: .md5,
      headers: "ETag: \"\(md5)-2\"\r\n"),
    Row(
      testDescription: "a weak ETag", place: "etag", sum: .md5, headers: "ETag: W/\"\(md5)\"\r\n"),
    Row(
      testDescription: "an ETag that differs", place: "etag", sum: .md5,
      headers: "ETag: \"\(md5Like)\"\r\n", code: "content-differs"),
    Row(
      testDescription: "an ETag of S3, with a key of its own", place: "etag", sum: .md5,
      headers: "ETag: \"\(md5)\"\r\nx-amz-server-side-encryption: AES256\r\n", verified: "md5"),
    Row(
      testDescription: "an ETag under SSE-KMS", place: "etag", sum: .md5,
      headers: "ETag: \"\(md5Like)\"\r\nx-amz-server-side-encryption: aws:kms\r\n"),
    Row(
      testDescription: "an ETag under DSSE-KMS", place: "etag", sum: .md5,
      headers: "ETag: \"\(md5Like)\"\r\nx-amz-server-side-encryption: aws:kms:dsse\r\n"),
    Row(
      testDescription: "an ETag under SSE-C", place: "etag", sum: .md5,
      headers:
        "ETag: \"\(md5Like)\"\r\nx-amz-server-side-encryption-customer-algorithm: AES256\r\n"),
    Row(
      testDescription: "an ETag in the reply under SSE-KMS", place: "/ETag", sum: .md5,
      headers: "x-amz-server-side-encryption: aws:kms\r\n", body: #"{"ETag":"\#(md5Like)"}"#),
    Row(
      testDescription: "another sum under SSE-KMS", place: "x-sum", sum: .sha256,
      headers: "X-Sum: \(other)\r\nx-amz-server-side-encryption: aws:kms\r\n",
      code: "content-differs"),
    Row(
      testDescription: "in the reply", place: "/sha1", sum: .sha1, body: #"{"sha1":"\#(sha1)"}"#,
      verified: "sha-1"),
    Row(
      testDescription: "in the reply, and it differs", place: "/sum", sum: .sha256,
      body: #"{"sum":"\#(other)"}"#, code: "content-differs"),
    Row(testDescription: "not JSON", place: "/sum", sum: .sha256, body: "<html>"),
    Row(testDescription: "null", place: "/sum", sum: .sha256, body: #"{"sum":null}"#),
    Row(
      testDescription: "unasked, and not computed", place: nil,
      headers: "Repr-Digest: sha-256=:\(sha256Base64):\r\n"),
  ]

  private func target(_ server: HostileServer, _ row: Row) throws -> Target {
    var target = Target.once(server.url("/up"))
    guard let place = row.place else { return target }
    target.response.sum = ReplySum(
      place.hasPrefix("/") ? .pointer(try JSONPointer(place)) : .header(place), row.sum)
    return target
  }

  @Test(arguments: rows)
  func replies(_ row: Row) async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\n\(row.headers)Content-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)")
    defer { server.stop() }
    let file = try folder.write("a", Array("abc".utf8))
    var target = try target(server, row)
    target.retry = RetryPolicy(attempts: 3, base: 0, isIdempotent: true)
    let end = try #require(await EngineHarness().upload([file], to: target).first)
    #expect(end.code == row.code, "\(end)")
    if case .done(let receipt) = end { #expect(receipt.verified == row.verified) }
    // It is not sent again by itself.
    #expect(server.requests.count == 1)
    if row.place == "repr-digest" {
      #expect(server.requests.first?.headers["want-repr-digest"] == "sha-256=10")
    }
    if row.code == "content-differs" {
      #expect(end.failure?.explanation.contains("but stored different content") == true)
    }
  }

  @Test(
    "a digest that is known anyway is compared unasked; one that differs may be the reply's own")
  func unasked() async throws {
    for (digest, verified) in [
      (Self.sha256Base64, "sha-256"), ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", nil),
    ] {
      let server = try HostileServer.answering(
        "HTTP/1.1 200 OK\r\nRepr-Digest: sha-256=:\(digest):\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      var target = try target(server, Self.rows[Self.rows.count - 1])
      target.headers = [.init(name: "X-Sum", value: try Template("{file.sha256}"))]
      let file = try folder.write("a", Array("abc".utf8))
      let end = try #require(await EngineHarness().upload([file], to: target).first)
      guard case .done(let receipt) = end else {
        Issue.record("\(end)")
        return
      }
      #expect(receipt.verified == verified)
    }
  }

  @Test("in a request of several files, each is compared with its own")
  func batch() async throws {
    let sums = [Self.sha256, Self.other, Self.sha256]
    let body = "[" + sums.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    let server = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\nETag: \"\(Self.md5)\"\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    defer { server.stop() }
    let files = try ["a", "b", "c"].map { try folder.write($0, Array("abc".utf8)) }
    var target = try target(
      server, Row(testDescription: "", place: "/*", sum: .sha256))
    target.batch = BatchRule(maxFiles: 10)
    let ends = await EngineHarness().upload(files, to: target)
    #expect(ends.map(\.code) == ["done 200", "content-differs", "done 200"], "\(ends)")
    #expect(server.requests.count == 1)
    // A header field cannot be about one of several.
    target.response.sum = ReplySum(.header("etag"), .md5)
    for end in await EngineHarness().upload(files, to: target) {
      guard case .done(let receipt) = end else {
        Issue.record("\(end)")
        return
      }
      #expect(receipt.verified == nil)
    }
  }
}
