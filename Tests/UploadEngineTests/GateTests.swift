import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadEngine
import UploadModel

@Suite(.timeLimit(.minutes(5)))
struct GateTests {
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
    #expect(Set(ends.map(\.code)) == ["connection-refused"])
    let attempts = jobs.flatMap { harness.states(of: $0.item.id) }.count { state in
      if case .preparing = state { true } else { false }
    }
    #expect(attempts < 30, "\(attempts) attempts for 100 files")
  }

  @Test func uploadsWaitForAServerAndGoWhenItComes() async throws {
    let port = try HostileServer.closedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 100, base: 0.02, cap: 0.05)
    let harness = EngineHarness(lanes: 4, waitsForServers: true)
    let jobs = try jobs(50, to: target)
    harness.engine.submit(jobs)
    await harness.wait { states in
      states.values.joined().count { if case .retrying = $0 { true } else { false } } > 8
    }
    let server = try HostileServer(port: port) { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let ends = await harness.finish(jobs.map(\.item.id))
    #expect(ends.allSatisfy { $0.code == "done 200" })
    #expect(server.requests.count == 50)
  }

  @Test func whoWaitsAtAGateCanBeCancelled() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try HostileServer.closedPort())/"))
    var target = Target.once(url)
    target.retry = RetryPolicy(attempts: 100, base: 30, cap: 60)
    // The longest delays that the policy knows: nothing moves by itself.
    let time = TimeSource(
      now: TimeSource.system.now, date: TimeSource.system.date, random: { 0.999 })
    let harness = EngineHarness(lanes: 4, time: time, waitsForServers: true)
    let jobs = try jobs(20, to: target)
    harness.engine.submit(jobs)
    await harness.wait { states in
      states.values.joined().count { if case .retrying = $0 { true } else { false } } >= 3
    }
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
