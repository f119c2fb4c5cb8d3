import Foundation
import FoundationNetworking
import HTTPTransport
import Synchronization
import TestSupport
import Testing

/// A program that knows URLSession only: it sends a file and notes what it is told, in order.
private final class Program: NSObject, URLSessionDataDelegate {
  struct Told: Equatable, Sendable, CustomStringConvertible {
    /// What was told, in order, each kind once.
    var calls: [String] = []
    var identifiers: Set<Int> = []
    var sent: Int64 = 0
    var totals: Set<Int64> = []
    var expected: Set<Int64> = []
    var status: Int?
    var type: String?
    var reply = Data()
    var error: URLError.Code?
    var isOver = false

    var description: String {
      "\(calls) tasks \(identifiers) sent \(sent) of \(expected), status \(status ?? 0) \(type ?? ""), "
        + "\(String(decoding: reply, as: UTF8.self)), error \(error?.rawValue ?? 0)"
    }

    mutating func note(_ call: String, _ task: URLSessionTask) {
      if calls.last != call { calls.append(call) }
      identifiers.insert(task.taskIdentifier)
    }
  }
  let told = Mutex(Told())

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    told.withLock {
      $0.note("sent", task)
      $0.sent += bytesSent
      $0.totals.insert(totalBytesSent)
      $0.expected.insert(totalBytesExpectedToSend)
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    told.withLock {
      $0.note("response", dataTask)
      $0.status = (response as? HTTPURLResponse)?.statusCode
      $0.type = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    told.withLock {
      $0.note("data", dataTask)
      $0.reply.append(data)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    told.withLock {
      $0.note("end", task)
      $0.error = (error as? URLError)?.code
      $0.isOver = true
    }
  }

  /// Sends a file and returns what was told until the end.
  func send(
    _ file: URL, to url: URL, over session: URLSession, timeout: Double = 60,
    meanwhile: (URLSessionTask, Program) async throws -> Void = { _, _ in }
  ) async throws -> (told: Told, task: URLSessionTask) {
    var request = URLRequest(url: url, timeoutInterval: timeout)
    request.httpMethod = "PUT"
    request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    let task = session.uploadTask(with: request, fromFile: file)
    task.resume()
    try await meanwhile(task, self)
    let told = try await wait(for: "the end over \(type(of: session))", seconds: 30) {
      () -> Told? in
      let told = self.told.withLock { $0 }
      return told.isOver ? told : nil
    }
    return (told, task)
  }
}

/// The same program over Foundation's session and over ours.
@Suite("A program that knows URLSession only", .timeLimit(.minutes(3)))
struct SessionComparisonTests {
  private static let size = 300_000

  /// How a server behaves, with a file of `size` bytes.
  struct Behaviour: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let script: @Sendable (HostileConnection) -> Void

    init(_ name: String, _ script: @escaping @Sendable (HostileConnection) -> Void) {
      (testDescription, self.script) = (name, script)
    }

    /// Reads the request, then sends this.
    static func answers(_ name: String, _ pieces: String...) -> Behaviour {
      Behaviour(name) { connection in
        guard connection.readRequest() != nil else { return }
        for piece in pieces { connection.send(piece) }
      }
    }
  }

  /// Those after which both tell the same.
  static let alike: [Behaviour] = [
    .answers(
      "answers", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ngood"),
    .answers("has nothing to say", "HTTP/1.1 204 No Content\r\n\r\n"),
    .answers("refuses", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"),
    .answers(
      "fails", "HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\noops"),
    .answers(
      "answers in chunks", "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n",
      "3\r\nabc\r\n",
      "2\r\nde\r\n", "0\r\n\r\n"),
    .answers("answers until it closes", "HTTP/1.0 200 OK\r\n\r\n", "whole"),
    .answers(
      "sends an interim reply first", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
    Behaviour("takes its time") { connection in
      guard connection.readRequest() != nil else { return }
      Thread.sleep(forTimeInterval: 0.3)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")
    },
    Behaviour("reads slowly") { connection in
      guard connection.readHead() != nil else { return }
      for _ in 0..<(size / 50_000) {
        guard connection.discard(50_000) else { return }
        Thread.sleep(forTimeInterval: 0.02)
      }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    },
    .answers(
      "names a type",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
  ]

  private struct Two {
    let foundations: Program.Told
    let ours: Program.Told
    let tasks: (foundation: URLSessionTask, our: URLSessionTask)
  }

  /// Runs the program over both sessions.
  private func both(
    at url: URL
  ) async throws -> Two {
    let folder = try ScratchDirectory()
    let file = URL(fileURLWithPath: try folder.write("file.bin", count: Self.size))
    let (first, second) = (Program(), Program())
    let foundation = URLSession(configuration: .ephemeral, delegate: first, delegateQueue: nil)
    let our: URLSession = UploadSession(delegate: second)
    defer {
      foundation.invalidateAndCancel()
      our.invalidateAndCancel()
    }
    let one = try await first.send(file, to: url, over: foundation)
    let other = try await second.send(file, to: url, over: our)
    return Two(foundations: one.told, ours: other.told, tasks: (one.task, other.task))
  }

  /// Runs the program over our session, with a file of this many bytes.
  private func ours(
    _ bytes: Int = size, to url: URL, timeout: Double = 60,
    meanwhile: (URLSessionTask, Program) async throws -> Void = { _, _ in }
  ) async throws -> (told: Program.Told, task: URLSessionTask) {
    let folder = try ScratchDirectory()
    let file = URL(fileURLWithPath: try folder.write("file.bin", count: bytes))
    let program = Program()
    let session: URLSession = UploadSession(delegate: program)
    return try await program.send(
      file, to: url, over: session, timeout: timeout, meanwhile: meanwhile)
  }

  @Test("is told the same by both sessions", arguments: alike)
  func same(_ behaviour: Behaviour) async throws {
    let server = try HostileServer { connection, _ in behaviour.script(connection) }
    defer { server.stop() }
    let two = try await both(at: server.url())
    // How many calls there are, and at which bytes, is the line's affair.
    var (foundations, ours) = (two.foundations, two.ours)
    #expect(ours.totals.max() == Int64(Self.size) && foundations.totals.max() == Int64(Self.size))
    (foundations.totals, ours.totals) = ([], [])
    #expect(foundations == ours)
    for task in [two.tasks.foundation, two.tasks.our] {
      #expect(task.state == .completed && task.error == nil)
      #expect(task.countOfBytesSent == Int64(Self.size))
      #expect((task.response as? HTTPURLResponse)?.statusCode == ours.status)
      #expect(task.originalRequest?.httpMethod == "PUT")
      #expect(task.originalRequest?.value(forHTTPHeaderField: "Content-Type") != nil)
    }
    // Foundation's own tasks leave it at 0.
    #expect(two.tasks.our.countOfBytesReceived == Int64(ours.reply.count))
  }

  @Test("is told the same when nobody listens")
  func refused() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(HostileServer.closedPort())/"))
    let two = try await both(at: url)
    #expect(two.foundations == two.ours)
    #expect(two.ours.error == .cannotConnectToHost)
    #expect((two.tasks.our.error as? URLError)?.code == .cannotConnectToHost)
  }

  /// By ours only: on Linux, Foundation's own task now and then ends the program when it is cancelled in the middle of
  /// an upload (a `try!` in its EasyHandle.swift).
  @Test("is told of its cancellation by ours")
  func cancelled() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.stall()
    }
    defer { server.stop() }
    let (told, task) = try await ours(64 << 20, to: server.url()) { task, _ in
      try await wait(for: "the first bytes") { task.countOfBytesSent > 0 ? true : nil }
      task.cancel()
    }
    #expect(told.error == .cancelled && told.calls.last == "end")
    #expect(task.state == .completed && (task.error as? URLError)?.code == .cancelled)
    #expect(told.sent < 64 << 20)
  }

  /// On purpose: with Foundation's session on Linux the same program waits for ever.
  @Test("is told of a time-out by ours")
  func silence() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.stall()
    }
    defer { server.stop() }
    let (told, _) = try await ours(to: server.url(), timeout: 1)
    #expect(told.error == .timedOut)
  }

  /// On purpose: where a server says to go is the caller's decision, who may not want to send its file there.
  @Test("is given a redirect by ours, and taken there by Foundation's")
  func redirect() async throws {
    let server = try HostileServer { connection, _ in
      guard let request = connection.readRequest() else { return }
      connection.send(
        request.line.contains("/there")
          ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"
          : "HTTP/1.1 303 See Other\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let two = try await both(at: server.url())
    #expect(two.foundations.status == 200 && two.ours.status == 303)
  }

  /// On purpose: a body of which the server may have read something is sent again only if the request allows it.
  @Test("is told by ours that a connection was lost")
  func lost() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.reset()
    }
    defer { server.stop() }
    let two = try await both(at: server.url())
    #expect(two.ours.error == .networkConnectionLost)
    #expect(two.ours.calls.last == "end" && two.foundations.calls.last == "end")
  }

  @Test("holds back the body while a task is suspended")
  func suspended() async throws {
    let mayRead = DispatchSemaphore(value: 0)
    let server = try HostileServer(receiveBuffer: 64 << 10) { connection, _ in
      guard connection.readHead() != nil else { return }
      mayRead.wait()
      guard connection.discard(64 << 20) else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let (told, task) = try await ours(64 << 20, to: server.url()) { task, _ in
      let held = try #require(task as? UploadTask)
      try await wait(for: "the first bytes") {
        held.transferProgress.handedOver > 0 ? true : nil
      }
      task.suspend()
      #expect(task.state == .suspended)
      mayRead.signal()
      try await wait(for: "a body that waits") { held.transferProgress.isHeldBack ? true : nil }
      let before = held.transferProgress.handedOver
      #expect(before < 64 << 20 && held.transferProgress.handedOver == before)
      task.resume()
    }
    #expect(told.error == nil && told.sent == 64 << 20)
    #expect(task.state == .completed)
  }

  @Test("gets replies by completion handlers, and no other call")
  func handlers() async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    defer { server.stop() }
    let (url, program) = (server.url(), Program())
    let session: URLSession = UploadSession(delegate: program)
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    let (ends, continuation) = AsyncStream.makeStream(of: (String, Int?, Bool).self)
    let end: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
      continuation.yield(
        (
          String(decoding: data ?? Data(), as: UTF8.self),
          (response as? HTTPURLResponse)?.statusCode, error == nil
        ))
    }
    let tasks = [
      session.uploadTask(with: request, from: Data("body".utf8), completionHandler: end),
      session.dataTask(with: request, completionHandler: end),
      session.dataTask(with: url, completionHandler: end),
    ]
    #expect(Set(tasks.map(\.taskIdentifier)).count == 3)
    var iterator = ends.makeAsyncIterator()
    for task in tasks {
      task.resume()
      let told = try #require(await iterator.next())
      #expect(told == ("ok", 200, true))
    }
    #expect(program.told.withLock { $0.calls } == [])
    #expect(server.requests.map(\.body) == [Array("body".utf8), [], []])
  }

  @Test(
    "invalidates a session: what runs is cancelled, what comes after it too, and the delegate hears so once"
  )
  func invalidated() async throws {
    final class Hearer: NSObject, URLSessionTaskDelegate {
      let ends = Mutex<[String]>([])
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
      ) {
        ends.withLock { $0.append((error as? URLError)?.code == .cancelled ? "cancelled" : "?") }
      }
      func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        ends.withLock { $0.append("invalid") }
      }
    }
    let server = try HostileServer { connection, _ in connection.stall() }
    defer { server.stop() }
    let hearer = Hearer()
    let session: URLSession = UploadSession(delegate: hearer)
    let tasks = (0..<2).map { _ in
      session.uploadTask(with: URLRequest(url: server.url()), from: Data("a".utf8))
    }
    let early = session.dataTask(with: server.url())
    for task in tasks { task.resume() }
    let all = await withCheckedContinuation { continuation in
      session.getAllTasks { tasks in continuation.resume(returning: tasks.map(\.taskIdentifier)) }
    }
    #expect(all == tasks.map(\.taskIdentifier))
    session.invalidateAndCancel()
    try await wait(for: "the session's end") {
      hearer.ends.withLock { $0.contains("invalid") ? true : nil }
    }
    #expect(hearer.ends.withLock { $0 } == ["cancelled", "cancelled", "invalid"])
    // What was made before it begins no more than what is made now.
    let before = server.requests.count
    for task in [early, session.dataTask(with: server.url())] {
      task.resume()
      try await wait(for: "the late task's end") { task.state == .completed ? true : nil }
      #expect((task.error as? URLError)?.code == .cancelled)
    }
    #expect(server.requests.count == before && session.delegate == nil)
  }

  @Test("does not hurry while it is suspended, and begins nothing")
  func suspendedAtOnce() async throws {
    let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    let (told, _) = try await ours(10, to: server.url(), timeout: 1) { task, program in
      task.suspend()
      // Longer than its time-out.
      try await Task.sleep(for: .seconds(1.3))
      // It may have begun before.
      if server.requests.isEmpty { #expect(!program.told.withLock { $0.isOver }) }
      task.resume()
    }
    #expect(told.error == nil && told.status == 200 && told.sent == 10)
  }

  @Test("is not given what it refuses")
  func refusedReply() async throws {
    final class Refuser: NSObject, URLSessionDataDelegate {
      let told = Mutex<(data: Int, end: URLError.Code?, isOver: Bool)>((0, nil, false))
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
      ) { completionHandler(.cancel) }
      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        told.withLock { $0.data += data.count }
      }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
      ) { told.withLock { ($0.end, $0.isOver) = ((error as? URLError)?.code, true) } }
    }
    let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    defer { server.stop() }
    let refuser = Refuser()
    let session: URLSession = UploadSession(delegate: refuser)
    session.uploadTask(with: URLRequest(url: server.url()), from: Data("a".utf8)).resume()
    try await wait(for: "the end") { refuser.told.withLock { $0.isOver ? true : nil } }
    #expect(refuser.told.withLock { $0.data == 0 && $0.end == .cancelled })
  }

  @Test("is told why a file cannot be sent", arguments: ["missing", "FIFO", "folder", "grown"])
  func files(_ kind: String) async throws {
    let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    let folder = try ScratchDirectory()
    let path = folder.path("file")
    switch kind {
    case "FIFO": #expect(mkfifo(path, 0o600) == 0)
    case "folder": #expect(mkdir(path, 0o700) == 0)
    case "grown": try folder.write("file", count: 10)
    default: break
    }
    let (ends, continuation) = AsyncStream.makeStream(of: URLError.Code?.self)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = .infinity
    let session: URLSession = UploadSession(configuration: configuration)
    let task = session.uploadTask(
      with: URLRequest(url: server.url()), fromFile: URL(fileURLWithPath: path)
    ) { _, _, error in continuation.yield((error as? URLError)?.code) }
    if kind == "grown" { try folder.write("file", count: 20) }
    task.resume()
    let end = await ends.first { _ in true }
    #expect(end == (kind == "missing" ? .fileDoesNotExist : .cannotOpenFile))
  }
}
