import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

@Suite(.timeLimit(.minutes(5)))
struct ControlTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// A server that reads the head and a little of the body, opens `reached`, and goes on reading
  /// when `goOn` is passed.
  private func haltingServer(reached: Gate, goOn: Gate) throws -> HostileServer {
    try HostileServer { connection, _ in
      guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
      reached.open()
      goOn.pass()
      connection.drain()
    }
  }

  @Test(arguments: [
    (Failure.FileChange.shrank, "truncate"), (.modified, "write"), (.replaced, "rename"),
  ])
  func aFileThatChangesWhileItIsSentFails(_ change: Failure.FileChange, by: String) async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try haltingServer(reached: reached, goOn: goOn)
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 30_000_000)
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: .once(server.url()))])
    await reached.passed()

    switch change {
    case .shrank: truncate(path, 20_000_000)
    case .modified:
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      try file.seek(toOffset: 5)
      try file.write(contentsOf: Data("x".utf8))
      try file.close()
    default:
      rename(try folder.write("b.bin", count: 30_000_000, seed: 2), path)
    }
    goOn.open()
    let ends = await harness.finish([ItemID(1)])
    #expect(ends.first?.failure?.cause == .changed(change), "\(ends)")
    #expect(server.requests.isEmpty, "the server never got a whole body")
  }

  @Test func aFileWhoseCompanionChangesWhileItIsSentFails() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try haltingServer(reached: reached, goOn: goOn)
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 1000)
    let film = try folder.write("a.mov", count: 30_000_000)
    var target = Target.once(server.url())
    var rule = CompanionRule()
    rule.files = [try Template("{file.stem}.mov")]
    target.companions = [rule]
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: target)])
    await reached.passed()
    truncate(film, 20_000_000)
    goOn.open()
    let ends = await harness.finish([ItemID(1)])
    let words = ends.first?.failure?.explanation
    #expect(words?.contains("a.mov, which goes with it, cannot be sent") == true, "\(ends)")
    #expect(server.requests.isEmpty)
  }

  @Test func anEngineThatIsShutDownWaitsForRepliesWhereItIsToldTo() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try HostileServer { connection, _ in
      guard let head = connection.readHead(),
        let length = Int(head.headers["content-length"] ?? ""), connection.read(1000) != nil
      else { return }
      if length > 1_000_000 { reached.open() }
      goOn.pass()
      guard connection.discard(length - 1000) else { return }
      connection.send(Self.ok)
    }
    defer { server.stop() }
    let (small, large) = (ItemID(1), ItemID(2))
    let harness = EngineHarness()
    harness.engine.submit([
      UploadJob(
        item: .file(try folder.write("small.bin", count: 10_000), id: 1),
        target: .once(server.url())),
      UploadJob(
        item: .file(try folder.write("large.bin", count: 30_000_000), id: 2),
        target: .once(server.url())),
    ])
    await reached.passed()
    await harness.wait { $0[small]?.last?.isHandedOver == true }
    async let end: Void = harness.engine.shutDown(awaitingReplies: 120)
    // What can be taken back is not waited for.
    await harness.wait { $0[large]?.last?.isFinished == true }
    #expect(harness.states(of: large).last?.failure?.cause == .cancelled)
    #expect(harness.states(of: small).last?.isHandedOver == true)
    goOn.open()
    await end
    #expect(harness.states(of: small).last?.isDone == true)
  }

  @Test func aFileThatChangedSinceItWasQueuedIsNotSent() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let path = try folder.write("a.txt", Array("before".utf8))
    let item = UploadItem.file(path, id: 1)
    try folder.write("a.txt", Array("after".utf8))
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: .once(server.url()))])
    let ends = await harness.finish([ItemID(1)])
    #expect(ends.first?.failure?.code == "changed", "\(ends)")
    #expect(server.requests.isEmpty)
  }

  @Test func whatIsNoFileSaysSo() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let fifo = "\(folder.path)/fifo"
    mkfifo(fifo, 0o600)
    let paths = ["\(folder.path)/none", folder.path, fifo, try folder.write("empty", [])]
    let ends = await EngineHarness().upload(paths, to: .once(server.url()))
    #expect(ends.map(\.code) == ["missing", "not-a-file", "not-a-file", "done 200"], "\(ends)")
    #expect(server.requests.count == 1)
  }

  @Test func cancelInTheMiddleEndsThatOneOnly() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try haltingServer(reached: reached, goOn: goOn)
    let kind = try HostileServer.answering(Self.ok)
    defer {
      server.stop()
      kind.stop()
    }
    let path = try folder.write("a.bin", count: 30_000_000)
    let small = try folder.write("b.bin", count: 10)
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit([
      UploadJob(item: .file(path, id: 1), target: .once(server.url())),
      UploadJob(item: .file(small, id: 2), target: .once(kind.url())),
    ])
    await reached.passed()
    harness.engine.cancel([ItemID(1)])
    let ends = await harness.finish([ItemID(1), ItemID(2)])
    goOn.open()
    #expect(ends.map(\.code) == ["cancelled", "done 200"], "\(ends)")
  }

  @Test func pauseTakesItOutAndRetrySendsItFromTheStart() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let requests = Mutex(0)
    let server = try HostileServer { connection, number in
      if number == 0 {
        guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
        reached.open()
        goOn.pass()
        return
      }
      guard let request = connection.readRequest() else { return }
      requests.withLock { $0 = request.body.count }
      connection.send(Self.ok)
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 30_000_000)
    let harness = EngineHarness()
    let job = UploadJob(item: .file(path, id: 1), target: .once(server.url()))
    harness.engine.submit([job])
    await reached.passed()
    harness.engine.pause([ItemID(1)])
    await harness.wait { $0[ItemID(1)]?.last == .paused }
    goOn.open()
    harness.engine.retry([job])
    let ends = await harness.finish([ItemID(1)])
    #expect(ends.map(\.code) == ["done 200"])
    #expect(requests.withLock { $0 } > 30_000_000)
  }

  /// How a server answers that takes its time.
  private enum Answer: CaseIterable { case late, inTwoWrites, lateAndClosing }

  /// Nobody could tell what became of a small file whose upload is broken off while its reply is on its way.
  @Test(arguments: Answer.allCases)
  private func aPauseLeavesToEndWhatTheServerHas(_ answer: Answer) async throws {
    let server = try HostileServer { connection, _ in
      let closing = answer == .lateAndClosing ? "Connection: close\r\n" : ""
      let head = "HTTP/1.1 200 OK\r\n\(closing)Content-Length: 11\r\n\r\n"
      while connection.readRequest() != nil {
        if answer == .inTwoWrites { connection.send(head) }
        usleep(4_000)
        connection.send(answer == .inTwoWrites ? "{\"ok\":true}" : "\(head){\"ok\":true}")
        if answer == .lateAndClosing { return }
      }
    }
    defer { server.stop() }
    let jobs = try (1...200).map { id in
      UploadJob(
        item: .file(try folder.write("\(id)", count: 9, seed: UInt64(id)), id: Int64(id)),
        target: .once(server.url()))
    }
    let ids = jobs.map(\.item.id)
    let harness = EngineHarness(lanes: 3)
    harness.engine.submit(jobs)
    var sent = 0
    while sent < ids.count {
      let least = min(sent + 10, ids.count)
      await harness.wait { states in
        states.values.count { $0.last?.isFinished == true } >= least
      }
      harness.engine.pause(ids)
      await harness.wait { states in
        ids.allSatisfy { states[$0]?.last?.isFinished == true || states[$0]?.last == .paused }
      }
      sent = ids.count { harness.states(of: $0).last?.isFinished == true }
      harness.engine.retry(jobs.filter { harness.states(of: $0.item.id).last == .paused })
    }
    let ends = ids.compactMap { harness.states(of: $0).last }
    #expect(ends.count { $0.code != "done 200" } == 0)
    #expect(ends.count { $0.receipt?.doubt != nil } == 0)
    #expect(server.requests.count == ids.count)
  }

  @Test func noMoreThanTheLanesAreUnderWay() async throws {
    let underWay = Mutex((now: 0, most: 0))
    let server = try HostileServer { connection, _ in
      while connection.readHead() != nil {
        underWay.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        _ = connection.read(1000)
        underWay.withLock { $0.now -= 1 }
        // Whatever is left of the body: the reply ends the request.
        connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        connection.drain()
      }
    }
    defer { server.stop() }
    let paths = try (0..<40).map { try folder.write("\($0)", count: 5000, seed: $0) }
    let ends = await EngineHarness(lanes: 3).upload(paths, to: .once(server.url()))
    #expect(ends.allSatisfy { $0.code == "done 200" })
    #expect(underWay.withLock { $0.most } <= 3)
  }

  @Test func eachTargetHasItsOwnConcurrencyUnderTheLanes() async throws {
    let underWay = Mutex<[String: Int]>([:])
    let most = Mutex<[String: Int]>([:])
    let server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        let name = String(head.line.split(separator: " ")[1])
        for name in [name, "all"] {
          let now = underWay.withLock { counts in
            counts[name, default: 0] += 1
            return counts[name, default: 0]
          }
          most.withLock { $0[name] = max($0[name] ?? 0, now) }
        }
        _ = connection.read(1000)
        for name in [name, "all"] { underWay.withLock { $0[name, default: 0] -= 1 } }
        connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        connection.drain()
      }
    }
    defer { server.stop() }
    var jobs: [UploadJob] = []
    for (name, concurrency) in [("one", 1), ("three", 3), ("wide", 64)] {
      var target = Target.once(server.url("/\(name)"))
      (target.name, target.concurrency) = (name, .fixed(concurrency))
      for _ in 0..<15 {
        let path = try folder.write("\(jobs.count)", count: 5000, seed: UInt64(jobs.count))
        jobs.append(
          UploadJob(item: .file(path, id: Int64(jobs.count + 1)), target: target))
      }
    }
    let harness = EngineHarness(lanes: 6)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" })
    let counts = most.withLock { $0 }
    #expect(counts["/one"] == 1 && counts["/three", default: 9] <= 3, "\(counts)")
    #expect(counts["all", default: 9] <= 6, "\(counts)")
  }

  @Test("figures go on when a file that has failed is removed, and start anew once nothing is left")
  func figures() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.contains("/no")
            ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" : Self.ok)
      }
    }
    defer { server.stop() }
    let harness = EngineHarness()
    func send(_ number: Int64, _ path: String, _ count: Int) async throws -> Int64 {
      var target = Target.once(server.url(path))
      target.name = path
      let file = try folder.write("\(number)", count: count)
      harness.engine.submit([UploadJob(item: .file(file, id: number), target: target)])
      _ = await harness.finish([ItemID(number)])
      return await harness.engine.figures.bytes
    }
    _ = try await send(1, "/no", 10)
    let first = try await send(2, "/yes", 5000)
    #expect(first >= 5000)
    harness.engine.remove([ItemID(1)])
    #expect(try await send(3, "/yes", 1000) >= first + 1000)
    harness.engine.remove([ItemID(2), ItemID(3)])
    #expect(try await send(4, "/yes", 1000) < first)
  }

  @Test func manySmallFilesShareConnections() async throws {
    let connections = Mutex(0)
    let server = try HostileServer { connection, _ in
      connections.withLock { $0 += 1 }
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let paths = try (0..<200).map { try folder.write("\($0)", count: 500, seed: $0) }
    let ends = await EngineHarness(lanes: 4).upload(paths, to: .once(server.url()))
    #expect(ends.allSatisfy { $0.code == "done 200" })
    #expect(server.requests.count == 200)
    #expect(connections.withLock { $0 } <= 8)
  }

  /// Removes files and submits them again before the engine can hear of an end.
  private func putBack(_ jobs: [UploadJob], _ engine: isolated UploadEngine) {
    engine.remove(jobs.map(\.item.id))
    engine.submit(jobs)
    engine.arrange(jobs.map(\.item.id))
  }

  @Test func whatIsPutBackWhileItIsBrokenOffIsSentAgain() async throws {
    let reached = Gate()
    let server = try HostileServer { connection, number in
      guard number == 0 else {
        if connection.discardRequest() { connection.send(Self.ok) }
        return
      }
      guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
      reached.open()
      connection.stall()
    }
    defer { server.stop() }
    let harness = EngineHarness()
    let path = try folder.write("a.bin", count: 30_000_000)
    let job = UploadJob(item: .file(path, id: 1), target: .once(server.url()))
    harness.engine.submit([job])
    await reached.passed()
    await putBack([job], harness.engine)
    let ends = await harness.finish([ItemID(1)])
    guard case .done? = ends.last else {
      Issue.record("\(harness.states(of: ItemID(1)))")
      return
    }
    #expect(!harness.states(of: ItemID(1)).contains { $0.failure != nil }, "its end was not told")
  }

  /// Hundreds of files are taken out and put back at once, some of them under way: no end is reported for them, and
  /// their order is the old one.
  @Test func whatIsPutBackIsWhereItWasAndAsItWas() async throws {
    let reached = Gate()
    let isFirst = Mutex(true)
    let server = try HostileServer { connection, number in
      let wasFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if wasFirst {
        _ = connection.readHead()
        reached.open()
        return connection.stall()
      }
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let harness = EngineHarness(lanes: 1)
    let jobs = try (1...Effort.of(300, long: 1000)).map { id in
      UploadJob(
        item: .file(try folder.write("\(id)", count: id == 1 ? 30_000_000 : 1), id: Int64(id)),
        target: .once(server.url()))
    }
    harness.engine.submit(jobs)
    await reached.passed()
    let ids = jobs.map(\.item.id)
    await putBack(jobs, harness.engine)
    let ends = await harness.finish(ids)
    #expect(ends.allSatisfy { $0.code == "done 200" })
    #expect(ids.allSatisfy { !harness.states(of: $0).contains { $0.failure != nil } })
    #expect(harness.states(of: ids[0]).contains(.waiting), "that it waits again, is told")
    let names = try server.requests.map { try $0.files().first?.name }
    // As one value: the differences of two long lists would take minutes to work out.
    let isInOrder = names == ids.map { "\($0.rawValue)" }
    #expect(isInOrder)
  }

  @Test func whatWaitsIsSentInTheOrderThatIsAskedForAndAsItWasEdited() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        if String(decoding: request.body, as: UTF8.self).contains("\"1.bin\"") {
          reached.open()
          goOn.pass()
        }
        connection.send(Self.ok)
      }
    }
    defer { server.stop() }
    // A push, which prepares ahead, has no order to change.
    let harness = EngineHarness(lanes: 1, preparesAhead: false)
    var jobs: [UploadJob] = []
    for id in 1...4 as ClosedRange<Int64> {
      let path = try folder.write("\(id).bin", count: 10)
      jobs.append(UploadJob(item: .file(path, id: id), target: .once(server.url())))
    }
    harness.engine.submit(jobs)
    await reached.passed()
    harness.engine.arrange([4, 2, 3].map { ItemID($0) })
    var edited = jobs[1].item
    edited.fileName = "two.txt"
    harness.engine.update([UploadJob(item: edited, target: .once(server.url("/elsewhere")))])
    goOn.open()
    _ = await harness.finish(jobs.map(\.item.id))
    let names = server.requests.compactMap { request in
      String(decoding: request.body, as: UTF8.self).firstMatch(of: /filename="([^"]*)"/)?.1
    }
    #expect(names == ["1.bin", "4.bin", "two.txt", "3.bin"])
    #expect(server.requests.map(\.line)[2] == "POST /elsewhere HTTP/1.1")
  }

  @Test func whatIsBeingEditedDoesNotGoAsItWas() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let jobs = try (1...3).map { id in
      UploadJob(
        item: .file(try folder.write("\(id).bin", count: 10), id: Int64(id)),
        target: .once(server.url("/old")))
    }
    let harness = EngineHarness(lanes: 1, preparesAhead: false)
    harness.engine.setStarted(false)
    harness.engine.submit(jobs)
    _ = harness.engine.hold([ItemID(2)])
    harness.engine.setStarted(true)
    _ = await harness.finish([ItemID(1), ItemID(3)])
    harness.engine.update([UploadJob(item: jobs[1].item, target: .once(server.url("/new")))])
    #expect(await harness.finish([ItemID(2)]).map(\.code) == ["done 200"])
    let lines = server.requests.map(\.line)
    #expect(lines == ["/old", "/old", "/new"].map { "POST \($0) HTTP/1.1" })
  }

  @Test func whatIsHeldIsSentIfItIsTriedAgain() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let job = UploadJob(
      item: .file(try folder.write("a.bin", count: 10), id: 1), target: .once(server.url()))
    let harness = EngineHarness(lanes: 1, preparesAhead: false)
    harness.engine.setStarted(false)
    harness.engine.submit([job])
    _ = harness.engine.hold([ItemID(1)])
    harness.engine.setStarted(true)
    harness.engine.retry([job])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 200"])
  }

  /// The kernel takes megabytes that a slow server has not read: these do not go on to it, and there is no doubt.
  @Test(arguments: [true, false])
  func whatIsTakenBackDoesNotArriveFromBuffers(isPaused: Bool) async throws {
    let (reached, goOn, isOver) = (Gate(), Gate(), DispatchSemaphore(value: 0))
    let received = Mutex(0)
    let server = try HostileServer(receiveBuffer: 64 << 10) { connection, _ in
      guard connection.readHead() != nil else { return }
      reached.open()
      goOn.pass()
      // Whatever is read makes room for more of it, until the reset has come.
      connection.stall(atMost: .seconds(20))
      while connection.read(1) != nil { received.withLock { $0 += 1 } }
      isOver.signal()
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 1_500_000)
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: .once(server.url()))])
    await reached.passed()
    await harness.wait { states in
      states[ItemID(1)]?.contains { if case .sending = $0 { true } else { false } } == true
    }
    if isPaused {
      harness.engine.pause([ItemID(1)])
      await harness.wait {
        $0[ItemID(1)]?.last == .paused || $0[ItemID(1)]?.last?.isFinished == true
      }
    } else {
      harness.engine.cancel([ItemID(1)])
      _ = await harness.finish([ItemID(1)])
    }
    #expect(harness.states(of: ItemID(1)).last?.code == (isPaused ? "unfinished" : "cancelled"))
    goOn.open()
    await isOver.passed()
    #expect(received.withLock { $0 } < 1_000_000)
  }

  private enum Stop: CaseIterable { case cancel, shutDown }

  /// If the rest is small, all of it is in the kernel's buffer. While a slow server still reads what came before it,
  /// the server certainly lacks that rest: nobody has to wait for a reply, and there is no doubt.
  @Test(arguments: Stop.allCases)
  private func aRestThatHasNotLeftIsMissing(by stop: Stop) async throws {
    let (reached, isOver) = (Gate(), DispatchSemaphore(value: 0))
    let received = Mutex(0)
    let server = try HostileServer(receiveBuffer: 8192) { connection, _ in
      guard let head = connection.readHead() else { return }
      let length = Int(head.headers["content-length"] ?? "") ?? 0
      var left = length
      // Never faster than 100 kB/s, and after that never faster than 20 kB/s.
      while left > 50_000, connection.readNoMore(min(left, 1000)) != nil {
        usleep(10_000)
        left -= 1000
      }
      reached.open()
      while left > 30_000, connection.readNoMore(1000) != nil {
        usleep(50_000)
        left -= 1000
      }
      connection.stall()
      while connection.readNoMore(1) != nil { left -= 1 }
      received.withLock { $0 = length - left }
      isOver.signal()
    }
    defer { server.stop() }
    let path = try folder.write("a.bin", count: 150_000)
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: .once(server.url()))])
    await reached.passed()
    switch stop {
    case .cancel: harness.engine.cancel([ItemID(1)])
    // Less than the rest takes.
    case .shutDown: await harness.engine.shutDown(awaitingReplies: 0.2)
    }
    let ends = await harness.finish([ItemID(1)])
    #expect(ends.map(\.code) == ["cancelled"], "\(ends)")
    await isOver.passed()
    #expect(received.withLock { $0 } < 150_000)
  }
}
