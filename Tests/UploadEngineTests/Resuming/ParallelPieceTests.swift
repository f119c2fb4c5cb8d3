import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine

@testable import UploadModel

/// A server that takes pieces in any order, and does as it should where a test does not have it do otherwise.
private final class PiecePeer: Sendable {
  /// What else becomes of a piece.
  enum Twist: Sendable { case reply(String), reset }

  struct Content: Sendable {
    var pieces: [Int: [UInt8]] = [:]
    /// The requests, in the order of their ends, as "POST /" or "PUT /u/3".
    var lines: [String] = []
    /// How many pieces are being answered, and the most that were at once.
    var busy = 0
    var most = 0
    /// What an `Authorization` has to be; nil if everybody may come in.
    var credential: String?
  }

  final class Box: Sendable { let value = Mutex(Content()) }

  let server: HostileServer
  let box: Box

  /// - Parameter twist: called once a piece has arrived, with its number and how often that has arrived before.
  init(
    port: Int = 0, box: Box = Box(),
    _ twist: @escaping @Sendable (_ piece: Int, _ time: Int) -> Twist? = { _, _ in nil }
  ) throws {
    self.box = box
    server = try HostileServer(port: port) { connection, _ in
      while let request = connection.readRequest() {
        let line = request.line.dropLast(" HTTP/1.1".count)
        let isAllowed = box.value.withLock {
          $0.credential == nil || request.headers["authorization"] == $0.credential
        }
        guard isAllowed else {
          box.value.withLock { $0.lines.append("401 \(line)") }
          connection.send(Self.reply("401 No", ["WWW-Authenticate: Bearer"]))
          continue
        }
        guard line.hasPrefix("PUT "), let piece = Int(line.split(separator: "/").last ?? "") else {
          box.value.withLock { $0.lines.append(String(line)) }
          connection.send(Self.reply("201 Created", ["X-Id: u"]))
          continue
        }
        let time = box.value.withLock { content in
          defer { content.lines.append(String(line)) }
          content.busy += 1
          content.most = max(content.most, content.busy)
          return content.lines.count { $0 == line }
        }
        let other = twist(piece, time)
        box.value.withLock { $0.busy -= 1 }
        switch other {
        case .reset: return connection.reset()
        case .reply(let reply): connection.send(reply)
        case nil:
          box.value.withLock { $0.pieces[piece] = request.body }
          connection.send(Self.reply("200 OK", []))
        }
      }
    }
  }

  deinit { server.stop() }

  static func reply(_ status: String, _ fields: [String]) -> String {
    (["HTTP/1.1 \(status)", "Content-Length: 0"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
  }

  var content: Content { box.value.withLock { $0 } }
  var lines: [String] { content.lines }
  func count(_ line: String) -> Int { lines.count { $0 == line } }
  var bytes: [UInt8] { content.pieces.sorted { $0.key < $1.key }.flatMap(\.value) }

  /// Returns once this many pieces have arrived that have no reply yet.
  func until(busy count: Int) async throws {
    try await wait(for: "\(count) pieces at once") { content.busy == count ? true : nil }
  }
}

@Suite("Several pieces of a file at once", .timeLimit(.minutes(5)))
struct ParallelPieceTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static func template(_ text: String) throws -> Template {
    try Template(
      text, scope: Template.Placeholder.ofUpload + Template.Placeholder.ofPiece + [.begun],
      escaping: .url, lookup: Template.Lookup(environment: { _ in nil }))
  }

  private func target(_ server: HostileServer, parallel: Int, attempts: Int = 1) throws -> Target {
    var rules = PieceRules()
    (rules.size, rules.parallel) = (100_000, parallel)
    var begin = Call(method: "POST")
    begin.values = [Call.Value(name: "id", place: ReplyValue(.header("x-id")))]
    rules.begin = begin
    rules.piece.address = .base(try Self.template("{begin.id}/{piece.number}"))
    var finish = Call(method: "POST")
    finish.address = .base(try Self.template("{begin.id}"))
    rules.finish = finish
    var abort = Call(method: "DELETE")
    abort.address = .base(try Self.template("{begin.id}"))
    rules.abort = abort
    var target = Target.once(server.url("/"))
    target.retry = RetryPolicy(attempts: attempts, base: 0)
    target.body = .binary
    target.resume.pieces = rules
    return target
  }

  private func job(_ path: String, _ target: Target) -> UploadJob {
    UploadJob(item: .file(path, id: 1), target: target)
  }

  private func content(_ path: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test("as many as there are lanes, and progress never falls", arguments: [(4, 2), (3, 8)])
  func lanes(_ parallel: Int, _ lanes: Int) async throws {
    let width = min(parallel, lanes)
    let gate = Gate()
    let peer = try PiecePeer { _, _ in
      gate.pass()
      return nil
    }
    let path = try folder.write("a.bin", count: 1_234_567)
    let harness = EngineHarness(lanes: lanes)
    harness.engine.submit([job(path, try target(peer.server, parallel: parallel))])
    try await peer.until(busy: width)
    gate.open()
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 201"])
    #expect(peer.bytes == (try content(path)))
    #expect(peer.content.most == width && peer.lines.count == 15)
    let sent = harness.states(of: ItemID(1)).compactMap { state -> Int64? in
      if case .sending(_, let sent, 1_234_567) = state { sent } else { nil }
    }
    #expect(zip(sent, sent.dropFirst()).allSatisfy { $0 <= $1 }, "\(sent)")
    #expect(sent.contains { $0 > 100_000 })
    // Only the reply to the request that finishes is the upload's.
    let awaiting = harness.states(of: ItemID(1)).count { $0.isHandedOver }
    #expect(awaiting == 1, "\(harness.states(of: ItemID(1)))")
  }

  @Test("a token that runs out is renewed once, and costs only what was refused")
  func token() async throws {
    let box = PiecePeer.Box()
    box.value.withLock { $0.credential = "Bearer t1" }
    let gate = Gate()
    let peer = try PiecePeer(box: box) { piece, time in
      guard time == 0, piece <= 3 else { return nil }
      gate.pass()
      return piece == 2 ? .reply(PiecePeer.reply("401 No", ["WWW-Authenticate: Bearer"])) : nil
    }
    let path = try folder.write("a.bin", count: 800_000)
    var target = try target(peer.server, parallel: 3)
    target.tokenCommand = TokenCommand([
      "sh", "-c", "echo >> \(folder.path)/runs; echo \"t$(wc -l < \(folder.path)/runs)\"",
    ])
    let harness = EngineHarness()
    harness.engine.submit([job(path, target)])
    try await peer.until(busy: 3)
    box.value.withLock { $0.credential = "Bearer t2" }
    gate.open()
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 201"], "\(peer.lines)")
    #expect(peer.bytes == (try content(path)))
    #expect(peer.count("POST /") == 1 && peer.count("PUT /u/1") == 1 && peer.count("PUT /u/3") == 1)
    #expect(try content(folder.path("runs")).count == 2)
  }

  @Test("a pause ends all requests; going on sends only what was not taken")
  func pause() async throws {
    let gate = Gate()
    let peer = try PiecePeer { piece, time in
      if piece > 1, time == 0 { gate.pass() }
      return nil
    }
    let path = try folder.write("a.bin", count: 400_000)
    let job = job(path, try target(peer.server, parallel: 3))
    let harness = EngineHarness()
    harness.engine.submit([job])
    // The first one has been answered.
    try await wait(for: "the fourth piece") {
      peer.count("PUT /u/4") == 1 && peer.content.busy == 3 ? true : nil
    }
    harness.engine.pause([ItemID(1)])
    await harness.wait { states in
      if case .paused? = states[ItemID(1)]?.last { true } else { false }
    }
    gate.open()
    try await peer.until(busy: 0)
    #expect(peer.count("POST /u") == 0)
    harness.engine.retry([job])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 201"])
    #expect(peer.bytes == (try content(path)))
    #expect(peer.count("POST /") == 1 && peer.count("PUT /u/1") == 1 && peer.count("PUT /u/4") == 2)
  }

  @Test("a file that is removed sends no more, and its lanes go to others")
  func removal() async throws {
    let gate = Gate()
    let peer = try PiecePeer { piece, time in
      if piece <= 3, time == 0 { gate.pass() }
      return nil
    }
    let path = try folder.write("a.bin", count: 900_000)
    let harness = EngineHarness(lanes: 3)
    harness.engine.submit([job(path, try target(peer.server, parallel: 3))])
    try await peer.until(busy: 3)
    let other = try PiecePeer()
    var next = job(path, try target(other.server, parallel: 1))
    next.item = .file(path, id: 2)
    harness.engine.submit([next])
    harness.engine.remove([ItemID(1)])
    // While the requests for the other file still have no reply.
    #expect(await harness.finish([ItemID(2)]).map(\.code) == ["done 201"])
    gate.open()
    try await peer.until(busy: 0)
    #expect(peer.lines.sorted() == ["POST /", "PUT /u/1", "PUT /u/2", "PUT /u/3"])
  }

  @Test("what is lost goes again, and nothing else", arguments: [false, true])
  func lost(isRefused: Bool) async throws {
    let gate = Gate()
    let peer = try PiecePeer { piece, time in
      guard time == 0, piece <= 3 else { return nil }
      gate.pass()
      guard piece == 2 else { return nil }
      return isRefused ? .reply(PiecePeer.reply("503 Busy", [])) : .reset
    }
    let path = try folder.write("a.bin", count: 800_000)
    let harness = EngineHarness()
    harness.engine.submit([job(path, try target(peer.server, parallel: 3, attempts: 2))])
    try await peer.until(busy: 3)
    gate.open()
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 201"], "\(peer.lines)")
    #expect(peer.bytes == (try content(path)))
    #expect(peer.count("POST /") == 1)
    #expect((1...8).allSatisfy { peer.count("PUT /u/\($0)") == ($0 == 2 ? 2 : 1) }, "\(peer.lines)")
  }

  @Test("the first failure is reported once the others have ended; what they sent counts")
  func failure() async throws {
    let gate = Gate()
    let peer = try PiecePeer { piece, _ in
      guard piece == 2 else {
        gate.pass()
        return nil
      }
      return .reply(PiecePeer.reply("400 No", []))
    }
    let path = try folder.write("a.bin", count: 800_000)
    let harness = EngineHarness(lanes: 3)
    harness.engine.submit([job(path, try target(peer.server, parallel: 3))])
    try await wait(for: "three pieces") { peer.lines.count == 4 ? true : nil }
    // Another file gets the second piece's lane once the engine knows of the failure.
    let other = try PiecePeer()
    var next = job(path, try target(other.server, parallel: 1))
    next.item = .file(path, id: 2)
    harness.engine.submit([next])
    #expect(await harness.finish([ItemID(2)]).map(\.code) == ["done 201"])
    #expect(harness.states(of: ItemID(1)).last?.isFinished != true)
    gate.open()
    let end = try #require(await harness.finish([ItemID(1)]).last)
    #expect(end.failure?.step == .piece(2, of: 8) && end.failure?.status == 400, "\(end)")
    #expect(peer.content.pieces.keys.sorted() == [1, 3])
    #expect(peer.lines.count == 4, "\(peer.lines)")
  }

  @Test("a server that goes away in the middle is waited for")
  func outage() async throws {
    let port = try HostileServer.closedPort()
    let box = PiecePeer.Box()
    let gone = Gate()
    let first = try PiecePeer(port: port, box: box) { piece, _ in
      guard piece != 1 else { return nil }
      gone.pass()
      return .reset
    }
    let path = try folder.write("a.bin", count: 800_000)
    var target = try target(first.server, parallel: 3, attempts: 2)
    target.retry = RetryPolicy(attempts: 2, base: 0.02, cap: 0.05)
    let harness = EngineHarness(waitsForServers: true)
    harness.engine.submit([job(path, target)])
    try await wait(for: "the fourth piece") {
      first.count("PUT /u/4") == 1 && first.content.busy == 3 ? true : nil
    }
    first.server.stop()
    gone.open()
    await harness.untilAway()
    let second = try PiecePeer(port: port, box: box)
    harness.engine.tryServers()
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 201"], "\(second.lines)")
    #expect(second.bytes == (try content(path)))
    #expect(second.count("POST /") == 1 && second.count("PUT /u/1") == 1)
  }

  @Test("no file is made of pieces that held different moments", arguments: FileEvent.allCases)
  func change(_ event: FileEvent) async throws {
    let gate = Gate()
    let peer = try PiecePeer { piece, _ in
      if piece > 1 { gate.pass() }
      return nil
    }
    let path = try folder.write("a.bin", [UInt8](repeating: 1, count: 800_000))
    let mapping = event == .oldMapping ? try MappedFile(path, 800_000) : nil
    mapping?.fill(with: 1)
    let harness = EngineHarness()
    harness.engine.submit([job(path, try target(peer.server, parallel: 3))])
    try await peer.until(busy: 3)
    try event.happen(to: path, mapping)
    gate.open()
    let end = await harness.finish([ItemID(1)]).map(\.code)
    let isWhole = end == ["done 201"]
    if event.isHarmful {
      #expect(!isWhole, "\(end)")
      #expect(peer.count("POST /u") == 0)
    } else {
      #expect(isWhole, "\(end)")
      #expect(peer.bytes == [UInt8](repeating: 1, count: 800_000))
    }
  }
}
