import Dispatch
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
      var released: [ItemID] = []
      var states: [ItemID: ItemState] = [:]
    }

    let engine: UploadEngine
    let turns: Turns

    final class Turns: Sendable {
      let all = Mutex<[Turn]>([])
    }

    /// The disk is busy while `disk` is shut, and allows `ahead` claims for each lane before it is free.
    init(_ disk: Gate? = nil, time: TimeSource = .system, ahead: Int = 1) {
      let turns = Turns()
      let writer = DispatchQueue(label: "test.writer")
      var hooks = EngineHooks()
      hooks.claimsAhead = { _ in ahead }
      hooks.admission = { turn, then in
        let done = turn.changes.filter { $0.1.isFinished }.map(\.0)
        turns.all.withLock {
          $0.append(
            Turn(
              done: done.sorted(), claimed: turn.claims.sorted(), released: turn.released.sorted()))
          for (id, state) in turn.changes { $0[$0.count - 1].states[id] = state }
        }
        writer.async {
          disk?.pass()
          then(Set(turn.claims))
        }
      }
      engine = UploadEngine(lanes: 4, time: time, hooks: hooks, preparesAhead: true) { _ in }
      self.turns = turns
    }

    /// The turns in which something was claimed, released or done.
    var notable: [Turn] {
      turns.all.withLock {
        $0.filter { !$0.done.isEmpty || !$0.claimed.isEmpty || !$0.released.isEmpty }
      }
    }

    var claimed: [ItemID] { notable.flatMap(\.claimed) }
    var released: [ItemID] { notable.flatMap(\.released) }
    var done: [ItemID] { notable.flatMap(\.done) }

    /// What was last said of a file.
    func state(of id: Int64) -> ItemState? {
      turns.all.withLock { $0.compactMap { $0.states[ItemID(id)] }.last }
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

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// A server that answers the second request once `goOn` opens.
  private func serverThatWaits(_ reached: Gate, _ goOn: Gate) throws -> HostileServer {
    let number = Mutex(0)
    return try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        let isSecond = number.withLock { number in
          number += 1
          return number == 2
        }
        if isSecond {
          reached.open()
          goOn.pass()
        }
        connection.send(Self.ok)
      }
    }
  }

  /// On a slow disk, nothing is claimed for a lane that is not free, so that no more files are in doubt than there are
  /// lanes. Where a second copy does no harm, one for each lane is.
  @Test(arguments: [(0, "POST"), (1, "POST"), (2, "POST"), (0, "PUT")])
  func whateverHasALaneIsClaimedAtOnce(_ ahead: Int, _ method: String) async throws {
    let (first, others) = (Gate(), Gate())
    let server = try server(first, others)
    defer { server.stop() }
    // As long as no time passes, nothing is claimed too early.
    let owner = Owner(time: TestClock().time, ahead: ahead)
    var target = Target.once(server.url())
    if method == "PUT" { (target.method, target.body) = ("PUT", .binary) }
    owner.engine.submit(try jobs(12, to: target))
    await owner.wait { server.requests.count == 4 }
    #expect(owner.notable.map(\.claimed) == [[1, 2, 3, 4].map { ItemID($0) }])
    first.open()
    others.open()
    await owner.wait { owner.done.count == 12 }
    var (claimed, done, most) = (0, 0, 0)
    for turn in owner.notable {
      done += turn.done.count
      claimed += turn.claimed.count - turn.released.count
      // One file on each lane, and those that are next. What has ended is written before or with what follows it.
      #expect(claimed - done <= 4 * (1 + (method == "PUT" ? 1 : ahead)))
      most = max(most, claimed - done)
    }
    #expect((most > 4) == (ahead > 0 || method == "PUT"))
    #expect(claimed == 12)
  }

  /// While the disk is busy, nothing of what it is asked to write is sent, but the engine does everything else.
  @Test func theEngineDoesNotWaitForTheDisk() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let disk = Gate()
    let owner = Owner(disk)
    owner.engine.submit(try jobs(6, to: .once(server.url())))
    await owner.wait { owner.claimed.count == 4 }
    // Each of these takes a turn.
    owner.engine.pause([ItemID(5)])
    await owner.wait { owner.state(of: 5) == .paused }
    owner.engine.cancel([ItemID(2)])
    await owner.wait { owner.state(of: 2)?.isFinished == true }
    #expect(owner.released == [ItemID(2)])
    #expect(server.requests.isEmpty)
    disk.open()
    await owner.wait { owner.done.count == 5 }
    #expect(owner.done.sorted() == [1, 2, 3, 4, 6].map { ItemID($0) })
    #expect(server.requests.count == 4)
    #expect(owner.state(of: 2)?.failure?.cause == .cancelled)
  }

  @Test("a stop or an edit while the disk is busy comes before what is claimed")
  func whatComesMeanwhile() async throws {
    let (old, new) = (try HostileServer.answering(Self.ok), try HostileServer.answering(Self.ok))
    defer {
      old.stop()
      new.stop()
    }
    let disk = Gate()
    let owner = Owner(disk)
    let there = try jobs(2, to: .once(old.url()))
    owner.engine.submit(there)
    await owner.wait { owner.claimed.count == 2 }
    #expect(owner.engine.hold([ItemID(1)]).isEmpty)
    owner.engine.setStarted(false)
    await owner.wait { owner.released == [ItemID(1)] }
    disk.open()
    await owner.wait { owner.released.count == 2 }
    #expect(old.requests.isEmpty)
    owner.engine.update([UploadJob(item: there[0].item, target: .once(new.url()))])
    owner.engine.setStarted(true)
    await owner.wait { owner.done.count == 2 }
    #expect(old.requests.count == 1)
    #expect(new.requests.count == 1)
  }

  /// A lane finds its next file claimed, and its request prepared. Such a file has not begun, whatever is done with it.
  @Test("the next file of a lane is claimed, and can be held, paused and removed")
  func claimedAhead() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try serverThatWaits(reached, goOn)
    defer { server.stop() }
    let clock = TestClock()
    let owner = Owner(time: clock.time)
    var target = Target.once(server.url())
    target.concurrency = .fixed(1)
    owner.engine.submit(try jobs(6, to: target))
    await reached.passed()
    await owner.wait { owner.engine.ahead.all.map(\.item) == [ItemID(3)] }
    #expect(owner.claimed == [1, 2, 3].map { ItemID($0) })
    #expect(owner.engine.hold([ItemID(2), ItemID(3)]) == [ItemID(3)])
    await owner.wait { owner.engine.ahead.all.map(\.item) == [ItemID(4)] }
    owner.engine.pause([ItemID(4)])
    await owner.wait { owner.engine.ahead.all.map(\.item) == [ItemID(5)] }
    owner.engine.remove([ItemID(5)])
    await owner.wait { owner.engine.ahead.all.map(\.item) == [ItemID(6)] }
    owner.engine.setStarted(false)
    await owner.wait { owner.released == [3, 4, 5, 6].map { ItemID($0) } }
    #expect(owner.state(of: 4) == .paused)
    goOn.open()
    await owner.wait { owner.done == [1, 2].map { ItemID($0) } }
    #expect(server.requests.count == 2)
    #expect(owner.state(of: 3) == nil)
  }

  @Test("the next files of a lane are claimed, and those that are not held go on in order")
  func claimedFarAhead() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try serverThatWaits(reached, goOn)
    defer { server.stop() }
    // As long as no time passes, nothing is claimed too early.
    let owner = Owner(time: TestClock().time, ahead: 3)
    var target = Target.once(server.url())
    target.concurrency = .fixed(1)
    let jobs = try jobs(8, to: target)
    owner.engine.submit(jobs)
    await reached.passed()
    await owner.wait { owner.engine.ahead.all.map(\.item) == [3, 4, 5].map { ItemID($0) } }
    #expect(owner.engine.hold([ItemID(4)]) == [ItemID(4)])
    await owner.wait { owner.engine.ahead.all.map(\.item) == [3, 5, 6].map { ItemID($0) } }
    owner.engine.move(ItemID(8), before: ItemID(3))
    await owner.wait { owner.engine.ahead.all.map(\.item) == [8, 3, 5].map { ItemID($0) } }
    goOn.open()
    await owner.wait { owner.done.count == 7 }
    let names = server.requests.map { request in
      String(decoding: request.body, as: UTF8.self).firstMatch(of: /filename="([^"]*)"/)?.1
    }
    #expect(names == ["1", "2", "8", "3", "5", "6", "7"])
    #expect(owner.state(of: 4) == nil)
  }

  /// Where the disk was slower than the server, lanes are empty until it is free.
  @Test("a lane that is empty gets its file before the others that were claimed are prepared")
  func emptyLane() async throws {
    struct Disk {
      var isShut = false
      var claims: [[ItemID]] = []
      var waiting: [@Sendable () -> Void] = []
      var changes: [(ItemID, ItemState)] = []

      func place(of id: Int64, where isMeant: (ItemState) -> Bool) -> Int? {
        changes.firstIndex { $0.0 == ItemID(id) && isMeant($0.1) }
      }
    }
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let disk = Mutex(Disk())
    var hooks = EngineHooks()
    hooks.claimsAhead = { _ in 3 }
    hooks.admission = { turn, then in
      let isShut = disk.withLock { disk in
        disk.changes += turn.changes
        if turn.claims.contains(where: { $0 > ItemID(5) }) { disk.isShut = true }
        if !turn.claims.isEmpty { disk.claims.append(turn.claims) }
        if disk.isShut { disk.waiting.append { then(Set(turn.claims)) } }
        return disk.isShut
      }
      if !isShut { then(Set(turn.claims)) }
    }
    // As long as no time passes, nothing is claimed too early.
    let engine = UploadEngine(
      lanes: 4, time: TestClock().time, hooks: hooks, preparesAhead: true
    ) { _ in }
    var target = Target.once(server.url())
    target.concurrency = .fixed(1)
    let jobs = try jobs(9, to: target)
    engine.submit(jobs)
    func wait(until condition: @Sendable (Disk) -> Bool) async {
      let limit = ContinuousClock.now + .seconds(60)
      while !disk.withLock({ condition($0) }), .now < limit {
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
    await wait { $0.place(of: 5, where: \.isFinished) != nil && $0.claims.joined().count == 9 }
    #expect(server.requests.count == 5)
    try FileManager.default.removeItem(atPath: jobs[8].item.location.description)
    // All claims are answered within one turn of the engine.
    engine.onQueue { _ in
      let waiting = disk.withLock { disk in
        disk.isShut = false
        return exchange(&disk.waiting, with: [])
      }
      for then in waiting { then() }
    }
    await wait { disk in (6...9).allSatisfy { disk.place(of: $0, where: \.isFinished) != nil } }
    let places = disk.withLock { disk in
      (disk.place(of: 6, where: \.isPreparing), disk.place(of: 9, where: \.isFailed))
    }
    let (begun, failed) = (try #require(places.0), try #require(places.1))
    #expect(begun < failed)
  }

  @Test("a claimed file goes back if its lane does not become free soon")
  func claimedTooEarly() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try serverThatWaits(reached, goOn)
    defer { server.stop() }
    let clock = TestClock()
    let owner = Owner(time: clock.time)
    var target = Target.once(server.url())
    target.concurrency = .fixed(1)
    owner.engine.submit(try jobs(4, to: target))
    await reached.passed()
    await owner.wait { owner.engine.ahead.all.map(\.item) == [ItemID(3)] }
    clock.advance(by: 1)
    await owner.wait { owner.released == [ItemID(3)] }
    #expect(owner.engine.ahead.all.isEmpty)
    goOn.open()
    await owner.wait { owner.done.count == 4 }
    #expect(server.requests.count == 4)
  }

  /// Its owner may read that it waits, as it was edited elsewhere, before the engine hears that it was not admitted.
  @Test("a file that is put back before its refusal is known is sent")
  func putBackBeforeRefusal() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let claims = Mutex(0)
    let isDone = Mutex(false)
    let putBack = Mutex<@Sendable ([ItemID]) -> Void>({ _ in })
    var hooks = EngineHooks()
    hooks.admission = { turn, then in
      if turn.changes.contains(where: { $0.1.isDone }) { isDone.withLock { $0 = true } }
      if turn.claims.isEmpty { return then([]) }
      let isFirst = claims.withLock { claims in
        claims += 1
        return claims == 1
      }
      if isFirst { putBack.withLock { $0 }(turn.claims) }
      then(isFirst ? [] : Set(turn.claims))
    }
    let engine = UploadEngine(hooks: hooks) { _ in }
    putBack.withLock { $0 = { engine.putBack(setAside: $0) } }
    engine.submit(try jobs(1, to: .once(server.url())))
    try await wait(for: "the file to be sent") { isDone.withLock { $0 } ? true : nil }
    #expect(server.requests.count == 1)
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
    hooks.admission = { turn, then in
      if let state = turn.changes.last?.1 { last.withLock { $0 = state } }
      if !turn.claims.isEmpty { stop.withLock { $0 }(turn.claims) }
      then(Set(turn.claims))
    }
    let engine = UploadEngine(hooks: hooks) { _ in }
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
