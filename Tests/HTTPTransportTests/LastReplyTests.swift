import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("A reply that came before the connection was reset", .timeLimit(.minutes(3)))
struct LastReplyTests {
  private static let reason = #"{"error":"too large for this plan"}"#

  /// Many times, since the reset comes while libcurl sends in most of them, but not in all.
  @Test(arguments: [
    "401 No", "403 No", "411 No", "413 No", "415 No", "429 No\r\nRetry-After: 5", "503 No",
    "307 Elsewhere\r\nLocation: /b",
  ])
  func isRead(_ status: String) async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil, connection.readNoMore(65_536) != nil else { return }
      connection.send(
        "HTTP/1.1 \(status)\r\nContent-Length: \(Self.reason.utf8.count)\r\n\r\n\(Self.reason)")
    }
    defer { server.stop() }
    for method in Array(repeating: "POST", count: 12) + ["PUT"] {
      var request = ExchangeRequest(
        url: server.url(), method: method, body: ZeroBody(length: 3 << 20))
      request.mayRepeat = method == "PUT"
      let end = try #require(await Asker(.shared, request).run().end)
      #expect(end.trouble == nil, "\(String(describing: end.trouble))")
      #expect(
        end.head.map { "\($0.status)" } == status.split(separator: " ").first.map(String.init))
      #expect(String(decoding: end.reply, as: UTF8.self) == Self.reason)
      if status.contains("Retry") { #expect(end.head?.headers["retry-after"] == "5") }
    }
    // None was sent again.
    #expect(server.requests.isEmpty)
  }

  @Test("a success that came too early does not count, nor does silence")
  func isNoSuccess() async throws {
    for reply in ["HTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n", ""] {
      let server = try HostileServer { connection, _ in
        guard connection.readHead() != nil, connection.readNoMore(65_536) != nil else { return }
        connection.send(reply)
      }
      defer { server.stop() }
      for _ in 0..<6 {
        let request = ExchangeRequest(
          url: server.url(), method: "POST", body: ZeroBody(length: 3 << 20))
        let end = try #require(await Asker(.shared, request).run().end)
        #expect(end.trouble != nil, "\(String(describing: end.head))")
      }
    }
  }

  @Test(
    arguments: [
      ("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nnoMORE", 413, "no", false),
      ("HTTP/1.1 413 No\r\n\r\nno", 413, "no", false),
      (
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nno", 503, "no",
        false
      ),
      (
        "HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nno\r\n1\r\n!\r\n0\r\n\r\n",
        413, "no!",
        false
      ),
      ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nno", 413, "no", false),
      ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nno\r\n", 413, "", false),
      (
        "HTTP/1.1 413 No\r\nContent-Length: 20\r\n\r\n12345678901234567890", 413, "1234567890", true
      ),
      ("HTTP/1.1 413 No\r\nContent-Length: 2\r\n", nil, "", false),
      ("HTTP/1.1 100 Continue\r\n\r\n", nil, "", false), ("", nil, "", false),
      ("nonsense\n\n\n", nil, "", false),
    ] as [(String, Int?, String, Bool)])
  func isParsed(_ text: String, _ status: Int?, _ content: String, _ isCut: Bool) {
    let reply = LastReply(Array(text.utf8), mostContent: 10)
    #expect(reply?.head.status == status)
    #expect(reply.map { String(decoding: $0.content, as: UTF8.self) } ?? "" == content)
    #expect(reply?.isCut ?? false == isCut)
  }

  @Test(
    "the bytes of a reply in a coding that nobody knows are kept as they are",
    arguments: ["UTF-8", "aws-chunked", "none", "identity", "", "gzip, utf-8"])
  func unknownCodings(_ coding: String) async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let content =
          request.line.hasPrefix("PUT")
          ? "Transfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;a=b\r\nk\r\n0\r\n\r\n"
          : "Content-Length: 2\r\n\r\nok"
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\(content)")
      }
    }
    defer { server.stop() }
    for method in ["POST", "PUT", "GET"] {
      let request = ExchangeRequest(
        url: server.url(), method: method, body: method == "GET" ? nil : ZeroBody(length: 10))
      let end = try #require(await Asker(.shared, request).run().end)
      #expect(end.trouble == nil, "\(String(describing: end.trouble))")
      #expect(String(decoding: end.reply, as: UTF8.self) == "ok" && !end.isReplyCut)
    }
    #expect(server.requests.first?.headers["accept-encoding"] == "identity")
  }

  @Test("a coding that libcurl knows is removed, even if the server was not asked for it")
  func knownCoding() async throws {
    // "ok", by gzip.
    let packed: [UInt8] = [
      0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0xCF, 0x06, 0, 0x47, 0xDD, 0xDC, 0x79, 2, 0, 0,
      0,
    ]
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        connection.send(
          Array(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
              .utf8)
            + packed)
      }
    }
    defer { server.stop() }
    let request = ExchangeRequest(url: server.url(), method: "POST", body: ZeroBody(length: 10))
    let end = try #require(await Asker(.shared, request).run().end)
    #expect(end.trouble == nil && String(decoding: end.reply, as: UTF8.self) == "ok")
  }
}
