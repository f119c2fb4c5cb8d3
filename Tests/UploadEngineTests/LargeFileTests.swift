import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// Large files, and what may happen while they are sent.
@Suite(.timeLimit(.minutes(3)))
struct LargeFileTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
  private static let goOn = "HTTP/1.1 100 Continue\r\n\r\n"

  private let scratch: ScratchDirectory
  private let path: String
  private let content: [UInt8]

  init() throws {
    scratch = try ScratchDirectory()
    path = scratch.path("large.bin")
    var random = SplitMix64(seed: 7)
    content = random.bytes(6 << 20)
    try scratch.write("large.bin", content)
  }

  /// A file that was written lately is read twice, for its times may not show the next change.
  private func makeOld() async throws {
    try await wait(for: "the file to be old") { () -> Bool? in
      var (status, now) = (stat(), timespec())
      stat(path, &status)
      clock_gettime(CLOCK_REALTIME, &now)
      return now.tv_sec - status.st_ctim.tv_sec > 3 ? true : nil
    }
  }

  private func upload(to server: HostileServer, stallTimeout: Double = 60) async -> String? {
    await EngineHarness().upload([path], to: .once(server.url(), stallTimeout: stallTimeout))
      .first?.code
  }

  /// Whether the file lies in the request's only part, whole.
  private func isWhole(_ request: HostileServer.SeenRequest?) -> Bool {
    guard let request, let head = request.body.firstRange(of: Array("\r\n\r\n".utf8)) else {
      return false
    }
    // Compared as Data, for arrays take long in a debugging build.
    return request.headers["content-length"] == "\(request.body.count)"
      && Data(request.body[head.upperBound...].prefix(content.count)) == Data(content)
      && request.body.suffix(4).elementsEqual("--\r\n".utf8)
  }

  @Test(arguments: [false, true])
  func itArrivesAsItIsAndTheConnectionIsKept(isOld: Bool) async throws {
    if isOld { try await makeOld() }
    let connections = Mutex(0)
    let server = try HostileServer { connection, _ in
      connections.withLock { $0 += 1 }
      while var request = connection.readHead() {
        if request.headers["expect"] != nil { connection.send(Self.goOn) }
        guard let body = connection.read(Int(request.headers["content-length"] ?? "") ?? 0) else {
          return
        }
        request.body = body
        connection.record(request)
        connection.send(Self.ok)
      }
    }
    defer { server.stop() }
    let ends = await EngineHarness(lanes: 1).upload([path, path], to: .once(server.url()))
    #expect(ends.map(\.code) == ["done 200", "done 200"])
    #expect(server.requests.count == 2 && server.requests.allSatisfy { isWhole($0) })
    #expect(connections.withLock { $0 } == 1)
  }

  @Test func aRefusedQuestionIsNotAskedAgain() async throws {
    let server = try HostileServer { connection, number in
      guard number > 0 else {
        guard let request = connection.readHead() else { return }
        connection.record(request)
        connection.send(
          "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        return connection.drain()
      }
      if connection.readRequest() != nil { connection.send(Self.ok) }
    }
    defer { server.stop() }
    #expect(await upload(to: server) == "done 200")
    #expect(server.requests.map { $0.headers["expect"] } == ["100-continue", nil])
    #expect(isWhole(server.requests.last))
  }

  /// How many bytes are unread when the server hangs up after an early reply, and what comes of it.
  @Test(arguments: [(0, "done 200"), (5 << 20, "connection-lost")])
  func anEarlyReply(unread: Int, code: String) async throws {
    try await makeOld()
    // What the server's kernel has taken has arrived, as far as anybody can tell: not all that is unread may fit.
    let server = try HostileServer(receiveBuffer: 128 << 10) { connection, _ in
      guard var request = connection.readHead() else { return }
      connection.send(Self.goOn)
      let length = Int(request.headers["content-length"] ?? "") ?? 0
      guard let start = connection.read(1 << 20) else { return }
      connection.send(Self.ok)
      guard let rest = connection.read(length - start.count - unread), unread == 0 else {
        return connection.reset()
      }
      request.body = start + rest
      connection.record(request)
    }
    defer { server.stop() }
    #expect(await upload(to: server) == code)
    if unread == 0 {
      try await wait(for: "the rest") { isWhole(server.requests.first) ? true : nil }
    }
  }

  @Test func anEarlyRefusalIsTold() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send(Self.goOn)
      guard connection.read(1 << 20) != nil else { return }
      connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
      connection.drain()
    }
    defer { server.stop() }
    #expect(await upload(to: server) == "http-413")
  }

  /// What happens to the file when the server has read a mebibyte of it, and what comes of it.
  @Test(arguments: [
    ("permissions", "done 200"), ("removed", "done 200"), ("written to", "changed"),
    ("cut short", "changed"),
  ])
  func meanwhile(_ event: String, code: String) async throws {
    try await makeOld()
    let path = path
    let server = try HostileServer(receiveBuffer: 64 << 10) { connection, number in
      guard var request = connection.readHead() else { return }
      connection.send(Self.goOn)
      let length = Int(request.headers["content-length"] ?? "") ?? 0
      guard let start = connection.read(1 << 20) else { return }
      if number == 0 {
        switch event {
        case "permissions": chmod(path, 0o400)
        case "removed": unlink(path)
        case "cut short": truncate(path, 2 << 20)
        default:
          let file = FileHandle(forWritingAtPath: path)
          try? file?.write(contentsOf: Data([1, 2, 3]))
          try? file?.close()
        }
      }
      guard let rest = connection.read(length - start.count) else { return }
      request.body = start + rest
      connection.record(request)
      connection.send(Self.ok)
    }
    defer { server.stop() }
    #expect(await upload(to: server) == code)
    // Where only a second reading can tell, it is read again before its end is sent.
    #expect(server.requests.map { isWhole($0) } == (code == "changed" ? [] : [true]))
  }

  /// What becomes of a file once all of it has been handed over.
  enum LateChange: CaseIterable {
    /// Its times are set back, as by somebody who wants nothing to be seen.
    case rewritten
    /// Through a mapping that is made then.
    case mapped
    case cutShort, removed, replaced

    func make(to path: String, _ size: Int) throws {
      let others = Data(repeating: 2, count: size)
      switch self {
      case .rewritten:
        var status = stat()
        try #require(stat(path, &status) == 0)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: others)
        try file.close()
        var times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
      case .mapped:
        let file = open(path, O_RDWR)
        defer { close(file) }
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let start, start != MAP_FAILED else { throw POSIXError(.ENOMEM) }
        memset(start, 2, size)
        munmap(start, size)
      case .cutShort: try #require(truncate(path, 1) == 0)
      case .removed: try #require(unlink(path) == 0)
      case .replaced:
        try others.write(to: URL(filePath: path + ".new"))
        try #require(rename(path + ".new", path) == 0)
      }
    }
  }

  /// The kernel has a copy of what was handed over: whatever becomes of the file then, however late the server reads.
  @Test(arguments: LateChange.allCases)
  func whatComesAfterTheLastByteIsNotSent(change: LateChange) async throws {
    try await makeOld()
    let (path, size) = (path, content.count)
    let failure = Mutex<(any Error)?>(nil)
    // This much fits into the buffers on the way, wherever this runs.
    let rest = 128 << 10
    let server = try HostileServer(receiveBuffer: 1 << 20) { connection, _ in
      guard var request = connection.readHead() else { return }
      connection.send(Self.goOn)
      let length = Int(request.headers["content-length"] ?? "") ?? 0
      guard let start = connection.readNoMore(length - rest), connection.awaitUnread(rest) else {
        return
      }
      do { try change.make(to: path, size) } catch { failure.withLock { $0 = error } }
      guard let end = connection.read(rest) else { return }
      request.body = start + end
      connection.record(request)
      connection.send(Self.ok)
    }
    defer { server.stop() }
    #expect(await upload(to: server) == "done 200")
    #expect(failure.withLock { $0 } == nil)
    #expect(server.requests.map { isWhole($0) } == [true])
  }

  @Test func aLimitHoldsForItToo() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send(Self.goOn)
      connection.drain()
    }
    defer { server.stop() }
    let harness = EngineHarness()
    harness.engine.setLimit(1_000_000)
    let started = ContinuousClock.now
    harness.engine.submit([UploadJob(item: .file(path, id: 1), target: .once(server.url()))])
    await harness.wait { states in
      states[ItemID(1)]?.contains {
        if case .sending(_, let sent, _) = $0 { sent > 1_500_000 } else { false }
      } == true
    }
    #expect(ContinuousClock.now - started > .seconds(1.2))
    harness.engine.cancel([ItemID(1)])
    _ = await harness.finish([ItemID(1)])
  }
}
