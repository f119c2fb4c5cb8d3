import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Requests that are prepared before a lane is free for them.
@Suite(.timeLimit(.minutes(5)))
struct AheadTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  private func jobs(_ count: Int, to target: Target) throws -> [UploadJob] {
    try (1...count).map { number in
      let path = try folder.write("\(number)", count: 1000, seed: UInt64(number))
      return UploadJob(item: .file(path, id: Int64(number)), target: target)
    }
  }

  private func target(_ url: URL, lanes: Int) -> Target {
    var target = Target.once(url)
    target.concurrency = lanes
    return target
  }

  /// A server that answers the requests before number `last` well and tells of that one. What comes then is up
  /// to `then`.
  private func server(
    until last: Int, reached: Gate, then: @escaping @Sendable (HostileConnection) -> Void
  ) throws -> HostileServer {
    let count = Mutex(0)
    return try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number >= last else {
          connection.send(Self.ok)
          continue
        }
        if number == last { reached.open() }
        return then(connection)
      }
    }
  }

  @Test(arguments: [1, 4], [false, true])
  func thereAreNeverMoreRequestsThanLanes(_ lanes: Int, _ readsReplies: Bool) async throws {
    let open = Mutex((now: 0, most: 0))
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        // Long enough for another one to come.
        usleep(500)
        open.withLock { $0.now -= 1 }
        connection.send(Self.ok)
      }
    }
    defer { server.stop() }
    let harness = EngineHarness(lanes: 8)
    var target = target(server.url(), lanes: lanes)
    if readsReplies {
      target.response.url = ReplyValue(.pointer(try JSONPointer("/url")))
    }
    let jobs = try jobs(400, to: target)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(harness.mostActive == lanes)
    #expect(ends.allSatisfy { $0.code == "done 200" })
    #expect(server.requests.count == 400)
    #expect(open.withLock { $0.most } == lanes)
    for job in jobs {
      let states = harness.states(of: job.item.id)
      #expect(states.first == .preparing(attempt: 1), "\(states)")
      guard case .done(let receipt)? = states.last else { continue }
      #expect(receipt.attempts == 1)
    }
  }

  /// Nobody is told of a request before it begins, and it is not what waits for a lane that is late.
  @Test func whatWaitsForALaneHasNotBegun() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try server(until: 2, reached: reached) { connection in
      goOn.pass()
      connection.send(Self.ok)
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    var target = target(server.url(), lanes: 1)
    target.stallTimeout = 120
    let harness = EngineHarness()
    let jobs = try jobs(4, to: target)
    harness.engine.submit(jobs)
    await reached.passed()
    await harness.engine.untilAhead([ItemID(3)])
    #expect(harness.states(of: ItemID(3)).isEmpty)
    #expect(server.requests.count == 2)
    goOn.open()
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 4))
    #expect(server.requests.count == 4)
  }

  @Test(arguments: [
    "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 302 No\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: 3600\r\n\r\n", "",
  ])
  func afterABadEndTheNextOneIsNotBegunBlindly(_ reply: String) async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try server(until: 2, reached: reached) { connection in
      goOn.pass()
      connection.send(reply)
    }
    defer { server.stop() }
    let harness = EngineHarness(waitsForServers: true)
    let jobs = try jobs(3, to: target(server.url(), lanes: 1))
    harness.engine.submit(jobs)
    await reached.passed()
    await harness.engine.untilAhead([ItemID(3)])
    harness.engine.setStarted(false)
    await harness.engine.untilAhead([])
    #expect(harness.states(of: ItemID(3)).isEmpty)
    harness.engine.setStarted(true)
    await harness.engine.untilAhead([ItemID(3)])
    goOn.open()
    await harness.wait { states in
      guard let last = states[ItemID(2)]?.last else { return false }
      return !last.isActive
    }
    // The third one is a matter for the scheduler now, and it may come or not. It does not come ahead.
    #expect(await harness.engine.requestsAhead.isEmpty)
    await harness.engine.shutDown()
    // Where the credentials are refused, it waits for others.
    if reply.contains("401") {
      #expect(harness.states(of: ItemID(3)).isEmpty)
      #expect(server.requests.count == 2)
    }
  }

  @Test(arguments: ["cancel", "pause", "remove"])
  func whatWaitsForALaneCanBeTakenBack(_ how: String) async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try server(until: 2, reached: reached) { connection in
      goOn.pass()
      connection.send(Self.ok)
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let harness = EngineHarness()
    let jobs = try jobs(4, to: target(server.url(), lanes: 1))
    harness.engine.submit(jobs)
    await reached.passed()
    await harness.engine.untilAhead([ItemID(3)])
    switch how {
    case "cancel": harness.engine.cancel([ItemID(3)])
    case "pause": harness.engine.pause([ItemID(3)])
    default: harness.engine.remove([ItemID(3)])
    }
    await harness.engine.untilAhead([ItemID(4)])
    goOn.open()
    let ends = await harness.finish([ItemID(1), ItemID(2), ItemID(4)])
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3))
    #expect(server.requests.count == 3)
    switch how {
    case "cancel":
      #expect(harness.states(of: ItemID(3)) == [.failed(Failure(.cancelled, attempts: 0))])
    case "pause":
      #expect(harness.states(of: ItemID(3)) == [.paused])
      harness.engine.retry([jobs[2]])
      #expect(await harness.finish([ItemID(3)]).map(\.code) == ["done 200"])
    default: break
    }
  }

  @Test func aFileThatCannotBeSentFailsAsUsual() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try server(until: 2, reached: reached) { connection in
      goOn.pass()
      connection.send(Self.ok)
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let harness = EngineHarness()
    let target = target(server.url(), lanes: 1)
    var jobs = try jobs(6, to: target)
    jobs[2] = UploadJob(item: .file(folder.path("none"), id: 3), target: target)
    harness.engine.submit(jobs)
    await reached.passed()
    _ = await harness.finish([ItemID(3)])
    #expect(harness.states(of: ItemID(3)).first == .preparing(attempt: 1))
    // One that changes after it was prepared.
    await harness.engine.untilAhead([ItemID(4)])
    try folder.write("4", count: 2000, seed: 9)
    goOn.open()
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(
      ends.map(\.code) == ["done 200", "done 200", "missing", "changed", "done 200", "done 200"])
    #expect(server.requests.count == 4)
  }
}

extension UploadEngine {
  /// The files whose requests wait for a lane.
  fileprivate var requestsAhead: [ItemID] {
    ahead.withLock { $0 }.compactMap { transfers[$0.transfer]?.shares.first?.item.id }
  }

  fileprivate func untilAhead(_ items: [ItemID]) async {
    while requestsAhead != items, !Task.isCancelled { await Task.yield() }
  }
}
