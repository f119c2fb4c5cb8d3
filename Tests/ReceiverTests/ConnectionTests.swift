import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Receiver

@Suite("Connections")
struct ConnectionTests {
  @Test("several uploads on one connection, refused ones among them")
  func keepAlive() async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      for round in 1...3 {
        try client.send(Wire.post(Wire.file("x\(round)") + Wire.end))
        let reply = try client.readReply()
        #expect(reply.status == 201 && reply["connection"] == nil)
        // The body was read to its end, so the connection can go on.
        try client.send(Wire.post(Wire.file("never")))
        #expect(try client.readReply().status == 400)
      }
      #expect(try server.names().count == 3)
    }
  }

  @Test("requests that are sent without waiting are answered in order")
  func pipelining() async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      try client.send(
        (1...20).map { Wire.post(Wire.file("\($0)", name: "\($0).txt") + Wire.end) }.joined())
      for index in 1...20 {
        #expect(try Receipt(client.readReply().body).files.map(\.stored) == ["\(index).txt"])
      }
    }
  }

  @Test("a client that ends its direction after the request still gets the answer")
  func halfClose() async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      try client.send(Wire.post(Wire.file("x") + Wire.end))
      client.finishSending()
      #expect(try client.readReply().status == 201)
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test("a body that is shorter than its Content-Length is 400 for a client that still listens")
  func shortBody() async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      try client.send(Wire.head(length: 1_000) + Wire.file("x") + Wire.end)
      client.finishSending()
      let reply = try client.readReply()
      #expect(reply.status == 400 && reply.text.contains("ended before"))
      #expect(try server.names().isEmpty)
    }
  }

  @Test("HTTP/1.0 closes, unless asked to stay; HTTP/1.1 stays, unless asked to close")
  func versions() async throws {
    try await TestServer.run { server in
      let body = Wire.file("x") + Wire.end
      for (version, extra, connection) in [
        ("1.0", [], "close"), ("1.1", ["Connection: close"], "close"),
        ("1.0", ["Connection: keep-alive"], "keep-alive"),
      ] {
        let client = try server.connect()
        try client.send(Wire.post(body, version: version, extra: extra))
        let reply = try client.readReply()
        #expect(reply.status == 201 && reply["connection"] == connection)
        #expect(reply.statusLine.hasPrefix("HTTP/\(version)"))
        if connection == "close" {
          client.finishSending()
          #expect(try client.readToEnd().isEmpty)
        } else {
          try client.send(Wire.post(body, version: version, extra: extra))
          #expect(try client.readReply().status == 201)
        }
      }
    }
  }

  @Test("a request to upgrade is served as it is, and the connection closes")
  func upgrade() async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      let extra = [
        "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk",
      ]
      try client.send(Wire.post(Wire.file("x") + Wire.end, extra: extra))
      let reply = try client.readReply()
      #expect(reply.status == 201 && reply["connection"] == "close")
      client.finishSending()
      #expect(try client.readToEnd().isEmpty)
    }
  }

  @Test("chunked requests, a byte at a time, with extensions and trailers")
  func chunked() async throws {
    try await TestServer.run { server in
      let body = Wire.file("chunked content") + Wire.end
      let chunks = body.utf8.map { "1;x=y\r\n\(Character(Unicode.Scalar($0)))\r\n" }.joined()
      let client = try server.connect()
      try client.send(
        Wire.head(length: nil, extra: ["Transfer-Encoding: chunked"]) + chunks
          + "0\r\nX-Trailer: z\r\n\r\n")
      #expect(try client.readReply().status == 201)
      #expect(try server.bytes("a.txt") == Array("chunked content".utf8))
    }
  }

  @Test("the body in pieces of every kind gives the same file")
  func fragmented() async throws {
    try await TestServer.run { server in
      let content = "line\r\n--\r\n--B\r-\r\n--BB\r\n\r\n--"
      let request = Array(Wire.post(Wire.file(content) + Wire.end).utf8)
      for size in 1...40 {
        let client = try server.connect()
        for start in stride(from: 0, to: request.count, by: size) {
          try client.send(Array(request[start..<min(start + size, request.count)]))
        }
        let file = try #require(try Receipt(client.readReply().body).files.first)
        #expect(file.sha256 == sha256(Array(content.utf8)))
      }
    }
  }

  @Test("a client that goes away in the middle leaves nothing", arguments: [true, false])
  func disconnect(withReset: Bool) async throws {
    try await TestServer.run { server in
      let client = try server.connect()
      try client.send(
        Wire.head("/multiupload", length: 10_000_000) + Wire.file("whole")
          + String(Wire.file(String(repeating: "x", count: 500_000)).dropLast(2)))
      try await eventually { try server.names().count == 2 }
      #expect(try server.names().allSatisfy { $0.hasPrefix(".hoist-") })
      if withReset { client.reset() } else { client.close() }
      try await eventually { server.events.disconnections == 1 }
      #expect(try server.names().isEmpty)
    }
  }

  @Test("a head that never ends is cut off, even if it comes a byte at a time")
  func slowHead() async throws {
    try await TestServer.run {
      $0.headTimeout = .milliseconds(300)
      $0.lingerTimeout = .milliseconds(100)
    } _: { server in
      let silent = try server.connect()
      #expect(try silent.readToEnd().isEmpty)
      let slow = try server.connect()
      try slow.send("POST /upload HTTP/1.1\r\nX-Slow: ")
      try await eventually {
        do { try slow.send("x") } catch { return true }
        return slow.isReadable
      }
    }
  }

  @Test("a body that stops coming is given up with 408, and its partial file is gone")
  func stalledBody() async throws {
    try await TestServer.run {
      $0.stallTimeout = .milliseconds(300)
    } _: { server in
      let client = try server.connect()
      try client.send(Wire.head(length: 1_000) + Wire.file("half"))
      let reply = try client.readReply()
      #expect(reply.status == 408 && reply["connection"] == "close", "\(reply)")
      #expect(try server.names().isEmpty)
    }
  }

  @Test("a body that trickles is given up with 408; one that is only slow is not")
  func trickle() async throws {
    try await TestServer.run {
      // Longer than a busy machine lets the client of this test wait for its turn.
      $0.stallTimeout = .seconds(5)
      $0.minBytesPerSecond = 1_000
    } _: { server in
      let trickling = try server.connect()
      try trickling.send(Wire.head(length: 100_000) + Wire.file("half"))
      try await eventually {
        do { try trickling.send("x") } catch { return true }
        return trickling.isReadable
      }
      let reply = try trickling.readReply()
      #expect(reply.status == 408 && reply.text.contains("less than 1000 bytes a second"))

      let content = String(repeating: "x", count: 20_000)
      let body = Wire.file(content) + Wire.end
      let slow = try server.connect()
      try slow.send(Wire.head(length: body.utf8.count))
      // The one thing that this is about is time: a whole second for what may take twenty.
      for start in stride(from: 0, to: body.utf8.count, by: 1_000) {
        try slow.send(Array(Array(body.utf8)[start..<min(start + 1_000, body.utf8.count)]))
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(try slow.readReply().status == 201)
      #expect(try server.names() == ["a.txt"])
    }
  }

  @Test("a client that does not take its download is cut off")
  func stalledDownload() async throws {
    try await TestServer.run {
      $0.stallTimeout = .milliseconds(300)
    } _: { server in
      try Data(count: 64 << 20).write(to: server.folder.appendingPathComponent("big"))
      let client = try server.connect()
      try client.send("GET /files/big HTTP/1.1\r\nHost: x\r\n\r\n")
      try await eventually { server.events.disconnections == 1 }
      let got = try? client.readToEnd()
      #expect(got.map { $0.count < 64 << 20 } ?? true)
    }
  }

  @Test("a download that takes longer than a head may is not cut off")
  func slowDownload() async throws {
    try await TestServer.run {
      // Longer than a busy machine takes between the connection and its request.
      $0.headTimeout = .seconds(6)
    } _: { server in
      try Data(count: 16 << 20).write(to: server.folder.appendingPathComponent("big"))
      let client = try server.connect()
      try client.send("GET /files/big HTTP/1.1\r\nHost: x\r\n\r\n")
      // The one place where time itself is what is tested.
      try await Task.sleep(for: .seconds(7))
      #expect(try client.readReply().body.count == 16 << 20)
    }
  }

  /// Answers once it may. Until then its clients wait for the receiver, and not the other way round.
  private final class Held: ReceiverEndpoint {
    let requests = Mutex(0)
    let isOpen = Mutex(false)

    func methods(at path: String) -> [String]? { path == "/held" ? ["GET"] : nil }

    func answer(_ request: inout EndpointRequest) async throws -> Reply {
      requests.withLock { $0 += 1 }
      while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
      return Reply(status: 204)
    }
  }

  @Test("connections beyond the limit wait until one ends")
  func maxConnections() async throws {
    let held = Held()
    try await TestServer.run(
      { $0.maxConnections = 2 }, endpoints: [held]
    ) { server in
      let served = [try server.connect(), try server.connect()]
      for client in served { try client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n") }
      try await eventually { held.requests.withLock { $0 } == 2 }
      let third = try server.connect()
      try third.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      // As long as the others are held nothing may come.
      try await Task.sleep(for: .milliseconds(300))
      #expect(!third.isReadable)
      held.isOpen.withLock { $0 = true }
      for client in served { #expect(try client.readReply(hasBody: false).status == 204) }
      served[0].close()
      #expect(try third.readReply().status == 200)
    }
  }

  static let slow = [
    "", "POST /upload HTTP/1.1\r\nX: ", Wire.head(length: 1_000_000) + Wire.file("half"),
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
  ]

  @Test("clients that keep the receiver waiting do not keep others out", arguments: slow)
  func slowCrowd(request: String) async throws {
    try await TestServer.run {
      $0.maxConnections = 12
      $0.maxConnectionsPerAddress = 6
      $0.stopTimeout = .milliseconds(100)
      // Longer than a test: what ends them is not their own time-out.
      $0.headTimeout = .seconds(600)
      $0.stallTimeout = .seconds(600)
    } _: { server in
      let slow = try (0..<6).map { _ in
        let client = try server.connect()
        try client.send(request)
        return client
      }
      for round in 0..<3 {
        let reply = try server.request(Wire.post(Wire.file("x\(round)") + Wire.end))
        #expect(reply.status == 201)
      }
      // Its end comes late where another test starts a program at that moment, which holds it open for a while.
      try await eventually { slow.contains { $0.isReadable } }
    }
  }

  @Test("a request that gave up its place gets an answer and a line in the log, and leaves no file")
  func evicted() async throws {
    try await TestServer.run {
      $0.maxConnections = 1
      $0.stallTimeout = .seconds(600)
    } _: { server in
      let slow = try server.connect()
      try slow.send(Wire.head(length: 1_000_000) + Wire.file("half", name: "slow"))
      try await eventually { try server.names().count == 1 }
      #expect(try server.request(Wire.post(Wire.file("x") + Wire.end)).status == 201)
      #expect(try server.names() == ["a.txt"])
      let told = server.events.all.contains {
        if case .refused(503, let message, _, _) = $0 { message.contains("waiting") } else { false }
      }
      #expect(told, "\(server.events.all)")
      withExtendedLifetime(slow) {}
    }
  }

  /// What each of twenty clients at once comes to.
  private static func ofTwenty(_ client: @escaping @Sendable () throws -> Int) async throws -> [Int]
  {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try client() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("one client may have more connections than are served at once: they take turns")
  func turns() async throws {
    try await TestServer.run {
      $0.maxConnections = 40
      $0.maxConnectionsPerAddress = 4
    } _: { server in
      let statuses = try await Self.ofTwenty {
        let client = try server.connect()
        let body = Wire.file("x") + Wire.end
        try client.send(Wire.post(body, extra: ["Connection: close"]))
        return try client.readReply().status
      }
      #expect(statuses == Array(repeating: 201, count: 20))
      #expect(try server.names().count == 20)
    }
  }

  @Test("while others wait, a reply ends its connection: all requests of all clients are answered")
  func crowd() async throws {
    try await TestServer.run {
      $0.maxConnections = 40
      $0.maxConnectionsPerAddress = 3
    } _: { server in
      let post = Wire.post(Wire.file("x") + Wire.end)
      let ends = try await Self.ofTwenty {
        var client = try server.connect()
        var (ends, answered, isKept) = (0, 0, false)
        while answered < 4 {
          let reply: RawClient.Reply
          do {
            try client.send(post)
            reply = try client.readReply()
          } catch  where isKept {
            // It was idle for so long that its place was given away before this request came.
            (client, isKept) = (try server.connect(), false)
            continue
          }
          #expect(reply.status == 201)
          (answered, isKept) = (answered + 1, reply["connection"] != "close")
          guard !isKept else { continue }
          // Nothing was sent on it that nobody answers.
          client = try server.connect()
          ends += 1
        }
        return ends
      }
      #expect(ends.contains { $0 > 0 })
      #expect(try server.names().count == 80)
    }
  }

  @Test(
    "if too many wait, those turned away get an answer, and everything is accepted in the end")
  func turnedAway() async throws {
    try await TestServer.run {
      $0.maxConnections = 4
    } _: { server in
      let post = Wire.post(Wire.file("x") + Wire.end)
      let refusals = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<24 {
          group.addTask {
            var refusals = 0
            while true {
              let reply = try server.request(post)
              guard reply.status == 503 else {
                #expect(reply.status == 201)
                return refusals
              }
              #expect(reply["retry-after"] == "1" && reply["connection"] == "close")
              refusals += 1
            }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(try server.names().count == 24)
      let told = server.events.all.count {
        if case .refused(503, _, _, _) = $0 { true } else { false }
      }
      #expect(told == refusals)
    }
  }

  @Test("an idle connection keeps its place if its next request has arrived")
  func requestBesideEviction() async throws {
    try await TestServer.run {
      $0.maxConnections = 4
    } _: { server in
      let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
      let served = try (0..<4).map { _ in
        let client = try server.connect()
        try client.send(get)
        #expect(try client.readReply().status == 200)
        return client
      }
      // They have to have been idle for longer than the grace of a second.
      try await Task.sleep(for: .milliseconds(1_100))
      // The receiver's threads sleep while others come and the requests arrive, as on a busy machine.
      let (asleep, awake) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
      for loop in loops {
        loop.execute {
          asleep.signal()
          awake.wait()
        }
      }
      for _ in loops { asleep.wait() }
      let others = try (0..<4).map { _ in try server.connect() }
      // The others' as well: who has a place and sends nothing for a second loses it to the next.
      for client in served + others { try client.send(get) }
      for _ in loops { awake.signal() }
      for client in served {
        let reply = try client.readReply()
        #expect(reply.status == 200)
        client.close()
      }
      for client in others { #expect(try client.readReply().status == 200) }
    }
  }

  @Test("stopping lets an upload end, closes idle connections and refuses new ones")
  func gracefulStop() async throws {
    try await TestServer.run {
      // Longer than a test: what ends the upload is its last bytes.
      $0.stopTimeout = .seconds(600)
    } _: { server in
      let idle = try server.connect()
      try idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = try idle.readReply()
      let body = Wire.file("to the end") + Wire.end
      let busy = try server.connect()
      try busy.send(Wire.head(length: body.utf8.count) + body.dropLast(5))
      try await eventually { try !server.names().isEmpty }

      let stop = Task { await server.receiver.stop() }
      #expect(try idle.readToEnd().isEmpty)
      // On a busy machine the idle one may have timed out before anything was stopped.
      try await eventually {
        do { try server.connect().close() } catch { return true }
        return false
      }
      try busy.send(String(body.suffix(5)))
      let reply = try busy.readReply()
      #expect(reply.status == 201 && reply["connection"] == "close")
      busy.close()
      await stop.value
      #expect(try server.names() == ["a.txt"])
    }
  }

  @Test("stopping does not wait for ever")
  func forcedStop() async throws {
    try await TestServer.run {
      $0.stopTimeout = .milliseconds(100)
    } _: { server in
      let client = try server.connect()
      try client.send(Wire.head(length: 1_000) + Wire.file("half"))
      try await eventually { try !server.names().isEmpty }
      await server.receiver.stop()
      #expect(try server.names().isEmpty)
      let told = server.events.all.compactMap { event -> String? in
        if case .brokenOff(_, let client) = event { client } else { nil }
      }
      #expect(told.count == 1 && told[0].hasPrefix("127.0.0.1:"), "\(server.events.all)")
      await server.receiver.stop()
    }
  }

  @Test("a port that is taken and a second start are clear errors")
  func startErrors() async throws {
    try await TestServer.run { server in
      var configuration = UploadReceiver.Configuration(directory: server.folder.path)
      configuration.port = server.port
      let error = await #expect(throws: ReceiverError.self) {
        _ = try await UploadReceiver(configuration: configuration).start()
      }
      #expect(
        error
          == .listen(host: "127.0.0.1", port: server.port, reason: "Address already in use"))
      await #expect(throws: ReceiverError.alreadyStarted) { _ = try await server.receiver.start() }
      configuration.host = "no-such-host.invalid"
      let unknown = await #expect(throws: ReceiverError.self) {
        _ = try await UploadReceiver(configuration: configuration).start()
      }
      #expect(unknown?.description.contains("no-such-host.invalid: no address is known") == true)
      configuration.host = "192.0.2.1"
      let foreign = await #expect(throws: ReceiverError.self) {
        _ = try await UploadReceiver(configuration: configuration).start()
      }
      #expect(foreign?.description.contains("Name an address of this machine") == true)
    }
  }
}
