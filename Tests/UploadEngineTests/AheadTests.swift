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
    target.concurrency = .fixed(lanes)
    return target
  }

  /// Files for one lane, whose second request is with the server and gets no reply before `goOn` opens. The third is
  /// prepared by then.
  private struct Queue {
    let harness: EngineHarness
    let jobs: [UploadJob]
    let server: HostileServer
    let goOn: Gate

    /// - Parameter reply: what the second request gets; the connection ends behind any other than the usual one.
    init(
      _ tests: AheadTests, _ count: Int, reply: String = AheadTests.ok, missing: Int? = nil,
      waitsForServers: Bool = false
    ) async throws {
      let (reached, goOn) = (Gate(), Gate())
      self.goOn = goOn
      let number = Mutex(0)
      server = try HostileServer { connection, _ in
        while connection.readRequest() != nil {
          let current = number.withLock { number in
            number += 1
            return number
          }
          if current == 2 {
            reached.open()
            goOn.pass()
          }
          connection.send(current == 1 ? AheadTests.ok : reply)
          if current > 1, reply != AheadTests.ok { return }
        }
      }
      let target = tests.target(server.url(), lanes: 1)
      var jobs = try tests.jobs(count, to: target)
      if let missing {
        jobs[missing - 1] = UploadJob(
          item: .file(tests.folder.path("none"), id: Int64(missing)), target: target)
      }
      self.jobs = jobs
      harness = EngineHarness(waitsForServers: waitsForServers)
      harness.engine.submit(jobs)
      await reached.passed()
      await harness.engine.untilAhead([ItemID(missing == 3 ? 4 : 3)])
    }

    func states(of number: Int64) -> [ItemState] { harness.states(of: ItemID(number)) }
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

  /// A request is not reported before it begins, and waiting for a lane does not make it late.
  @Test func whatWaitsForALaneHasNotBegun() async throws {
    let queue = try await Queue(self, 4)
    defer { queue.server.stop() }
    #expect(queue.states(of: 3).isEmpty)
    #expect(queue.server.requests.count == 2)
    queue.goOn.open()
    let ends = await queue.harness.finish(queue.jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 4))
    #expect(queue.server.requests.count == 4)
  }

  @Test(arguments: [
    "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 302 No\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: 3600\r\n\r\n", "",
  ])
  func afterABadEndTheNextOneIsNotBegunBlindly(_ reply: String) async throws {
    let queue = try await Queue(self, 3, reply: reply, waitsForServers: true)
    defer { queue.server.stop() }
    let engine = queue.harness.engine
    engine.setStarted(false)
    await engine.untilAhead([])
    #expect(queue.states(of: 3).isEmpty)
    engine.setStarted(true)
    await engine.untilAhead([ItemID(3)])
    queue.goOn.open()
    await queue.harness.wait { states in
      guard let last = states[ItemID(2)]?.last else { return false }
      return !last.isActive
    }
    // The third one is a matter for the scheduler now, and it may come or not. It does not come ahead.
    #expect(await engine.requestsAhead.isEmpty)
    await engine.shutDown()
  }

  @Test(arguments: ["cancel", "pause", "remove"])
  func whatWaitsForALaneCanBeTakenBack(_ how: String) async throws {
    let queue = try await Queue(self, 4)
    defer { queue.server.stop() }
    let (engine, third) = (queue.harness.engine, [ItemID(3)])
    switch how {
    case "cancel": engine.cancel(third)
    case "pause": engine.pause(third)
    default: engine.remove(third)
    }
    await engine.untilAhead([ItemID(4)])
    queue.goOn.open()
    let ends = await queue.harness.finish([ItemID(1), ItemID(2), ItemID(4)])
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3))
    #expect(queue.server.requests.count == 3)
    switch how {
    case "cancel": #expect(queue.states(of: 3) == [.failed(Failure(.cancelled, attempts: 0))])
    case "pause":
      #expect(queue.states(of: 3) == [.paused])
      engine.retry([queue.jobs[2]])
      #expect(await queue.harness.finish(third).map(\.code) == ["done 200"])
    default: break
    }
  }

  @Test func aFileThatCannotBeSentFailsAsUsual() async throws {
    let queue = try await Queue(self, 6, missing: 3)
    defer { queue.server.stop() }
    _ = await queue.harness.finish([ItemID(3)])
    #expect(queue.states(of: 3).first == .preparing(attempt: 1))
    // The fourth changes after it was prepared.
    try folder.write("4", count: 500, seed: 9)
    queue.goOn.open()
    let ends = await queue.harness.finish(queue.jobs.map(\.item.id))
    #expect(
      ends.map(\.code) == ["done 200", "done 200", "missing", "changed", "done 200", "done 200"])
    #expect(queue.server.requests.count == 4)
  }
}

extension UploadEngine {
  /// The files whose requests wait for a lane.
  fileprivate var requestsAhead: [ItemID] {
    ahead.all.compactMap { exchanges[$0.task.taskIdentifier]?.firstItem }
  }

  fileprivate func untilAhead(_ items: [ItemID]) async {
    let limit = ContinuousClock.now + .seconds(60)
    while requestsAhead != items, .now < limit { await Task.yield() }
    #expect(requestsAhead == items)
  }
}
