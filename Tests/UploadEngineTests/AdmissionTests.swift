import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// What the engine's owner is given to write in a turn, before any of it is sent.
@Suite(.timeLimit(.minutes(5)))
struct AdmissionTests {
  private let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// An engine with four lanes whose owner notes what it writes, and how long it takes.
  private struct Owner {
    struct Turn {
      var done: [ItemID] = []
      var claimed: [ItemID] = []
    }

    let engine: UploadEngine
    let turns: Turns

    final class Turns: Sendable {
      let all = Mutex<[Turn]>([])
    }

    init(_ clock: TestClock, secondsOfWrite: Double) {
      let turns = Turns()
      @Sendable func write(_ changes: [(ItemID, ItemState)], _ ids: [ItemID]) {
        clock.work(for: secondsOfWrite)
        let done = changes.filter { $0.1.isFinished }.map(\.0)
        turns.all.withLock { $0.append(Turn(done: done.sorted(), claimed: ids.sorted())) }
      }
      var hooks = EngineHooks()
      hooks.admission = { changes, ids in
        write(changes, ids)
        return Set(ids)
      }
      engine = UploadEngine(lanes: 4, time: clock.time, hooks: hooks) { write($0, []) }
      self.turns = turns
    }

    /// The turns in which something was claimed or done.
    var notable: [Turn] {
      turns.all.withLock { $0.filter { !$0.done.isEmpty || !$0.claimed.isEmpty } }
    }

    func wait(until condition: () async -> Bool) async {
      let limit = ContinuousClock.now + .seconds(60)
      while await !condition(), .now < limit { try? await Task.sleep(for: .milliseconds(2)) }
    }
  }

  private func jobs(_ count: Int, to target: Target) throws -> [UploadJob] {
    try (1...count).map {
      UploadJob(
        item: .file(try folder.write("\($0)", count: 100, seed: UInt64($0)), id: Int64($0)),
        target: target)
    }
  }

  /// A server that keeps requests waiting: the first until `first` opens, the others until `others` does.
  private func server(_ first: Gate, _ others: Gate) throws -> HostileServer {
    let isFirst = Mutex(true)
    return try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        let mine = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        (mine ? first : others).pass()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }

  @Test func whateverHasALaneIsClaimedAtOnce() async throws {
    let (first, others) = (Gate(), Gate())
    let server = try server(first, others)
    defer { server.stop() }
    let owner = Owner(TestClock(), secondsOfWrite: 0)
    owner.engine.submit(try jobs(12, to: .once(server.url())))
    await owner.wait { server.requests.count == 4 }
    #expect(owner.notable.map(\.claimed) == [[1, 2, 3, 4].map { ItemID($0) }])
    first.open()
    others.open()
    await owner.wait { owner.notable.flatMap(\.done).count == 12 }
    var (claimed, done) = (0, 0)
    for turn in owner.notable {
      // What has ended is written before or with what takes its lane.
      done += turn.done.count
      claimed += turn.claimed.count
      #expect(claimed - done <= 4)
    }
    #expect(claimed == 12)
  }

  /// While the disk is slow, ends gather for one write: until nothing is under way, or a short time is over.
  @Test func endsGatherForASlowDisk() async throws {
    let (first, others) = (Gate(), Gate())
    let server = try server(first, others)
    defer { server.stop() }
    let clock = TestClock()
    let owner = Owner(clock, secondsOfWrite: 0.01)
    owner.engine.submit(try jobs(7, to: .once(server.url())))
    await owner.wait { server.requests.count == 4 }
    others.open()
    await owner.wait { await owner.engine.requestsUnderWay == 1 }
    #expect(owner.notable.count == 1)
    clock.advance(by: 0.01)
    await owner.wait { owner.notable.count > 1 }
    #expect(owner.notable[1].done.count == 3)
    #expect(owner.notable[1].claimed.count == 3)
    first.open()
    await owner.wait { owner.notable.flatMap(\.done).count == 7 }
    #expect(owner.notable.count == 3)
    #expect(owner.notable[2].done.count == 4)
  }

  @Test("a file that a person stops while it is admitted is not sent", arguments: [true, false])
  func stoppedAtOnce(_ isCancelled: Bool) async throws {
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let stop = Mutex<@Sendable ([ItemID]) -> Void>({ _ in })
    let last = Mutex<ItemState?>(nil)
    var hooks = EngineHooks()
    hooks.admission = { changes, ids in
      if let state = changes.last?.1 { last.withLock { $0 = state } }
      stop.withLock { $0 }(ids)
      return Set(ids)
    }
    let engine = UploadEngine(hooks: hooks) { changes in
      if let state = changes.last?.1 { last.withLock { $0 = state } }
    }
    stop.withLock { stop in
      stop = { ids in isCancelled ? engine.cancel(ids) : engine.pause(ids) }
    }
    engine.submit(try jobs(1, to: .once(server.url())))
    let limit = ContinuousClock.now + .seconds(10)
    while last.withLock({ $0.map { $0.isFinished || $0 == .paused } }) != true, .now < limit {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(server.requests.isEmpty)
    let state = try #require(last.withLock { $0 })
    #expect(isCancelled ? state.failure?.cause == .cancelled : state == .paused, "\(state)")
  }
}

extension UploadEngine {
  fileprivate var requestsUnderWay: Int { exchanges.underWay.count }
}
