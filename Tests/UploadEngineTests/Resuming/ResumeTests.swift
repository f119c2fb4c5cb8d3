import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine

@testable import UploadModel

/// A tus server that does as it should where a test does not have it do otherwise.
final class TusPeer: Sendable {
  private struct Content {
    var bytes: [UInt8] = []
    var length = 0
    var uploads = 0
  }

  /// A reply in a test's place of the usual one; nil for the usual one.
  typealias Twist = @Sendable (_ request: HostileServer.SeenRequest, _ number: Int) -> String?

  let server: HostileServer
  private let content: Box

  private final class Box: Sendable {
    let value = Mutex(Content())
    let number = Mutex(0)
  }

  /// - Parameters:
  ///   - cuts: after how many bytes of a body the connection ends, for the first bodies.
  ///   - gate: what has to be passed before that.
  ///   - twist: what it says instead.
  init(
    cuts: [Int] = [], gate: Gate? = nil, extensions: String = "creation,termination",
    _ twist: @escaping Twist = { _, _ in nil }
  )
    throws
  {
    let box = Box()
    content = box
    server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        let number = box.number.withLock { number in
          defer { number += 1 }
          return number
        }
        let length = Int(head.headers["content-length"] ?? "") ?? 0
        var request = head
        let bodies = box.value.withLock { $0.bytes.count }
        let isPiece = head.headers["upload-offset"] != nil && head.headers["upload-length"] == nil
        if isPiece, let cut = cuts.first(where: { $0 > bodies }), bodies + length > cut {
          let some = connection.read(cut - bodies) ?? []
          box.value.withLock { $0.bytes += some }
          connection.record(request)
          gate?.pass()
          return connection.reset()
        }
        guard let body = connection.read(length) else { return }
        request.body = body
        connection.record(request)
        if let reply = twist(request, number) {
          connection.send(reply)
          continue
        }
        connection.send(Self.answer(request, box, extensions))
      }
    }
  }

  deinit { server.stop() }

  var bytes: [UInt8] { content.value.withLock { $0.bytes } }
  var lines: [String] { server.requests.map { String($0.line.dropLast(" HTTP/1.1".count)) } }

  private static func answer(
    _ request: HostileServer.SeenRequest, _ box: Box, _ extensions: String
  ) -> String {
    let method = request.line.prefix { $0 != " " }
    return box.value.withLock { content in
      switch method {
      case "OPTIONS":
        reply(
          "204 No Content",
          [
            "Tus-Version: 1.0.0", "Tus-Extension: \(extensions)",
            "Tus-Checksum-Algorithm: md5,sha1,sha256",
          ])
      case "POST" where request.headers["upload-length"] != nil:
        {
          content.length = Int(request.headers["upload-length"] ?? "") ?? 0
          content.uploads += 1
          content.bytes = []
          return reply("201 Created", ["Location: /files/\(content.uploads)"])
        }()
      case "HEAD":
        reply(
          "200 OK", ["Upload-Offset: \(content.bytes.count)", "Upload-Length: \(content.length)"])
      case "DELETE": reply("204 No Content", [])
      default:
        {
          content.bytes += request.body
          return reply("204 No Content", ["Upload-Offset: \(content.bytes.count)"])
        }()
      }
    }
  }

  static func reply(_ status: String, _ fields: [String]) -> String {
    let lines = ["HTTP/1.1 \(status)", "Tus-Resumable: 1.0.0", "Content-Length: 0"] + fields
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }
}

/// When a file changes that goes in several requests.
enum MomentOfChange: CaseIterable { case pieces, cut }

/// What happens to a file whose upload was begun. No size and no time of its content tell of it.
enum FileEvent: CaseIterable {
  case settingBack, oldMapping, permissions, movedAway, removed

  var isHarmful: Bool { self == .settingBack || self == .oldMapping }

  func happen(to path: String, _ mapping: MappedFile?) throws {
    switch self {
    case .settingBack:
      let size = try FileIdentity(of: FileLocation(path)).size
      try FileChange.rewrite(path, [UInt8](repeating: 2, count: Int(size)))
    case .oldMapping: mapping?.fill(with: 2)
    case .permissions: try #require(chmod(path, 0o400) == 0)
    case .movedAway: try #require(rename(path, path + ".away") == 0)
    case .removed: try #require(unlink(path) == 0)
    }
  }
}

/// Something that a server's script does one time.
final class Once: Sendable {
  private let work: Mutex<(@Sendable () throws -> Void)?>
  private let result = Mutex<Result<Void, any Error>?>(nil)

  init(_ work: sending @escaping () throws -> Void) {
    nonisolated(unsafe) let work = work
    self.work = Mutex({ try work() })
  }

  func make() {
    let work = work.withLock { work in
      defer { work = nil }
      return work
    }
    guard let work else { return }
    let made = Result { try work() }
    result.withLock { $0 = made }
  }

  /// It was done, and nothing went wrong.
  func check() throws { try #require(result.withLock { $0 }).get() }
}

@Suite("Uploads that go on", .timeLimit(.minutes(5)))
struct ResumeTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private func target(_ peer: TusPeer, chunk: Int64? = nil, attempts: Int = 2) -> Target {
    var target = Target(name: "test", url: peer.server.url("/files"))
    target.retry = RetryPolicy(attempts: attempts, base: 0)
    target.resume = ResumeRules(mode: .tus, chunk: chunk)
    target.body = .binary
    return target
  }

  @Test("a line that is lost again and again costs only what was on it, and no attempts")
  func cut() async throws {
    let peer = try TusPeer(cuts: [1_000_000, 2_000_000, 3_000_000, 4_000_000])
    let path = try folder.write("a.bin", count: 5_000_000)
    let harness = EngineHarness()
    let ends = await harness.upload([path], to: target(peer))
    #expect(ends.map(\.code) == ["done 204"], "\(ends)")
    #expect(peer.bytes == (try Array(Data(contentsOf: URL(fileURLWithPath: path)))))
    #expect(
      peer.lines == [
        "OPTIONS /files", "POST /files", "PATCH /files/1", "HEAD /files/1", "PATCH /files/1",
        "HEAD /files/1", "PATCH /files/1", "HEAD /files/1", "PATCH /files/1", "HEAD /files/1",
        "PATCH /files/1",
      ])
    // Progress counts the whole file, and goes on where it was.
    let sent = harness.states(of: ItemID(1)).compactMap { state -> Int64? in
      if case .sending(_, let sent, 5_000_000) = state { sent } else { nil }
    }
    for offset: Int64 in [1_000_000, 2_000_000, 3_000_000, 4_000_000] {
      #expect(sent.contains(offset), "\(offset) of \(sent)")
    }
  }

  @Test("where it goes on is known before a byte of the file leaves")
  func kept() async throws {
    let order = Mutex<[String]>([])
    let peer = try TusPeer { request, _ in
      order.withLock { $0.append(String(request.line.prefix { $0 != " " })) }
      return nil
    }
    let path = try folder.write("a.bin", count: 300_000)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let engine = UploadEngine(
      hooks: .keeping { _, point in
        let words =
          "keep \(point?.url.path ?? "-") \(point?.offset ?? -1) \(point?.identity.size ?? -1)"
        order.withLock { $0.append(words) }
      }
    ) { changes in
      if changes.contains(where: { $0.1.isFinished }) { end.finish() }
    }
    engine.submit([UploadJob(item: .file(path, id: 1), target: target(peer, chunk: 200_000))])
    for await _ in ended {}
    #expect(
      order.withLock { $0 } == [
        "OPTIONS", "POST", "keep /files/1 0 300000", "PATCH", "keep /files/1 200000 300000",
        "PATCH",
      ])
  }

  @Test("what was acknowledged before a pause is kept, until the server says what it has of it")
  func acknowledged() async throws {
    let gate = Gate()
    let peer = try TusPeer(cuts: [1_000_000], gate: gate)
    // Far more than the kernel's buffers hold: the server cannot have all of it.
    let path = try folder.write("a.bin", count: 30_000_000)
    let points = Mutex<[ResumePoint]>([])
    let harness = EngineHarness(keeping: { _, point in
      if let point { points.withLock { $0.append(point) } }
    })
    let job = UploadJob(item: .file(path, id: 1), target: target(peer))
    harness.engine.submit([job])
    await harness.wait { ($0[ItemID(1)]?.last?.bytesAcknowledged(of: 30_000_000) ?? 0) > 900_000 }
    harness.engine.pause([ItemID(1)])
    await harness.wait { $0[ItemID(1)]?.last == .paused }
    let sent = harness.states(of: ItemID(1)).compactMap { $0.bytesAcknowledged(of: 30_000_000) }
    let kept = try #require(points.withLock { $0.last })
    #expect(kept.offset == 0 && kept.keptBytes == sent.last, "\(kept) \(sent)")
    // Another process reads the same.
    let read = try JSONDecoder().decode(ResumePoint.self, from: JSONEncoder().encode(kept))
    #expect(read.keptBytes == kept.keptBytes)
    points.withLock { $0 = [] }
    gate.open()
    harness.engine.retry([job])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 204"])
    #expect(points.withLock { $0.first?.keptBytes } == 1_000_000)
  }

  /// A server that answers the request with this method and offset once `goOn` is passed.
  private func halting(
    at method: String, _ offset: String? = nil, reached: Gate, goOn: Gate, cuts: [Int] = []
  ) throws -> TusPeer {
    try TusPeer(cuts: cuts) { request, _ in
      guard request.line.hasPrefix(method), request.headers["upload-offset"] == offset else {
        return nil
      }
      reached.open()
      goOn.pass()
      return nil
    }
  }

  @Test(
    "a pause does not wait for a reply that nothing depends on",
    arguments: [("OPTIONS", nil), ("POST", nil), ("PATCH", "0"), ("HEAD", nil)])
  func pausedBetween(_ method: String, _ offset: String?) async throws {
    let (reached, goOn) = (Gate(), Gate())
    let peer = try halting(
      at: method, offset, reached: reached, goOn: goOn, cuts: method == "HEAD" ? [100_000] : [])
    let path = try folder.write("a.bin", count: 300_000)
    let harness = EngineHarness()
    var target = target(peer, chunk: 200_000)
    target.stallTimeout = 600
    let job = UploadJob(item: .file(path, id: 1), target: target)
    harness.engine.submit([job])
    await reached.passed()
    harness.engine.pause([ItemID(1)])
    await harness.wait { $0[ItemID(1)]?.last == .paused }
    goOn.open()
    harness.engine.retry([job])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 204"])
  }

  @Test("a pause lets the last piece end, and says so")
  func pausedAtTheEnd() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let peer = try halting(at: "PATCH", "200000", reached: reached, goOn: goOn)
    let path = try folder.write("a.bin", count: 300_000)
    let (spared, say) = AsyncStream.makeStream(of: [String].self)
    let (ends, end) = AsyncStream.makeStream(of: ItemState.self)
    var hooks = EngineHooks()
    hooks.spared = { say.yield($0.map(\.fileName)) }
    let engine = UploadEngine(hooks: hooks) { changes in
      for case (_, let state) in changes where state.isFinished || state == .paused {
        end.yield(state)
      }
    }
    engine.submit([UploadJob(item: .file(path, id: 1), target: target(peer, chunk: 200_000))])
    await reached.passed()
    engine.pause([ItemID(1)])
    #expect(await spared.first { _ in true } == ["a.bin"])
    goOn.open()
    #expect(await ends.first { _ in true }?.code == "done 204")
  }

  @Test("an engine that is shut down lets the piece under way end, and sends no other one")
  func shutDown() async throws {
    let (reached, goOn) = (Gate(), Gate())
    let peer = try halting(at: "PATCH", "100", reached: reached, goOn: goOn)
    let path = try folder.write("a.bin", count: 300_000)
    let harness = EngineHarness()
    let job = UploadJob(item: .file(path, id: 1), target: target(peer, chunk: 100))
    harness.engine.submit([job])
    await reached.passed()
    async let end: Void = harness.engine.shutDown(awaitingReplies: 240)
    goOn.open()
    await end
    #expect(harness.states(of: ItemID(1)).last?.failure?.cause == .cancelled)
    #expect(peer.bytes.count < 300_000)
  }

  @Test("another process goes on with what this one has kept")
  func another() async throws {
    let peer = try TusPeer(cuts: [100_000])
    let path = try folder.write("a.bin", count: 300_000)
    let point = Mutex<ResumePoint?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let hooks = EngineHooks.keeping { _, known in point.withLock { $0 = known } }
    let first = UploadEngine(hooks: hooks) { changes in
      if changes.contains(where: { $0.1.isFinished }) { end.finish() }
    }
    first.submit([UploadJob(item: .file(path, id: 1), target: target(peer, attempts: 1))])
    for await _ in ended {}
    await first.shutDown()
    var item = UploadItem.file(path, id: 1)
    item.resumePoint = point.withLock { $0 }
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: target(peer))])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["done 204"])
    #expect(peer.lines.suffix(3) == ["OPTIONS /files", "HEAD /files/1", "PATCH /files/1"])
    #expect(peer.bytes == (try Array(Data(contentsOf: URL(fileURLWithPath: path)))))
  }

  @Test(
    "what arrives in pieces, or goes on, is what the file held at one moment",
    arguments: MomentOfChange.allCases, FileEvent.allCases)
  func oneMoment(_ moment: MomentOfChange, _ event: FileEvent) async throws {
    let old = [UInt8](repeating: 1, count: 3_000_000)
    let path = try folder.write("a.bin", old)
    let mapping = event == .oldMapping ? try MappedFile(path, old.count) : nil
    mapping?.fill(with: 1)
    let change = Once { try event.happen(to: path, mapping) }
    let count = Mutex(0)
    let peer = try TusPeer(cuts: moment == .cut ? [1_500_000] : []) { request, _ in
      let method = request.line.prefix { $0 != " " }
      let number = count.withLock { count in
        if method == "PATCH" { count += 1 }
        return count
      }
      if moment == .cut ? method == "HEAD" : number == 2 { change.make() }
      return nil
    }
    let ends = await EngineHarness().upload(
      [path], to: target(peer, chunk: moment == .cut ? nil : 1_000_000))
    try change.check()
    #expect(ends.map(\.code) == [event.isHarmful ? "changed" : "done 204"], "\(ends)")
    #expect(event.isHarmful ? peer.bytes.count < old.count : peer.bytes == old)
  }

  /// What happened between two processes, and whether what the server has still counts.
  static let interruptions: [(FileEvent?, goesOn: Bool)] = [
    (nil, true), (.permissions, true), (.settingBack, false), (.oldMapping, false),
  ]

  @Test(
    "another process goes on only with a file that holds what was sent", arguments: interruptions)
  func between(_ event: FileEvent?, goesOn: Bool) async throws {
    let peer = try TusPeer(cuts: [1_000_000])
    let path = try folder.write("a.bin", [UInt8](repeating: 1, count: 3_000_000))
    let mapping = event == .oldMapping ? try MappedFile(path, 3_000_000) : nil
    mapping?.fill(with: 1)
    let point = try await cutUpload(of: path, to: peer)
    try event?.happen(to: path, mapping)
    let new = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    let words = try await goOn(with: path, to: peer, point)
    #expect(peer.bytes == new)
    #expect(peer.lines.contains("POST /files") && (peer.lines.last == "PATCH /files/1") == goesOn)
    #expect(words == (goesOn ? "resumed at 33%" : "starts over: the file has changed"))
  }

  @Test("without a record of when it was read, nothing proves what the file held")
  func noMoment() async throws {
    let peer = try TusPeer(cuts: [1_000_000])
    let path = try folder.write("a.bin", count: 3_000_000)
    let point = try await cutUpload(of: path, to: peer)
    var text = try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(point)) as? [String: Any])
    #expect(text.removeValue(forKey: "moment") != nil)
    let bare = try JSONDecoder().decode(
      ResumePoint.self, from: JSONSerialization.data(withJSONObject: text))
    let words = try await goOn(with: path, to: peer, bare)
    #expect(words == "starts over: the file may have changed")
    #expect(peer.bytes == (try Array(Data(contentsOf: URL(fileURLWithPath: path)))))
  }

  @Test("the figures count what all attempts sent, without what the server had before")
  func figures() async throws {
    let peer = try TusPeer(cuts: [1_000_000, 2_000_000])
    let path = try folder.write("a.bin", count: 3_000_000)
    var item = UploadItem.file(path, id: 1)
    item.resumePoint = try await cutUpload(of: path, to: peer)
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: target(peer))])
    let ends = await harness.finish([ItemID(1)])
    #expect(ends.map { $0.receipt?.bytes } == [1_000_000], "the last attempt's")
    let figures = await harness.engine.figures
    #expect(figures.bytes == 2_000_000 && figures.seconds > 0, "\(figures)")
  }

  /// Sends a file until the line is cut. Returns what the queue keeps then.
  private func cutUpload(of path: String, to peer: TusPeer) async throws -> ResumePoint {
    let point = Mutex<ResumePoint?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let hooks = EngineHooks.keeping { _, known in point.withLock { $0 = known } }
    let engine = UploadEngine(hooks: hooks) { changes in
      if changes.contains(where: { $0.1.isFinished }) { end.finish() }
    }
    engine.submit([UploadJob(item: .file(path, id: 1), target: target(peer, attempts: 1))])
    for await _ in ended {}
    await engine.shutDown()
    let kept = try JSONEncoder().encode(try #require(point.withLock { $0 }))
    return try JSONDecoder().decode(ResumePoint.self, from: kept)
  }

  /// Has another engine resume. Returns what the user is told first.
  private func goOn(
    with path: String, to peer: TusPeer, _ point: ResumePoint
  ) async throws -> String? {
    let words = Mutex<String?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let hooks = EngineHooks.keeping { _, known in
      if let known, known.isAtStart { words.withLock { $0 = $0 ?? known.words } }
    }
    let engine = UploadEngine(hooks: hooks) { changes in
      if changes.contains(where: { $0.1.isFinished }) { end.finish() }
    }
    var item = UploadItem.file(path, id: 1)
    item.resumePoint = point
    engine.submit([UploadJob(item: item, target: target(peer))])
    for await _ in ended {}
    await engine.shutDown()
    return words.withLock { $0 }
  }

  @Test("each piece has its checksum where the server can verify one")
  func checksums() async throws {
    let peer = try TusPeer(extensions: "creation,checksum")
    let path = try folder.write("a.txt", Array("abcdef".utf8))
    _ = await EngineHarness().upload([path], to: target(peer, chunk: 3))
    let sums = peer.server.requests.compactMap { $0.headers["upload-checksum"] }
    #expect(
      sums == [
        "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
        "sha256 y4N5rCCYqhZQKeOTilHaC87PwAj9Z5X0AReGR/lsWzQ=",
      ])
  }

  @Test("what nobody wants any more is deleted there, with the target's own credentials")
  func terminated() async throws {
    let peer = try TusPeer(cuts: [100_000])
    let path = try folder.write("a.bin", count: 300_000)
    var target = target(peer, attempts: 1)
    target.headers = [Target.Field(name: "X-Key", value: Template(literal: "k"))]
    let harness = EngineHarness()
    let jobs = [UploadJob(item: .file(path, id: 1), target: target)]
    harness.engine.submit(jobs)
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["connection-lost"])
    harness.engine.terminate(jobs)
    try await wait(for: "DELETE") { peer.lines.last == "DELETE /files/1" ? true : nil }
    #expect(peer.server.requests.last?.headers["x-key"] == "k")
    #expect(peer.server.requests.last?.headers["tus-resumable"] == "1.0.0")
  }

  @Test("a proxy that forbids PATCH gets POST")
  func override() async throws {
    let peer = try TusPeer { request, _ in
      request.line.hasPrefix("PATCH") ? TusPeer.reply("405 Method Not Allowed", []) : nil
    }
    let path = try folder.write("a.txt", Array("abc".utf8))
    #expect(await EngineHarness().upload([path], to: target(peer)).map(\.code) == ["done 204"])
    #expect(peer.server.requests.last?.headers["x-http-method-override"] == "PATCH")
    #expect(peer.bytes == Array("abc".utf8))
  }

  /// What a server says instead, to which method, and the failure that follows.
  static let faults: [(String, String, [String], String)] = [
    ("POST", "201 Created", [], "resume-no-location"),
    ("POST", "201 Created", ["Location: http://other.example/1"], "resume-location-elsewhere"),
    ("POST", "200 OK", ["Location: /files/1"], "resume-unexpected-status"),
    ("POST", "308 Permanent Redirect", ["Location: /files"], "redirected"),
    ("POST", "413 Content Too Large", [], "http-413"),
    ("POST", "412 Precondition Failed", [], "resume-other-version"),
    ("PATCH", "200 OK", ["Upload-Offset: 3"], "resume-unexpected-status"),
    ("PATCH", "204 No Content", ["Upload-Offset: 4"], "resume-offset-beyond-end"),
    ("PATCH", "204 No Content", [], "resume-no-offset"),
    ("PATCH", "308 Permanent Redirect", ["Location: /files/1"], "redirected"),
    ("OPTIONS", "204 No Content", ["Tus-Version: 0.2.2"], "resume-other-version"),
    ("OPTIONS", "204 No Content", ["Tus-Max-Size: 2"], "too-large"),
  ]

  @Test("a server that breaks the protocol is named for it", arguments: faults)
  func fault(_ method: String, _ status: String, _ fields: [String], _ code: String) async throws {
    let peer = try TusPeer { request, _ in
      request.line.hasPrefix(method) ? TusPeer.reply(status, fields) : nil
    }
    let path = try folder.write("a.txt", Array("abc".utf8))
    let ends = await EngineHarness().upload([path], to: target(peer))
    #expect(ends.map(\.code) == [code], "\(ends)")
  }

  @Test("a server that has lost bytes is named for it")
  func wentBack() async throws {
    let peer = try TusPeer { request, _ in
      request.line.hasPrefix("HEAD") ? TusPeer.reply("200 OK", ["Upload-Offset: 50"]) : nil
    }
    let path = try folder.write("a.bin", count: 300_000)
    var item = UploadItem.file(path, id: 1)
    item.resumePoint = ResumePoint(
      url: peer.server.url("/files/1"), target: "test", identity: try #require(item.identity),
      moment: try HeldFile(item.location).moment, offset: 60)
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: target(peer))])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["resume-offset-went-back"])
    // Nothing is sent to such a server.
    #expect(peer.lines == ["OPTIONS /files", "HEAD /files/1"])
  }

  @Test("a file that is not the one that was queued is not gone on with")
  func changed() async throws {
    let peer = try TusPeer()
    let path = try folder.write("a.txt", Array("abc".utf8))
    let item = UploadItem.file(path, id: 1)
    try Data("ab".utf8).write(to: URL(fileURLWithPath: path))
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: target(peer))])
    #expect(await harness.finish([ItemID(1)]).map(\.code) == ["changed"])
    #expect(peer.lines.isEmpty)
  }
}
