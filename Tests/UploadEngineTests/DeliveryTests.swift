import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadEngine
import UploadModel

@Suite(.timeLimit(.minutes(1)))
struct DeliveryTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  @Test func aFileArrivesWithItsLengthToldBeforehand() async throws {
    let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 3_000_000)
    let ends = await EngineHarness().upload([path], to: .once(server.url()))

    guard case .done(let receipt) = try #require(ends.first) else {
      Issue.record("\(ends)")
      return
    }
    #expect(receipt.status == 201)
    #expect(receipt.reply.text == "ok")
    #expect(receipt.bytes == 3_000_000)

    let request = try #require(server.requests.first)
    #expect(request.line == "POST /upload HTTP/1.1")
    #expect(request.headers["transfer-encoding"] == nil)
    #expect(request.headers["expect"] == nil)
    #expect(request.headers["content-length"] == String(request.body.count))
    let boundary = try Boundary(contentType: try #require(request.headers["content-type"]))
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    let expected =
      Array(
        """
        --\(boundary)\r
        Content-Disposition: form-data; name="file"; filename="a.bin"\r
        Content-Type: application/octet-stream\r
        \r

        """.utf8) + content + Array("\r\n--\(boundary)--\r\n".utf8)
    #expect(request.body == expected)
  }

  @Test func progressRisesToTheEndAndIsNotCalledDone() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 20_000_000)
    let harness = EngineHarness()
    _ = await harness.upload([path], to: .once(server.url()))
    var last: Int64 = 0
    var words: [String] = []
    for state in harness.states(of: ItemID(1)) {
      switch state {
      case .sending(_, let sent, let total):
        #expect(total == 20_000_000)
        #expect(sent >= last)
        #expect(sent <= total)
        last = sent
        words.append("sending")
      case .preparing: words.append("preparing")
      case .awaitingReply: words.append("awaiting")
      case .done: words.append("done")
      case .waiting, .retrying, .paused, .failed: Issue.record("\(state)")
      }
    }
    #expect(words.first == "preparing")
    #expect(words.suffix(2) == ["awaiting", "done"])
  }
}
