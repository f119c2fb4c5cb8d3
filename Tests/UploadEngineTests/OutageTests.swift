import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite(.timeLimit(.minutes(5)))
struct OutageTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private func jobs(_ count: Int, to target: Target) throws -> [UploadJob] {
    try (0..<count).map { index in
      let path = try folder.write("\(index)", count: 100, seed: UInt64(index))
      return UploadJob(item: .file(path, id: Int64(index + 1)), target: target)
    }
  }

  @Test func aServerThatIsDownIsProbedAndNotTriedWithEveryFile() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try HostileServer.closedPort())/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 3, base: 0.01, cap: 0.02)
    let harness = EngineHarness(lanes: 4)
    let jobs = try jobs(100, to: target)
    harness.engine.submit(jobs)
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(Set(ends.map(\.code)) == ["connection-refused", "not-tried"])
    #expect(ends.allSatisfy { ($0.code == "not-tried") == ($0.failure?.attempts == 0) })
    let attempts = jobs.flatMap { harness.states(of: $0.item.id) }.count { state in
      if case .preparing = state { true } else { false }
    }
    #expect(attempts < 30, "\(attempts) attempts for 100 files")
  }

  /// A server that was away is no fault of the files, however often it was tried.
  @Test(arguments: [nil, BatchRule(maxFiles: 10)])
  func uploadsWaitForAServerAndGoWhenItComes(_ batch: BatchRule?) async throws {
    let port = try HostileServer.closedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 1, base: 0.02, cap: 0.05)
    target.deadline = 60
    target.batch = batch
    let harness = EngineHarness(lanes: 4, waitsForServers: true)
    let jobs = try jobs(50, to: target)
    harness.engine.submit(jobs)
    await harness.wait { states in
      states[ItemID(1), default: []].count { if case .preparing = $0 { true } else { false } } > 3
    }
    let server = try HostileServer(port: port) { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let ends = await harness.finish(jobs.map(\.item.id))
    for end in ends {
      guard case .done(let receipt) = end else {
        Issue.record("\(end)")
        continue
      }
      #expect(receipt.attempts == 1)
    }
    let told = harness.reachability
    guard case .away(let failure, .some)? = told.first else {
      Issue.record("\(told)")
      return
    }
    #expect(failure.code == "connection-refused")
    #expect(told.last == .back && told.count { $0 == .back } == 1, "\(told)")
    if batch == nil { #expect(server.requests.count == 50) }
  }

  @Test("a server that takes bytes is there, before it has answered")
  func reachedByBytes() async throws {
    let port = try HostileServer.closedPort()
    var target = Target.once(try #require(URL(string: "http://127.0.0.1:\(port)/up")))
    target.retry = RetryPolicy(attempts: 1, base: 0.02, cap: 0.05)
    let harness = EngineHarness(lanes: 4, waitsForServers: true)
    let path = try folder.write("large", count: 3_000_000)
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: target)])
    try await wait(for: "the outage") { harness.reachability.isEmpty ? nil : true }
    let isOver = Mutex(false)
    let server = try HostileServer(port: port) { connection, _ in
      guard connection.readRequest() != nil else { return }
      while !isOver.withLock({ $0 }) { usleep(10_000) }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    try await wait(for: "the server") { harness.reachability.last == .back ? true : nil }
    let isFinished = harness.states(of: ItemID(1)).contains(where: \.isFinished)
    #expect(!isFinished)
    isOver.withLock { $0 = true }
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 200"])
  }

  /// Where the target's server only says where to, the one behind it may be away.
  @Test(arguments: ["redirect", "ticket"])
  func uploadsWaitForAServerBehindAnother(_ way: String) async throws {
    let port = try HostileServer.closedPort()
    let behind = try #require(URL(string: "http://127.0.0.1:\(port)/b"))
    let body = #"{"url":"\#(behind.absoluteString)","fields":{}}"#
    let door = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        connection.send(
          way == "ticket"
            ? "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            : "HTTP/1.1 307 T\r\nLocation: \(behind.absoluteString)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { door.stop() }
    var target = Target.once(door.url())
    target.retry = RetryPolicy(attempts: 1, base: 0.02, cap: 0.05)
    target.redirectOrigins = [try #require(Origin(behind))]
    if way == "ticket" {
      target.ticket = Ticket(
        call: Call(url: Template(literal: door.url().absoluteString), method: "POST"),
        uploadURL: ReplyValue(.pointer(try JSONPointer("/url"))), fields: try JSONPointer("/fields")
      )
    }
    let harness = EngineHarness(lanes: 4, waitsForServers: true)
    let jobs = try jobs(20, to: target)
    harness.engine.submit(jobs)
    await harness.wait { states in
      states[ItemID(1), default: []].count { if case .preparing = $0 { true } else { false } } > 8
    }
    // One at a time tries it, once the first few have found out.
    let others = jobs.dropFirst(4).flatMap { harness.states(of: $0.item.id) }
    #expect(!others.contains { $0.isActive || $0.isFinished }, "\(others)")
    let server = try HostileServer(port: port) { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.map(\.code) == Array(repeating: "done 200", count: 20))
    #expect(server.requests.count == 20)
    #expect(harness.reachability.last == .back)
  }

  @Test func whatIsTriedAgainByThePersonIsTheProbe() async throws {
    let port = try HostileServer.closedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 1, base: 3600, cap: 3600)
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    let jobs = try jobs(5, to: target)
    harness.engine.submit(jobs)
    await harness.untilAway()
    let server = try HostileServer(port: port) { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    harness.engine.retry([jobs[3]])
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(try server.requests.map { try $0.files().first?.name } == ["3", "0", "1", "2", "4"])
  }

  @Test func whenTheLastFileHasGoneNobodyTriesTheServerAnyMore() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try HostileServer.closedPort())/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 1, base: 3600, cap: 3600)
    let harness = EngineHarness(lanes: 1, waitsForServers: true)
    let jobs = try jobs(3, to: target)
    harness.engine.submit(jobs)
    await harness.untilAway()
    harness.engine.remove([ItemID(1), ItemID(2)])
    harness.engine.pause([ItemID(3)])
    await harness.wait { $0[ItemID(3)]?.last == .paused }
    #expect(harness.reachability.last == .unneeded)
    #expect(harness.states(of: ItemID(2)).isEmpty, "what did not run is forgotten without a word")
  }

  @Test func whoWaitsForAServerCanBeCancelled() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try HostileServer.closedPort())/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 100, base: 30, cap: 60)
    // The longest delays that the policy knows: nothing moves by itself.
    var time = TimeSource.system
    time.random = { 0.999 }
    let harness = EngineHarness(lanes: 4, time: time, waitsForServers: true)
    let jobs = try jobs(20, to: target)
    harness.engine.submit(jobs)
    await harness.untilAway()
    harness.engine.cancel(jobs.map(\.item.id))
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(Set(ends.map(\.code)).isSubset(of: ["cancelled"]), "\(ends)")
  }

  @Test func aDeadlineEndsWhatIsSlow() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      // Slower than any deadline and never silent.
      while connection.read(1000) != nil { usleep(10_000) }
    }
    defer { server.stop() }
    let path = try folder.write("slow", count: 20_000_000)
    var target = Target.once(server.url())
    target.deadline = 1
    let ends = await EngineHarness().upload([path], to: target)
    #expect(ends.map(\.code) == ["out-of-time"], "\(ends)")
  }
}
