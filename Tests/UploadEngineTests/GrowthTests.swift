import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// Files that are written to at their end while they are sent, such as logs.
@Suite("A file that grows arrives as it was at one moment, and says so", .timeLimit(.minutes(5)))
struct GrowthTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
  private static let line = Array("another line\n".utf8)

  private static func append(_ bytes: [UInt8] = line, to path: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// A server that has something done in the middle of each body.
  private func server(_ meanwhile: @escaping @Sendable (_ request: Int) -> Void) throws
    -> HostileServer
  {
    try HostileServer(receiveBuffer: 64 << 10) { connection, number in
      while var request = connection.readHead(),
        let length = Int(request.headers["content-length"] ?? "")
      {
        guard let start = connection.read(100_000) else { return }
        meanwhile(number)
        guard let rest = connection.read(length - start.count) else { return }
        request.body = start + rest
        connection.record(request)
        connection.send(Self.ok)
      }
    }
  }

  private func target(_ server: HostileServer) -> Target {
    var target = Target.once(server.url())
    target.body = .binary
    return target
  }

  private func receipt(of path: String, to target: Target) async throws -> Receipt {
    let ends = await EngineHarness().upload([path], to: target)
    return try #require(ends.first?.receipt, "\(ends)")
  }

  @Test("whatever its size", arguments: [7_900_000, 30_000_000])
  func whileItIsSent(_ size: Int) async throws {
    let path = try folder.write("a.log", count: size)
    let old = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let server = try server { _ in try? Self.append(to: path) }
    defer { server.stop() }
    let receipt = try await receipt(of: path, to: target(server))
    // The first attempt does not know that it grows, and gives up.
    #expect(receipt.attempts == 1)
    #expect(receipt.growth == Int64(Self.line.count))
    #expect(receipt.isDoubtful)
    #expect(receipt.words == "200, but the file has grown by 13 B since it was read")
    #expect(server.requests.map(\.body) == [old + Self.line])
  }

  @Test("a file that is written anew, and longer, has changed")
  func writtenAnew() async throws {
    let path = try folder.write("a.log", count: 7_900_000)
    let server = try server { number in
      guard number > 0 else {
        try? Self.append(to: path)
        return
      }
      // In its place, and never shorter than it was.
      let file = FileHandle(forUpdatingAtPath: path)
      try? file?.write(contentsOf: Data(repeating: 2, count: 8_300_000))
      try? file?.close()
    }
    defer { server.stop() }
    let ends = await EngineHarness().upload([path], to: target(server))
    #expect(ends.first?.failure?.cause == .changed(.modified), "\(ends)")
    #expect(server.requests.isEmpty)
  }

  @Test("it is sent as it is when its turn comes, if it has grown since it was queued")
  func sinceItWasQueued() async throws {
    let server = try HostileServer.answering(Self.ok)
    defer { server.stop() }
    var target = target(server)
    let paths = try ["a.log", "b.log"].map { try folder.write($0, Array("before".utf8)) }
    let items = paths.enumerated().map { UploadItem.file($1, id: Int64($0) + 1) }
    for path in paths { try Self.append(to: path) }
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: items[0], target: target)])
    let receipt = try #require(await harness.finish([ItemID(1)]).first?.receipt)
    #expect(receipt.growth == nil && receipt.sent?.size == 19)
    #expect(server.requests.map(\.body) == [Array("before".utf8) + Self.line])
    // Not if the target does not take so much.
    target.limits.maxBytes = 10
    harness.engine.submit([UploadJob(item: items[1], target: target)])
    let ends = await harness.finish([ItemID(2)])
    #expect(ends.first?.failure?.cause == .tooLarge(limit: 10), "\(ends)")
  }

  @Test("in a request with others, which arrive with it")
  func inBatch() async throws {
    let paths = try ["a.log", "b", "c"].map { try folder.write($0, count: 7_900_000) }
    let server = try server { _ in try? Self.append(to: paths[0]) }
    defer { server.stop() }
    var target = target(server)
    target.body = .multipart
    target.batch = BatchRule(maxFiles: 10, maxBytes: 1 << 30, splitsRefused: false)
    let ends = await EngineHarness().upload(paths, to: target)
    #expect(ends.map { $0.receipt?.growth } == [13, nil, nil], "\(ends)")
    #expect(server.requests.count == 1)
  }

  @Test("with digests of what is sent")
  func digests() async throws {
    let path = try folder.write("a.log", count: 7_900_000)
    let old = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let server = try server { _ in try? Self.append(to: path) }
    defer { server.stop() }
    var target = target(server)
    target.publicHeaders = [
      Target.Field(name: "X-Sum", value: try Template("{file.sha256}"))
    ]
    #expect(try await receipt(of: path, to: target).growth == 13)
    let sum = FileDigest.digests([.sha256], of: FileLocation(path), first: Int64(old.count) + 13)
    #expect(server.requests.map { $0.headers["x-sum"] } == [sum?[.sha256]])
  }

  @Test("it stays, whatever the target does with files that arrived")
  func disposal() async throws {
    let path = try folder.write("a.log", count: 7_900_000)
    for grows in [true, false] {
      let server = try server { _ in if grows { try? Self.append(to: path) } }
      defer { server.stop() }
      var target = target(server)
      (target.after.way, target.after.finals) = (.delete, [200])
      #expect(try await (receipt(of: path, to: target).disposal == nil) == grows)
    }
  }

  @Test("it stays, too, if the server has what it was already", arguments: [true, false])
  func thereAlready(grows: Bool) async throws {
    let path = try folder.write("a.log", Array("before".utf8))
    let item = UploadItem.file(path, id: 1)
    // From now on it is known to grow.
    try Self.append(to: path)
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        if grows { try? Self.append(to: path) }
        connection.send(Self.ok)
      }
    }
    defer { server.stop() }
    var target = target(server)
    let url = try Template(
      server.url("/has/").absoluteString + "{file.sha1}", escaping: .url,
      lookup: Template.Lookup(environment: { _ in nil }))
    target.exists = ExistenceCheck(call: Call(url: url))
    target.after.way = .delete
    let harness = EngineHarness()
    harness.engine.submit([UploadJob(item: item, target: target)])
    let ends = await harness.finish([ItemID(1)])
    let receipt = try #require(ends.first?.receipt, "\(ends)")
    #expect(receipt.wasThere && receipt.growth == (grows ? 13 : nil))
    #expect((receipt.disposal == nil) == grows)
    #expect(server.requests.count == 1)
  }

  @Test("in pieces, without a new beginning")
  func resumable() async throws {
    let path = try folder.write("a.log", count: 3_000_000)
    let old = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let peer = try TusPeer { request, _ in
      if request.line.hasPrefix("PATCH") { try? Self.append(to: path) }
      return nil
    }
    defer { peer.server.stop() }
    var target = Target.once(peer.server.url("/files"))
    target.body = .binary
    target.resume = ResumeRules(mode: .tus, chunk: 1_000_000)
    let receipt = try await receipt(of: path, to: target)
    #expect(receipt.growth == 39)
    #expect(peer.bytes == old)
    #expect(peer.lines.count { $0.hasPrefix("POST") } == 1)
  }
}
