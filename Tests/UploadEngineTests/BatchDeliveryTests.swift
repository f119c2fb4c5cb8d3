import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

extension HostileServer.SeenRequest {
  /// The parts of a form, in order, each with its field and its file name.
  func files() throws -> [(field: String, name: String, content: [UInt8])] {
    var files: [(field: String, name: String, content: [UInt8])] = []
    var parser = FormParser(boundary: try Boundary(contentType: headers["content-type"] ?? ""))
    try body.withUnsafeBytes { bytes in
      try parser.push(bytes) { event in
        switch event {
        case .partBegan(let header):
          files.append((header.name, header.fileName ?? header.name, []))
        case .content(let bytes): files[files.count - 1].content += bytes
        case .partEnded: break
        }
      }
    }
    try parser.finish()
    return files
  }
}

/// Several files in one request, against servers that take it, refuse it or break it off.
@Suite(.timeLimit(.minutes(5)))
struct BatchDeliveryTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private func target(
    _ url: URL, files: Int = 10, bytes: Int64 = 1 << 30, splits: Bool = false,
    retry: RetryPolicy = RetryPolicy(attempts: 1)
  ) -> Target {
    var target = Target(name: "test", url: url)
    target.fields = []
    target.retry = retry
    target.stallTimeout = 120
    target.batch = BatchRule(maxFiles: files, maxBytes: bytes, splitsRefused: splits)
    return target
  }

  /// Files of a size, named 1, 2, … and each with another content.
  private func jobs(_ sizes: [Int], to target: Target) throws -> [UploadJob] {
    try sizes.enumerated().map { index, size in
      let path = try folder.write("\(index + 1)", count: size, seed: UInt64(index + 1))
      return UploadJob(item: .file(path, id: Int64(index + 1)), target: target)
    }
  }

  private func names(_ server: HostileServer) throws -> [[String]] {
    try server.requests.map { try $0.files().map(\.name) }
  }

  private func attempts(_ ends: [ItemState]) -> [Int] {
    ends.map { end in
      switch end {
      case .done(let receipt): receipt.attempts
      case .failed(let failure): failure.attempts
      case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused: -1
      }
    }
  }

  /// After a crash the server shall know the repetition of a request as well.
  @Test func aRequestHasTheSameKeyWheneverItIsMadeOfTheSameFiles() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var target = target(server.url(), files: 2)
    let key = try Template("{uuid}", lookup: Template.Lookup(environment: { _ in nil }))
    target.headers = [.init(name: "Idempotency-Key", value: key)]
    let jobs = try jobs([1, 2, 3, 4, 5], to: target)
    for _ in 1...2 {
      let harness = EngineHarness(lanes: 1)
      harness.engine.submit(jobs)
      _ = await harness.finish(jobs.map(\.item.id))
    }
    let keys = server.requests.map { $0.headers["idempotency-key"] ?? "" }
    #expect(keys.count == 6 && Array(keys[..<3]) == Array(keys[3...]) && Set(keys).count == 3)
    #expect(keys[2] == jobs[4].item.uuid.uuidString.lowercased(), "a file alone has its own")
    #expect(keys.allSatisfy { UUID(uuidString: $0) != nil })
  }

  @Test func filesArriveInBatchesByteForByte() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let jobs = try jobs((0..<25).map { $0 * 997 }, to: target(server.url()))
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(try names(server).map(\.count) == [10, 10, 5])
    let arrived = try server.requests.flatMap { try $0.files() }
    #expect(arrived.map(\.name) == (1...25).map { "\($0)" })
    for (job, file) in zip(jobs, arrived) {
      #expect(
        try Data(contentsOf: URL(filePath: job.item.location.description)) == Data(file.content))
    }
    for (end, job) in zip(ends, jobs) {
      guard case .done(let receipt) = end else { continue }
      #expect(receipt.bytes == job.item.size && receipt.reply.text == "ok")
    }
    for job in jobs {
      let words = harness.states(of: job.item.id).map { "\($0)".prefix { $0 != "(" } }
      #expect(
        words.first == "preparing" && words.suffix(2) == ["awaitingReply", "done"], "\(words)")
    }
  }

  @Test func twoFilesOfOneNameDoNotGoTogether() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let paths = try ["a/x", "b/x", "b/y"].map { try folder.write($0, count: 5) }
    var target = target(server.url())
    let ends = await EngineHarness(lanes: 1).upload(paths, to: target)
    #expect(ends.map(\.code) == ["done 200", "would-overwrite", "done 200"])
    target.takesSameNames = true
    let both = await EngineHarness(lanes: 1).upload(paths, to: target)
    #expect(both.allSatisfy { $0.code == "done 200" })
    #expect(try names(server) == [["x", "y"], ["x", "x", "y"]])
  }

  @Test func nothingIsOverwrittenAtAnAddress() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let paths = try ["a/x", "b/x"].map { try folder.write($0, count: 5) }
    var target = Target(name: "t", url: server.url("/"))
    target.method = "PUT"
    target.concurrency = 1
    target.body = .binary
    target.address = try Template(
      "\(server.url("/").absoluteString){file.name}", escaping: .url,
      lookup: Template.Lookup(environment: { _ in nil }))
    let ends = await EngineHarness(lanes: 1).upload(paths, to: target)
    #expect(ends.map(\.code) == ["done 200", "would-overwrite"])
    #expect(server.requests.map(\.line) == ["PUT /x HTTP/1.1"])
  }

  @Test func aBatchHoldsNoMoreBytesThanItMay() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let jobs = try jobs([400, 400, 400, 2000, 100, 100], to: target(server.url(), bytes: 1000))
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    _ = await harness.finish(jobs.map(\.item.id))
    #expect(try names(server) == [["1", "2"], ["3"], ["4"], ["5", "6"]])
  }

  @Test func filesOfOtherTargetsAndFieldsGoTheirOwnWay() async throws {
    let (one, other) = (try HostileServer.answering(Self.ok), try HostileServer.answering(Self.ok))
    defer {
      one.stop()
      other.stop()
    }
    var jobs = try jobs(Array(repeating: 10, count: 6), to: target(one.url()))
    for index in [1, 3] {
      jobs[index] = UploadJob(item: jobs[index].item, target: target(other.url()))
    }
    jobs[4].item.field = "extra"
    // The one that the target has anyway.
    jobs[2].item.field = "file"
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    _ = await harness.finish(jobs.map(\.item.id))
    #expect(try names(one) == [["1", "3", "6"], ["5"]])
    #expect(try names(other) == [["2", "4"]])
  }

  @Test func eachFileShowsItsOwnProgress() async throws {
    // Far beyond what the kernel holds between the two ends.
    let (semaphore, size) = (DispatchSemaphore(value: 0), Int64(200_000_000))
    let server = try HostileServer { connection, _ in
      guard let head = connection.readHead() else { return }
      let length = Int(head.headers["content-length"] ?? "") ?? 0
      _ = connection.discard(1_000_000)
      semaphore.wait()
      _ = connection.discard(length - 1_000_000)
      connection.send(Self.ok)
    }
    defer { server.stop() }
    var jobs = try jobs([1000, 0, 1000], to: target(server.url()))
    let large = jobs[1].item.location.description
    truncate(large, Int(size))
    jobs[1].item = .file(large, id: 2)
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    await harness.wait { states in
      guard case .awaitingReply = states[ItemID(1)]?.last, case .sending = states[ItemID(2)]?.last
      else { return false }
      return true
    }
    #expect(harness.states(of: ItemID(3)) == [.preparing(attempt: 1)])
    semaphore.signal()
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3))
    var last: Int64 = 0
    for case .sending(_, let sent, let total) in harness.states(of: ItemID(2)) {
      #expect(sent > last && sent <= total && total == size)
      last = sent
    }
  }

  @Test func whatCannotBeReadIsLeftOutAndNamed() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var jobs = try jobs(Array(repeating: 10, count: 5), to: target(server.url()))
    jobs[0].item.location = FileLocation("\(folder.path)/none")
    jobs[0].item.identity = nil
    jobs[2].item.location = FileLocation(folder.path)
    jobs[2].item.identity = nil
    try folder.write("4", count: 7)
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(
      ends.map(\.code) == ["missing", "done 200", "not-a-file", "changed", "done 200"], "\(ends)")
    #expect(try names(server) == [["2", "5"]])
  }

  @Test func aBatchOfNothingButMissingFilesSendsNothing() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    let jobs = (1...15).map { number in
      UploadJob(
        item: .file("\(folder.path)/none\(number)", id: Int64(number)), target: target(server.url())
      )
    }
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(Set(ends.map(\.code)) == ["missing"])
    #expect(server.requests.isEmpty)
  }

  @Test func aFileThatChangesOnTheWayFailsAloneAndTheOthersGoAgain() async throws {
    let (reached, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try HostileServer { connection, number in
      if number == 0 {
        guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
        reached.signal()
        goOn.wait()
        connection.drain()
      }
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let jobs = try jobs([1000, 30_000_000, 1000], to: target(server.url()))
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    await reached.passed()
    truncate(jobs[1].item.location.description, 20_000_000)
    goOn.signal()
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == ["done 200", "changed", "done 200"], "\(ends)")
    #expect(attempts(ends) == [1, 1, 1])
    #expect(try names(server) == [["1", "3"]])
  }

  @Test(arguments: [true, false])
  func oneThatIsRefusedFailsAloneWhereTheTargetSaysSo(_ splits: Bool) async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isBad = (try? request.files().contains { $0.name == "7" }) ?? true
        connection.send(
          isBad ? "HTTP/1.1 415 No\r\nContent-Length: 9\r\n\r\nno sevens" : Self.ok)
      }
    }
    defer { server.stop() }
    let jobs = try jobs(Array(repeating: 10, count: 10), to: target(server.url(), splits: splits))
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    let codes = ends.map(\.code)
    if splits {
      #expect(codes[6] == "http-415" && codes.count { $0 == "done 200" } == 9, "\(codes)")
      #expect(
        try names(server).map { $0.joined() } == [
          "12345678910", "12345", "678910", "678", "67", "6", "7", "8", "910",
        ])
    } else {
      #expect(Set(codes) == ["http-415"])
      #expect(server.requests.count == 1)
    }
    #expect(attempts(ends) == Array(repeating: 1, count: 10))
    #expect(ends[6].failure?.reply.text == "no sevens")
  }

  @Test func aBatchThatIsRepeatedIsTheSameOneUnderTheSameKey() async throws {
    let server = try HostileServer { connection, number in
      while connection.readRequest() != nil {
        connection.send(
          number < 2
            ? "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" : Self.ok)
        if number < 2 { return }
      }
    }
    defer { server.stop() }
    var target = target(
      server.url(), files: 4, retry: RetryPolicy(attempts: 5, base: 0.02, cap: 0.05))
    target.headers = [Target.Field(name: "Idempotency-Key", value: try Template("{uuid}"))]
    let jobs = try jobs(Array(repeating: 10, count: 10), to: target)
    let harness = EngineHarness(lanes: 2)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    var keys: [String: Set<[String]>] = [:]
    for (request, names) in zip(server.requests, try names(server)) {
      keys[request.headers["idempotency-key"] ?? "", default: []].insert(names)
    }
    #expect(server.requests.count == 5)
    #expect(
      Set(keys.values.joined()) == [["1", "2", "3", "4"], ["5", "6", "7", "8"], ["9", "10"]])
    #expect(keys.values.allSatisfy { $0.count == 1 } && keys.count == 3)
  }

  @Test(arguments: ["cancel", "pause", "remove"])
  func aFileThatIsTakenBackTakesNoOtherAlong(_ wish: String) async throws {
    let (reached, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try HostileServer { connection, number in
      if number == 0 {
        guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
        reached.signal()
        goOn.wait()
        return
      }
      while connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    let jobs = try jobs([10, 30_000_000, 10, 10], to: target(server.url(), files: 3))
    let harness = EngineHarness(lanes: 1)
    harness.engine.submit(jobs)
    await reached.passed()
    switch wish {
    case "cancel": harness.engine.cancel([ItemID(2)])
    case "pause": harness.engine.pause([ItemID(2)])
    default: harness.engine.remove([ItemID(2)])
    }
    let ends = await harness.finish([1, 3, 4].map { ItemID($0) })
    goOn.signal()
    #expect(ends.map(\.code) == ["done 200", "done 200", "done 200"], "\(ends)")
    #expect(attempts(ends) == [1, 1, 1])
    #expect(try names(server) == [["1", "3", "4"]], "they stand at the head, and there is room")
    let last = harness.states(of: ItemID(2)).last
    #expect(wish == "pause" ? last == .paused : last?.code == "cancelled")
  }

  /// With everything sent, breaking off would leave nobody any wiser about the others.
  @Test func aFileThatIsTakenBackAfterTheLastByteWaitsForTheAnswer() async throws {
    let goOn = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      goOn.wait()
      connection.send(Self.ok)
    }
    defer { server.stop() }
    let jobs = try jobs([10, 10], to: target(server.url()))
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    await harness.wait { states in
      if case .awaitingReply = states[ItemID(2)]?.last { true } else { false }
    }
    harness.engine.cancel([ItemID(1)])
    goOn.signal()
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == ["done 200", "done 200"])
  }

  @Test func allOfABatchCanBeTakenBack() async throws {
    let server = try HostileServer { connection, _ in
      connection.readRequest()
      connection.stall()
    }
    defer { server.stop() }
    let jobs = try jobs([10, 10], to: target(server.url()))
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    await harness.wait { states in
      if case .awaitingReply = states[ItemID(2)]?.last { true } else { false }
    }
    harness.engine.cancel(jobs.map(\.item.id))
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == ["outcome-unknown", "outcome-unknown"])
  }

  @Test func withoutAnAnswerNobodyKnowsOfAnyFile() async throws {
    let server = try HostileServer { connection, _ in connection.readRequest() }
    defer { server.stop() }
    let jobs = try jobs([10, 10, 10], to: target(server.url()))
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(Set(ends.map(\.code)) == ["outcome-unknown"])
  }

  @Test func aRedirectIsFollowedWithTheWholeBatch() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        connection.send(
          request.line.contains("/upload")
            ? "HTTP/1.1 308 There\r\nLocation: /moved\r\nContent-Length: 0\r\n\r\n" : Self.ok)
      }
    }
    defer { server.stop() }
    let jobs = try jobs([10, 20, 30], to: target(server.url()))
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 3))
    #expect(try names(server) == [["1", "2", "3"], ["1", "2", "3"]])
    #expect(server.requests.map(\.line) == ["POST /upload HTTP/1.1", "POST /moved HTTP/1.1"])
  }

  @Test func aServerThatIsDownIsProbedWithOneFile() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try HostileServer.closedPort())/"))
    let target = target(url, retry: RetryPolicy(attempts: 3, base: 0.01, cap: 0.02))
    let jobs = try jobs(Array(repeating: 10, count: 200), to: target)
    let harness = EngineHarness(lanes: 4)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(Set(ends.map(\.code)) == ["connection-refused", "not-tried"])
    let attempts = jobs.flatMap { harness.states(of: $0.item.id) }.count { state in
      if case .preparing = state { true } else { false }
    }
    // Usually 60: the lanes' first batches, some of the second ones, and the probes. Without the breaker each file would be tried
    // three times.
    #expect(attempts < 200, "\(attempts) attempts for 200 files")
  }
}
