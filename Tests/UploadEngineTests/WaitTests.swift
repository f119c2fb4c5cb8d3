import Foundation
import HTTPTransport
import Synchronization
import TestSupport
import Testing

@testable import UploadEngine
@testable import UploadModel

@Suite("Servers that ask to wait", .timeLimit(.minutes(5)))
struct WaitTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// A server that answers its first request with `reply`, and notes when each request came.
  private final class Peer: Sendable {
    let server: HostileServer
    private let times: Box

    private final class Box: Sendable { let value = Mutex<[ContinuousClock.Instant]>([]) }

    init(first reply: String) throws {
      let times = Box()
      self.times = times
      server = try HostileServer { connection, _ in
        while connection.readRequest() != nil {
          let count = times.value.withLock {
            $0.append(.now)
            return $0.count
          }
          connection.send(count == 1 ? reply : "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        }
      }
    }

    deinit { server.stop() }

    /// How long after the first request the others came.
    var delays: [Duration] {
      times.value.withLock { times in times.dropFirst().map { $0 - times[0] } }
    }

    var count: Int { times.value.withLock { $0.count } }
  }

  private func jobs(_ count: Int, to target: Target) throws -> [UploadJob] {
    try (1...count).map { number in
      let path = try folder.write("\(number)", count: 100, seed: UInt64(number))
      return UploadJob(item: .file(path, id: Int64(number)), target: target)
    }
  }

  @Test(
    "no file for the server goes earlier, and the credentials are not doubted",
    arguments: [
      "429 No\r\nRetry-After: 0.6", "503 No\r\nRetry-After: 0.6", "403 No\r\nRetry-After: 0.6",
      "403 No\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset-After: 0.6",
    ])
  func holds(_ head: String) async throws {
    let peer = try Peer(first: "HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n")
    var target = Target.once(peer.server.url())
    (target.concurrency, target.retry) = (1, RetryPolicy(attempts: 2, base: 0.01, cap: 60))
    target.tokenCommand = TokenCommand(["sh", "-c", "echo >> \(folder.path)/runs; echo t"])
    let harness = EngineHarness(preparesAhead: false)
    let jobs = try jobs(20, to: target)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(Set(ends.map(\.code)) == ["done 201"])
    #expect(peer.delays.count == 20 && peer.delays.allSatisfy { $0 >= .seconds(0.6) })
    #expect(try String(contentsOfFile: folder.path("runs"), encoding: .utf8).count == 1)
    #expect(harness.refusals.isEmpty)
  }

  @Test("a wait that is not allowed fails the file at once, and the others are not tried")
  func tooLong() async throws {
    let peer = try Peer(first: "HTTP/1.1 429 No\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n")
    var target = Target.once(peer.server.url())
    (target.concurrency, target.retry) = (1, RetryPolicy(attempts: 5, base: 0.01, cap: 60))
    let harness = EngineHarness(preparesAhead: false)
    let jobs = try jobs(5, to: target)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == ["http-429"] + Array(repeating: "not-tried", count: 4))
    #expect(peer.count == 1)
    #expect(ends[0].failure?.explanation.contains("asks to wait 90 s") == true)
    #expect(ends[1].failure?.explanation.contains("asks to wait 90 s") == true)
  }

  @Test("who waits for servers anyway waits, unless the user says otherwise")
  func patient() async throws {
    let peer = try Peer(first: "HTTP/1.1 429 No\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n")
    var target = Target.once(peer.server.url())
    (target.concurrency, target.retry) = (1, RetryPolicy(attempts: 5, base: 0.01, cap: 60))
    let harness = EngineHarness(waitsForServers: true, preparesAhead: false)
    let jobs = try jobs(3, to: target)
    harness.engine.submit(jobs)
    await harness.wait { states in
      if case .retrying? = states[ItemID(1)]?.last { true } else { false }
    }
    harness.engine.tryServers()
    #expect(await harness.finish(jobs.map(\.item.id)).map(\.code).count { $0 == "done 201" } == 3)
    #expect(harness.states(of: ItemID(1)).last?.receipt?.attempts == 2)
  }

  @Test("what a server that counts requests holds back is told, and goes when the user says so")
  func paced() async throws {
    let count = Count()
    let takesMore = Mutex(false)
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        let isTaken = count.next() == 1 || takesMore.withLock { $0 }
        let reply = isTaken ? "201 Created" : "429 No"
        connection.send("HTTP/1.1 \(reply)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    var target = Target.once(server.url())
    target.concurrency = .auto(1...1)
    target.retry = RetryPolicy(attempts: 1000, base: 0, cap: 0)
    let clock = TestClock()
    let harness = EngineHarness(time: clock.time, waitsForServers: true, preparesAhead: false)
    let jobs = try jobs(3, to: target)
    harness.engine.submit(jobs)
    // No clock that runs by itself: on a busy machine it would run on until the hold is over.
    try await wait(for: "a second refusal") { () -> Bool? in
      guard harness.paces.isEmpty else { return true }
      clock.advance(by: 0.25)
      return nil
    }
    #expect(harness.paces.first == "test waits")
    takesMore.withLock { $0 = true }
    // The clock stands still: only the user lets the files go on. That nothing is held back any longer may be told
    // after the last of them.
    try await wait(for: "the files", otherwise: { "\(harness.paces)" }) { () -> Bool? in
      harness.engine.tryServers()
      clock.advance(by: 0)
      let areSent = jobs.allSatisfy { harness.states(of: $0.item.id).last?.receipt != nil }
      return areSent && harness.paces.contains("test goes on") ? true : nil
    }
  }

  @Test(
    "the last request of pieces is sent again if its reply says neither yes nor no",
    arguments: ["", "<html><title>Welcome</title></html>", "<Result><Location>/f</Loc"])
  func saysNeither(_ body: String) async throws {
    let finishes = Count()
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        guard request.line.hasPrefix("POST") else {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        let text = finishes.next() == 1 ? body : "<Result>\n</Result>\n"
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
    defer { server.stop() }
    var pieces = PieceRules()
    pieces.size = 60
    pieces.finish = Call(method: "POST")
    pieces.finish?.rules.failures = [
      FailureRule(.pattern(try Pattern("</Result>\\s*$")), test: .equals(.bool(false)))
    ]
    pieces.finish?.rules.unreadable = .unknown
    var target = Target.once(server.url())
    (target.resume.pieces, target.retry) = (pieces, RetryPolicy(attempts: 3, base: 0.01, cap: 0.01))
    let jobs = try jobs(1, to: target)
    let harness = EngineHarness()
    harness.engine.submit(jobs)
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 200"])
    #expect(finishes.value == 2)
    // If no attempt is left, nobody can tell.
    target.retry = RetryPolicy(attempts: 1)
    let other = Count()
    let mute = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        _ = other.next()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
    defer { mute.stop() }
    target.url = mute.url()
    let last = try folder.write("last", count: 100)
    #expect(await EngineHarness().upload([last], to: target).map(\.code) == ["outcome-unknown"])
  }

  private final class Count: Sendable {
    private let content = Mutex(0)
    var value: Int { content.withLock { $0 } }
    func next() -> Int {
      content.withLock {
        $0 += 1
        return $0
      }
    }
  }
}

@Suite("How long a reply may take")
struct ReplyTimeTests {
  /// A small file's time-out is what its target says.
  @Test(
    arguments: [
      (60_000, 8, 0.0), (1 << 20, 8, 0), ((1 << 20) + 100_000, 8, 5), (30_000_000, 8, 16),
    ] as [(Int64, Double, Double)])
  func patience(_ length: Int64, _ timeout: Double, _ seconds: Double) {
    #expect(Exchange.replyPatience(after: length, stallTimeout: timeout) == seconds)
  }

  /// A server sends white space while it joins the pieces (S3).
  @Test(arguments: [
    (false, 41.0, 10.0, true), (false, 39, 10, false), (true, 41, 10, false),
    (true, 599, 10, false),
    (true, 601, 10, true), (true, 601, 200, false), (true, 801, 200, true),
  ])
  func limits(_ endsUpload: Bool, _ seconds: Double, _ timeout: Double, _ isOverdue: Bool) {
    var watch = StallWatch(from: Instant(seconds: 0))
    var progress = UploadTask.Progress()
    progress.hasReplyBegun = true
    watch.look(progress, at: Instant(seconds: 1))
    #expect(
      watch.isReplyOverdue(at: Instant(seconds: 1 + seconds), timeout, endsUpload: endsUpload)
        == isOverdue)
  }
}
