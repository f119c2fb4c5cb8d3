import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

@Suite(.timeLimit(.minutes(5)))
struct DeliveryTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  @Test func aFileArrivesWithItsLengthToldBeforehand() async throws {
    let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 1_000_000)
    let ends = await EngineHarness().upload([path], to: .once(server.url()))

    guard case .done(let receipt) = try #require(ends.first) else {
      Issue.record("\(ends)")
      return
    }
    #expect(receipt.status == 201)
    #expect(receipt.reply.text == "ok")
    #expect(receipt.bytes == 1_000_000)

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
      case .processing: words.append("processing")
      case .done: words.append("done")
      case .waiting, .retrying, .paused, .failed: Issue.record("\(state)")
      }
    }
    #expect(words.first == "preparing")
    #expect(words.suffix(2) == ["awaiting", "done"])
  }

  @Test func aServerThatAnswersIsAskedBeforeALargeBody() async throws {
    let server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        guard head.headers["expect"] == "100-continue" else { return }
        connection.send("HTTP/1.1 100 Continue\r\n\r\n")
        _ = connection.read(Int(head.headers["content-length"] ?? "") ?? 0)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let paths = try (0..<3).map { try folder.write("\($0).bin", count: 2_000_000, seed: $0) }
    let ends = await EngineHarness(lanes: 1, session: .patient).upload(
      paths, to: .once(server.url()))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3), "\(ends)")
  }

  @Test func aServerThatDoesNotAnswerIsAskedOnce() async throws {
    let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    let paths = try (0..<3).map { try folder.write("\($0).bin", count: 2_000_000, seed: $0) }
    let ends = await EngineHarness(lanes: 1).upload(paths, to: .once(server.url()))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3), "\(ends)")
    #expect(server.requests.map { $0.headers["expect"] } == ["100-continue", nil, nil])
  }

  @Test func aServerThatDislikesTheQuestionGetsTheFileWithoutIt() async throws {
    let questions = Mutex(0)
    let server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        if head.headers["expect"] != nil {
          questions.withLock { $0 += 1 }
          connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        guard connection.read(Int(head.headers["content-length"] ?? "") ?? 0) != nil else { return }
        connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 2_000_000)
    let ends = await EngineHarness(session: .patient).upload([path], to: .once(server.url()))
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    #expect(questions.withLock { $0 } == 1)
  }

  @Test func aRefusalBeforeALargeBodyCostsNoBody() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 8\r\n\r\ntoo much")
      connection.drain()
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 2_000_000)
    let harness = EngineHarness(session: .patient)
    let ends = await harness.upload([path], to: .once(server.url()))
    #expect(ends.first?.failure?.reply.text == "too much", "\(ends)")
    let sent = harness.states(of: ItemID(1)).contains { state in
      if case .sending = state { true } else { false }
    }
    #expect(!sent)
  }
}
