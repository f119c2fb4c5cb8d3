import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// How many requests are sent at once to servers that do not take any number. All files arrive, none twice.
@Suite(.timeLimit(.minutes(5)))
struct LaneTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// A server that counts what it has at once, and what it refuses.
  private final class Counting: Sendable {
    struct Content {
      var atOnce = 0
      /// The most that it had at once.
      var most = 0
      /// The sum of those that each request found there, and itself.
      var found = 0
      var connections = 0
      var arrived: [String: Int] = [:]
      var refusals: [String: Int] = [:]
      /// How many files had arrived when the last one was refused.
      var arrivedBeforeRefusal = 0
      /// When the files of the last second arrived.
      var times: [ContinuousClock.Instant] = []

      mutating func refuse(_ name: String) {
        refusals[name, default: 0] += 1
        arrivedBeforeRefusal = arrived.count
      }
    }

    enum Decision {
      case takes
      case refuses(String)
    }

    let content = Mutex(Content())
    let server: HostileServer

    /// - Parameters:
    ///   - mostConnections: further ones are reset at once.
    ///   - isBusy: whether the kernel has taken all of a request before it is reset.
    ///   - decide: called with a request that has been read, which counts already.
    init(
      mostConnections: Int = .max, isBusy: Bool = false,
      _ decide: @escaping @Sendable (inout Content) -> Decision = { _ in .takes },
      working work: @escaping @Sendable () -> Void = { usleep(20_000) }
    ) throws {
      let box = Box()
      server = try HostileServer { connection, _ in
        guard let counting = box.counting.withLock({ $0 }) else { return }
        counting.serve(connection, mostConnections, isBusy: isBusy, decide, work)
      }
      box.counting.withLock { $0 = self }
    }

    private final class Box: Sendable {
      let counting = Mutex<Counting?>(nil)
    }

    private func serve(
      _ connection: HostileConnection, _ mostConnections: Int, isBusy: Bool,
      _ decide: @Sendable (inout Content) -> Decision, _ work: @Sendable () -> Void
    ) {
      let isOneTooMany = content.withLock { content in
        content.connections += 1
        return content.connections > mostConnections
      }
      defer { content.withLock { $0.connections -= 1 } }
      if isOneTooMany {
        content.withLock { $0.refuse("") }
        if isBusy { _ = connection.readRequest() }
        return connection.reset()
      }
      while let request = connection.readRequest() {
        let name = String(request.line.split(separator: " ")[1])
        let decision = content.withLock { content in
          content.atOnce += 1
          content.most = max(content.most, content.atOnce)
          content.found += content.atOnce
          return decide(&content)
        }
        if case .takes = decision { work() }
        let reply = content.withLock { content -> String in
          content.atOnce -= 1
          switch decision {
          case .takes:
            content.arrived[name, default: 0] += 1
            return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
          case .refuses(let head):
            content.refuse(name)
            return "HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n"
          }
        }
        connection.send(reply)
      }
    }

    var refusals: Int { content.withLock { $0.refusals.values.reduce(0, +) } }

    var words: String {
      "\(refusals) refusals, the last after \(content.withLock { $0.arrivedBeforeRefusal }) files"
    }

    /// Whether it refused nothing more once half of `count` files had arrived, and few before. How many it refuses until
    /// it is given way to depends on how busy the machine is; `GivingWayTests` counts them with a clock of its own.
    func wasLeftAlone(after count: Int) -> Bool {
      refusals <= count / 10 && content.withLock { $0.arrivedBeforeRefusal } < count / 2
    }
  }

  /// Sends files by PUT, each to an address of its own, and returns how many arrived.
  private func send(_ count: Int, to counting: Counting, range: ClosedRange<Int> = 1...32)
    async throws
  {
    var target = Target(name: "test", url: counting.server.url("/"))
    target.address = try Template(
      counting.server.url("/").absoluteString + "{file.name}", scope: Template.Placeholder.ofFile,
      escaping: .url, lookup: Template.Lookup(environment: { _ in nil }))
    (target.method, target.body, target.concurrency) = ("PUT", .binary, .auto(range))
    target.retry = RetryPolicy(attempts: 5, base: 0.5, cap: 2)
    let paths = try (1...count).map { try folder.write("\($0)", count: 1000, seed: UInt64($0)) }
    let ends = await EngineHarness(lanes: UploadEngine.mostLanes).upload(paths, to: target)
    #expect(ends.allSatisfy { $0.receipt != nil }, "all files are sent")
    let (arrived, twice) = counting.content.withLock { content in
      (content.arrived.count, content.arrived.values.count { $0 > 1 })
    }
    #expect(arrived == count)
    #expect(twice == 0)
  }

  /// Sends one file in pieces, which the last request names.
  private func sendPieces(
    _ count: Int, to counting: Counting, _ change: (inout PieceRules) -> Void = { _ in }
  ) async throws {
    func template(_ text: String) throws -> Template {
      try Template(
        text, scope: Template.Placeholder.ofPiece + [.pieces],
        lookup: Template.Lookup(environment: { _ in nil }))
    }
    var rules = PieceRules()
    rules.size = 1000
    rules.piece.address = .base(try template("{piece.number}"))
    rules.each = PieceRules.Each(try template("{piece.number}"), separator: ",")
    rules.finish = Call(method: "POST")
    rules.finish?.text = try template("{pieces}")
    change(&rules)
    var target = Target(name: "test", url: counting.server.url("/"))
    (target.body, target.concurrency, target.resume.pieces) = (.binary, .automatic, rules)
    target.retry = RetryPolicy(attempts: 5, base: 0.5, cap: 2)
    let path = try folder.write("large", count: count * 1000)
    let ends = await EngineHarness(lanes: UploadEngine.mostLanes).upload([path], to: target)
    #expect(ends.allSatisfy { $0.receipt != nil }, "\(ends)")
    let (arrived, twice) = counting.content.withLock { content in
      (content.arrived.count, content.arrived.values.count { $0 > 1 })
    }
    // The pieces, and what makes one file of them.
    #expect(arrived == count + 1)
    #expect(twice == 0)
  }

  @Test func oneFileInPiecesClimbsAsManyFilesDo() async throws {
    let counting = try Counting(working: { usleep(50_000) })
    try await sendPieces(300, to: counting)
    #expect(counting.content.withLock { $0.most } >= 8)
  }

  @Test func oneFileInPiecesGivesWayAsManyFilesDo() async throws {
    let counting = try Counting { content in
      content.atOnce > 8 ? .refuses("503 Busy") : .takes
    }
    try await sendPieces(600, to: counting)
    #expect(counting.wasLeftAlone(after: 600), "\(counting.words)")
  }

  @Test func noMorePiecesAreSentAtOnceThanTheTargetAllows() async throws {
    let counting = try Counting()
    try await sendPieces(100, to: counting) { $0.parallel = 2 }
    #expect(counting.content.withLock { $0.most } == 2)
  }

  @Test func aServerWithOneWorkerGetsFewLanes() async throws {
    let turn = Mutex(())
    let counting = try Counting(working: {
      // The lock is held: one request after the other.
      turn.withLock { _ in _ = usleep(20_000) }
    })
    try await send(200, to: counting)
    // Four would do, and 32 are allowed. How soon more are found not to pay depends on the machine.
    #expect(counting.content.withLock { $0.found } <= 200 * 16)
  }

  @Test func aServerThatTakesEightAtOnceRefusesOneTry() async throws {
    let counting = try Counting { content in
      content.atOnce > 8 ? .refuses("503 Busy") : .takes
    }
    try await send(600, to: counting)
    #expect(counting.wasLeftAlone(after: 600), "\(counting.words)")
  }

  @Test(arguments: [false, true])
  func aServerThatAcceptsTenConnectionsIsLeftAloneAfterOneTry(isBusy: Bool) async throws {
    let counting = try Counting(mostConnections: 10, isBusy: isBusy)
    try await send(600, to: counting)
    #expect(counting.wasLeftAlone(after: 600), "\(counting.words)")
  }

  @Test(arguments: [false, true])
  func aRateThatWasRefusedIsNotAskedForAgain(saysWhen: Bool) async throws {
    let counting = try Counting { content in
      let now = ContinuousClock.now
      content.times.removeAll { now - $0 >= .seconds(1) }
      guard content.times.count < 20 else {
        return .refuses("429 Slow down" + (saysWhen ? "\r\nRetry-After: 1" : ""))
      }
      content.times.append(now)
      return .takes
    } working: {
    }
    try await send(80, to: counting)
    #expect(counting.refusals <= 12)
    #expect(counting.content.withLock { $0.refusals.values.max() ?? 0 } <= 2)
  }

  @Test func aServerThatFailsOverMoreThanSixGetsTheLeastFromThenOn() async throws {
    let counting = try Counting { content in
      content.atOnce > 6 ? .refuses("500 Locked") : .takes
    }
    try await send(400, to: counting)
    #expect(counting.wasLeftAlone(after: 400), "\(counting.words)")
  }
}
