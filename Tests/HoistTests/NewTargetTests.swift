import Foundation
import TestSupport
import Testing

@testable import Screens
@testable import hoist

@Suite("A new target")
struct NewTargetTests {
  @Test("whoever closes the questions while it is tried has none", .timeLimit(.minutes(3)))
  func cancelled() async throws {
    let (asked, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      asked.signal()
      isOver.wait()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let config = ConfigSource(named: try folder.write("config.toml", []), environment: [:])
    let url = server.url().absoluteString
    let trial = Task {
      try await NewTarget.make(TargetAnswers(url: url, name: ""), isGoodEnough: false, in: config)
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        asked.wait()
        continuation.resume()
      }
    }
    trial.cancel()
    _ = await trial.result
    isOver.signal()
    #expect(try String(contentsOfFile: config.path, encoding: .utf8) == "")
  }
}
