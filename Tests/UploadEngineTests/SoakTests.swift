import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// Many uploads into servers that misbehave at random. `make soak` runs 20,000 of them.
@Suite(.timeLimit(.minutes(30)))
struct SoakTests {
  private static let count =
    ProcessInfo.processInfo.environment["HOIST_SOAK"].flatMap(Int.init) ?? 600

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// One of a dozen manners, the good one most often. Returns whether the connection lives on.
  private static func serve(_ connection: HostileConnection, manner: UInt64) -> Bool {
    switch manner % 16 {
    case 0:
      guard connection.readHead() != nil else { return false }
      connection.reset()
      return false
    case 1:
      guard connection.readHead() != nil else { return false }
      _ = connection.read(50)
      connection.reset()
      return false
    case 2:
      guard connection.readHead() != nil else { return false }
      connection.send("HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig")
      connection.drain()
      return false
    default: break
    }
    guard connection.discardRequest() else { return false }
    switch manner % 16 {
    case 3: return false
    case 4:
      connection.send("not at all HTTP\r\n")
      return false
    case 5: connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
    case 6:
      // Not 401: after one of those nobody else would go.
      connection.send("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
    case 7: connection.send("HTTP/1.1 307 There\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
    case 8:
      connection.send(ok)
      return false
    case 9:
      connection.send("HTTP/1.1 500 Oops\r\n\r\n")
      connection.send([UInt8](repeating: 0x61, count: 100_000))
      return false
    default: connection.send(ok)
    }
    return true
  }

  private static func openFiles() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// Resident memory in bytes.
  private static func memory() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " ")
    return (Int(fields[1]) ?? 0) * Int(getpagesize())
  }

  @Test func manyUploadsIntoMisbehavingServersEndAndLeaveNothingBehind() async throws {
    let folder = try ScratchDirectory()
    let generator = Mutex(SplitMix64(seed: 7))
    let server = try HostileServer { connection, _ in
      while Self.serve(connection, manner: generator.withLock { $0.next() }) {}
    }
    defer { server.stop() }
    let paths = try (0..<20).map {
      try folder.write("\($0)", count: [0, 10, 5000, 70_000, 300_000][$0 % 5], seed: UInt64($0))
    }
    var target = Target.once(server.url(), stallTimeout: 20)
    target.retry = RetryPolicy(attempts: 3, base: 0.001, cap: 0.005)
    var batched = target
    batched.name = "batched"
    batched.batch = BatchRule(maxFiles: 7, maxBytes: 500_000, splitsRefused: true)
    let harness = EngineHarness(lanes: 8)

    var codes: [String: Int] = [:]
    var early: (files: Int, memory: Int)?
    let round = 200
    for start in stride(from: 0, to: Self.count, by: round) {
      let jobs = (start..<min(start + round, Self.count)).map { index in
        UploadJob(
          item: .file(paths[index % paths.count], id: Int64(index + 1)),
          target: start / round % 2 == 0 ? target : batched)
      }
      harness.engine.submit(jobs)
      for end in await harness.finish(jobs.map(\.item.id)) { codes[end.code, default: 0] += 1 }
      harness.engine.remove(jobs.map(\.item.id))
      harness.forget()
      if early == nil { early = (Self.openFiles(), try Self.memory()) }
    }
    #expect(codes.values.reduce(0, +) == Self.count)
    let known: Set = [
      "done 200", "http-413", "http-407", "http-503", "http-500", "connection-lost", "not-http",
      "outcome-unknown", "redirected",
    ]
    #expect(Set(codes.keys).isSubset(of: known), "\(codes)")
    // Other tests of this process come and go meanwhile; a leak of one each would be thousands.
    let before = try #require(early)
    print("soak: \(Self.count) uploads, \(codes.sorted { $0.key < $1.key })")
    print(
      "soak: files \(before.files) → \(Self.openFiles()), memory \(before.memory / 1_000_000) → "
        + "\(try Self.memory() / 1_000_000) MB")
    try await wait(for: "other tests to close their files") {
      Self.openFiles() < before.files + 200 ? true : nil
    }
    if Self.count >= 10_000 { #expect(try Self.memory() < before.memory + 60_000_000) }
  }
}
