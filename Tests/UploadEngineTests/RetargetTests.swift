import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Uploads whose target is another one by the time they are sent.
@Suite(.timeLimit(.minutes(5)))
struct RetargetTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  private func target(_ server: HostileServer, name: String, authorization: String) -> Target {
    var target = Target.once(server.url())
    target.name = name
    target.headers = [.init(name: "Authorization", value: Template(literal: authorization))]
    return target
  }

  @Test func aFailedFileGoesToItsNewTargetWithThatOnesCredentials() async throws {
    let old = try HostileServer.answering("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
    let new = try HostileServer.answering(Self.ok)
    defer {
      old.stop()
      new.stop()
    }
    let item = UploadItem.file(try folder.write("a", count: 100), id: 1)
    let harness = EngineHarness()
    harness.engine.submit([
      UploadJob(item: item, target: target(old, name: "old", authorization: "for old"))
    ])
    #expect(await harness.finish([item.id]).map(\.code) == ["http-500"])
    harness.forget()
    harness.engine.retry([
      UploadJob(item: item, target: target(new, name: "new", authorization: "for new"))
    ])
    #expect(await harness.finish([item.id]).map(\.code) == ["done 200"])
    #expect(old.requests.map { $0.headers["authorization"] } == ["for old"])
    #expect(new.requests.map { $0.headers["authorization"] } == ["for new"])
  }

  @Test(arguments: [true, false])
  func whoWaitsForAServerThatIsNotThereCanGoToAnother(_ isRetry: Bool) async throws {
    let away = try #require(URL(string: "http://127.0.0.1:\(try HostileServer.closedPort())/"))
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var target = Target.once(away)
    target.retry = RetryPolicy(attempts: 100, base: 30, cap: 60)
    // The longest delays that the policy knows: nothing moves by itself.
    var time = TimeSource.system
    time.random = { 0.999 }
    let harness = EngineHarness(lanes: 1, time: time, waitsForServers: true)
    let jobs = try (1...20).map { id in
      UploadJob(
        item: .file(try folder.write("\(id)", count: 100, seed: UInt64(id)), id: Int64(id)),
        target: target)
    }
    harness.engine.submit(jobs)
    await harness.untilAway()
    let others = jobs.suffix(10).map {
      UploadJob(item: $0.item, target: self.target(server, name: "new", authorization: "n"))
    }
    if isRetry { harness.engine.retry(others) } else { harness.engine.update(others) }
    let ends = await harness.finish(others.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    let names = server.requests.compactMap { request in
      String(decoding: request.body, as: UTF8.self).firstMatch(of: /filename="([^"]*)"/).map {
        String($0.1)
      }
    }
    #expect(names == (11...20).map { "\($0)" }, "in the order in which they waited")
  }

  @Test func whoWaitsForCredentialsCanGoElsewhere() async throws {
    let closed = try HostileServer.answering(
      "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
    let server = try HostileServer.answering(Self.ok)
    defer {
      closed.stop()
      server.stop()
    }
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    let jobs = try (1...10).map { id in
      UploadJob(
        item: .file(try folder.write("\(id)", count: 100), id: Int64(id)),
        target: target(closed, name: "closed", authorization: "x"))
    }
    harness.engine.submit(jobs)
    await harness.wait { $0[ItemID(1)]?.last?.code == "http-401" }
    let others = jobs.dropFirst().map {
      UploadJob(item: $0.item, target: target(server, name: "new", authorization: "n"))
    }
    harness.engine.update(others)
    let ends = await harness.finish(others.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
  }

  @Test func oneOfACompanyWithAnotherTargetIsNotSentWithTheRest() async throws {
    let (reached, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let old = try HostileServer { connection, number in
      while connection.readRequest() != nil {
        if number == 0 {
          reached.signal()
          goOn.wait()
          connection.send(
            "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
          return
        }
        connection.send(Self.ok)
      }
    }
    let new = try HostileServer.answering(Self.ok)
    defer {
      old.stop()
      new.stop()
    }
    var target = target(old, name: "old", authorization: "o")
    target.batch = BatchRule(maxFiles: 3)
    target.retry = RetryPolicy(attempts: 3, base: 0, cap: 0)
    let jobs = try (1...3).map { id in
      UploadJob(
        item: .file(try folder.write("\(id)", count: 100), id: Int64(id)), target: target)
    }
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    await reached.passed()
    harness.engine.setStarted(false)
    goOn.signal()
    await harness.wait { states in
      states.values.count { $0.dropFirst().contains { $0.failure != nil } && $0.last == .waiting }
        == 3
    }
    harness.engine.update([
      UploadJob(item: jobs[1].item, target: self.target(new, name: "new", authorization: "n"))
    ])
    harness.engine.setStarted(true)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(try new.requests.map { try $0.files().map(\.name) } == [["2"]])
  }
}
