import Foundation
import JSONText
import TestSupport
import Testing

@testable import Receiver
@testable import ReceiverDemos

@Suite("Presigned POST", .needs("peers"))
struct PresignTests {
  private static let signer = PostPolicy.Signer(secretKey: "s3cret")

  private func summary(_ fields: [String: String], size: Int64 = 5) -> ReceivedForm {
    ReceivedForm(
      order: fields.keys.sorted() + ["file"], types: [:], fields: fields.mapValues { [$0] },
      files: [
        ReceivedForm.File(
          field: "file", name: "a", type: "text/plain", size: size, beginning: [])
      ])
  }

  private func refusal(_ form: ReceivedForm, at date: Date = Date()) -> Int? {
    do {
      try PostPolicy.check(form, signer: Self.signer, now: date)
      return nil
    } catch { return error.code }
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
      let reply = try server.request(
        Wire.json("/presign", #"{"name":"a.txt","type":"text/plain"}"#))
      guard case .object(let ticket) = try reply.json(),
        case .object(let fields)? = ticket["fields"]
      else {
        Issue.record("no ticket: \(reply)")
        return
      }
      #expect(ticket["url"] == .string("http://test/bucket"))
      let form = fields.map { Wire.field($0.key, $0.value.text) }.joined()
      let used = try server.request(Wire.post(form + Wire.file("hello") + Wire.end, to: "/bucket"))
      #expect(used.status == 204)
      #expect(used["location"] == "/files/a.txt")
      #expect(try server.bytes("a.txt") == Array("hello".utf8))
      let without = try server.request(Wire.post(Wire.file("hello") + Wire.end, to: "/bucket"))
      #expect(without.status == 400)
      #expect(try server.names() == ["a.txt"])
      #expect(try server.request(Wire.json("/presign", "{}")).status == 400)
    }
  }
}
