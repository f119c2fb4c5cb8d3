import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import HTTPTransport
@testable import UploadEngine

@Suite(.timeLimit(.minutes(5)))
struct ReplyReadingTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  @Test func whileAReplyIsReadEverythingElseGoesOn() async throws {
    let json = #"{"rc":0,"files":[{"url":"/a"}]}"#
    let server = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)")
    defer { server.stop() }
    let path = try folder.write("a.txt", [1])
    let harness = EngineHarness()
    // It takes as long as this.
    let (reading, goOn) = (Gate(), Gate())
    harness.engine.replyQueue.async {
      reading.open()
      goOn.pass()
    }
    await reading.passed()

    var target = Target.once(server.url())
    target.response.url = ReplyValue(.pointer(try JSONPointer("/files/*/url")))
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: target)])
    await harness.wait { states in
      states[ItemID(1)]?.contains { if case .awaitingReply = $0 { true } else { false } } == true
    }
    // Whose reply needs no reading is not held up, and neither is who asks for something.
    harness.engine.submit([UploadJob(item: .file(path, id: 2), target: .once(server.url()))])
    let other = await harness.finish([ItemID(2)])
    #expect(other.map(\.code) == ["done 200"])
    // The reply is faster than the wish.
    while await !harness.engine.hasReply { try await Task.sleep(for: .milliseconds(5)) }
    harness.engine.cancel([ItemID(1)])
    goOn.open()
    let ends = await harness.finish([ItemID(1)])
    guard case .done(let receipt) = ends.first else {
      Issue.record("\(ends)")
      return
    }
    #expect(receipt.url == URL(string: "/a", relativeTo: server.url())?.absoluteString)
  }
}

extension UploadEngine {
  /// Whether the transport has told the end of a request that the engine has not heard of.
  fileprivate var hasReply: Bool {
    exchanges.underWay.values.contains { $0.task.content.withLock { $0.state == .completed } }
  }
}
