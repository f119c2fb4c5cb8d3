import Foundation
import Scheduling
import TestSupport
import Testing
import UploadModel

@testable import Queue

/// The socket, with peers that do as they should and peers that do not.
@Suite(.serialized, .needs("python3"))
@MainActor
struct SenderSocketTests {
  let folder: ScratchDirectory
  let place: SocketPlace

  init() throws {
    folder = try ScratchDirectory()
    try folder.write("queue", [])
    place = try SocketPlace(
      queue: folder.path("queue"), environment: ["XDG_RUNTIME_DIR": folder.path])
  }

  private static let moving = SenderNews.item(
    id: ItemID(1), state: .sending(attempt: 1, sent: 5, total: 10))

  /// What a listener has heard.
  @MainActor private final class Ear {
    var received: [SenderNews] = []
    var hasEnded = false
    var listener: SenderListener?

    init(at place: SocketPlace) throws {
      let listener = try SenderListener(at: place)
      self.listener = listener
      listener.onNews = { [weak self] in self?.received += $0 }
      listener.onEnd = { [weak self] in self?.hasEnded = true }
    }
  }

  /// A peer that says what it likes.
  private final class Peer {
    let descriptor: Int32

    init(at place: SocketPlace) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      try #require(LocalSocket.call(connect, descriptor, try place.address()) == 0)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Sends what fits now; false where the other end is closed.
    func say(_ bytes: some Collection<UInt8>) -> Bool {
      LocalSocket.send(Array(bytes)[...], to: descriptor) != .ended
    }

    func say(_ text: String) -> Bool { say(text.utf8) }

    /// What has come; nil at the end.
    func read() -> String? {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var text = ""
      while true {
        switch LocalSocket.receive(from: descriptor, into: &buffer) {
        case .bytes(let count): text += String(decoding: buffer[..<count], as: UTF8.self)
        case .later: return text
        case .ended: return text.isEmpty ? nil : text
        }
      }
    }
  }

  private func greeting(_ version: Int = LinkLine.version) -> [UInt8] {
    LinkLine.encode(LinkLine.Greeting(hoist: version, process: 1))
  }

  /// However much may be read at once, nothing is read from a connection that has been closed in the middle.
  @Test(.timeLimit(.minutes(1))) func aClosedConnectionIsReadNoFurther() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let connection = LinkConnection(ends[0])
    connection.onLine = { _ in false }
    connection.begin()
    let lines = greeting() + Array("not what was asked for\n".utf8)
    #expect(LocalSocket.send(lines[...], to: ends[1]) == .bytes(lines.count))
    connection.read(atMost: .max)
    #expect(!connection.isOpen)
    connection.read(atMost: .max)
  }

  /// Those that only follow the news do not send the queue afterwards.
  @Test func thoseThatWouldTakeOverAreCounted() async throws {
    let server = try SenderServer(at: place)
    defer { server.stop() }
    var counts: [Int] = []
    server.onSuccessors = { counts.append($0) }
    let follower = try Ear(at: place)
    try await wait(for: "the first news") { follower.received.last == .complete ? true : nil }
    let first = try SenderListener(at: place, asSuccessor: true)
    try await wait(for: "the first") { counts == [1] ? true : nil }
    let second = try SenderListener(at: place, asSuccessor: true)
    try await wait(for: "the second") { counts == [1, 2] ? true : nil }
    first.stop()
    follower.listener?.stop()
    try await wait(for: "the end of the first") { counts == [1, 2, 1] ? true : nil }
    second.stop()
    try await wait(for: "the end of both") { counts == [1, 2, 1, 0] ? true : nil }
  }

  @Test func whatIsToldIsHeardAndOrdersArrive() async throws {
    let server = try SenderServer(at: place)
    defer { server.stop() }
    var orders: [SenderOrder] = []
    server.onOrder = { order, answer in
      orders.append(order)
      if order == .awaitRuns { answer([.runsHaveEnded]) }
    }
    server.send([Self.moving])
    let first = try Ear(at: place)
    try await wait(for: "the first news") { first.received.last == .complete ? true : nil }
    #expect(
      first.received == [
        .settings(SenderSettings()), .figures(SendingFigures()), Self.moving, .complete,
      ])
    #expect(first.listener?.process == getpid())
    let second = try Ear(at: place)
    try await wait(for: "a second listener") { second.received.last == .complete ? true : nil }
    server.send([.item(id: ItemID(1), state: .paused)])
    for ear in [first, second] {
      try await wait(for: "the news") {
        ear.received.last == .item(id: ItemID(1), state: .paused) ? true : nil
      }
    }
    first.listener?.send(.lanes(3, target: "nas"))
    second.listener?.send(.tryServers)
    try await wait(for: "the orders") { orders.count == 2 ? true : nil }
    #expect(Set(orders) == [.lanes(3, target: "nas"), .tryServers])
    first.listener?.send(.awaitRuns)
    try await wait(for: "the answer") { first.received.last == .runsHaveEnded ? true : nil }
    server.stop()
    for ear in [first, second] {
      try await wait(for: "the end") { ear.hasEnded ? true : nil }
    }
    #expect(!second.received.contains(.runsHaveEnded), "only the first has asked")
    // Nothing is left, and nothing waits for it.
    first.listener?.receiveRest()
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test(
    arguments: [
      "GET / HTTP/1.1\r\n\r\n", "\n", "{}\n", "{\"hoist\":99,\"process\":1}\n",
      "{\"hoist\":\(LinkLine.version)}\n", "\u{0}\u{1}\u{2}\n",
      "{\"hoist\":\(LinkLine.version),\"process\":1}\n{\"delete\":{}}\n",
      "{\"hoist\":\(LinkLine.version),\"process\":1}\n{\"limit\":{\"_0\":-1}}\n",
      "{\"hoist\":\(LinkLine.version),\"process\":1}\n[[[[[[\n",
      String(repeating: "[", count: 100_000) + "\n",
    ])
  func whoSaysWhatIsNotSaidIsTurnedAway(_ text: String) async throws {
    let server = try SenderServer(at: place)
    defer { server.stop() }
    server.onOrder = { order, _ in Issue.record("\(order)") }
    let honest = try Ear(at: place)
    let peer = try Peer(at: place)
    _ = peer.say(text)
    try await wait(for: "the end") { peer.read() == nil ? true : nil }
    server.send([Self.moving])
    try await wait(for: "news for the other") { honest.received.last == Self.moving ? true : nil }
    #expect(server.listening.count == 1)
  }

  @Test func aLineWithoutEndIsNotKept() async throws {
    let server = try SenderServer(at: place)
    defer { server.stop() }
    let honest = try Ear(at: place)
    let peer = try Peer(at: place)
    let piece = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 16)
    // A gigabyte is meant; how much is taken of it is counted.
    var said = 0
    try await wait(for: "the end of the connection") { () -> Bool? in
      for _ in 0..<64 {
        switch LocalSocket.send(piece[...], to: peer.descriptor) {
        case .bytes(let count): said += count
        case .later: return nil
        case .ended: return true
        }
      }
      return nil
    }
    #expect(said < 1 << 30 && said < 2 * LinkLine.longest + 1 << 20, "\(said)")
    server.send([Self.moving])
    try await wait(for: "news for the other") { honest.received.last == Self.moving ? true : nil }
  }

  @Test func whoReadsNothingIsDroppedAndNobodyWaits() async throws {
    let server = try SenderServer(at: place)
    defer { server.stop() }
    let honest = try Ear(at: place)
    let stopped = try Peer(at: place)
    #expect(stopped.say(greeting()))
    try await wait(for: "both") { server.listening.count == 2 ? true : nil }
    let failure = Failure(.refused, reply: Reply(text: String(repeating: "x", count: 50_000)))
    var longest = ContinuousClock.Duration.zero
    for number in 0..<400 where server.listening.count == 2 {
      longest = max(
        longest,
        ContinuousClock().measure {
          server.send([.item(id: ItemID(Int64(number)), state: .failed(failure))])
        })
      // The honest one reads between.
      try await Task.sleep(for: .milliseconds(1))
    }
    try await wait(for: "the end of the one that reads nothing") {
      server.listening.count == 1 ? true : nil
    }
    // Waiting for that one would never end.
    #expect(longest < .seconds(10), "\(longest)")
    server.send([Self.moving])
    try await wait(for: "news for the other") { honest.received.last == Self.moving ? true : nil }
    #expect(!honest.hasEnded)
  }

  @Test func aSenderOfAnotherVersionIsNotListenedTo() async throws {
    let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listening) }
    try place.prepare()
    try #require(LocalSocket.call(bind, listening, try place.address()) == 0)
    try #require(listen(listening, 4) == 0)
    for line in ["{\"hoist\":99,\"process\":1}\n", "hello\n", String(repeating: "x", count: 100)] {
      let ear = try Ear(at: place)
      let peer = accept(listening, nil, nil)
      defer { close(peer) }
      _ = LocalSocket.send(Array(line.utf8)[...], to: peer)
      if line.utf8.last != UInt8(ascii: "\n") { shutdown(peer, Int32(SHUT_RDWR)) }
      try await wait(for: "the end") { ear.hasEnded ? true : nil }
      #expect(ear.received == [])
      #expect(ear.listener?.process == nil)
    }
  }

  @Test func aSocketThatWasLeftBehindIsReplaced() async throws {
    try place.prepare()
    let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(LocalSocket.call(bind, dead, try place.address()) == 0)
    close(dead)
    #expect(throws: LinkError.self) { try SenderListener(at: place) }
    let server = try SenderServer(at: place)
    defer { server.stop() }
    let ear = try Ear(at: place)
    try await wait(for: "news") { ear.received.last == .complete ? true : nil }
  }

  @Test func aFolderThatOthersMayEnterIsNotUsed() throws {
    try place.prepare()
    chmod(place.folder, 0o755)
    #expect(throws: LinkError.self) { try SenderServer(at: place) }
    #expect(throws: LinkError.self) { try SenderListener(at: place) }
    rmdir(place.folder)
    try FileManager.default.createSymbolicLink(
      atPath: place.folder, withDestinationPath: folder.path)
    #expect(throws: LinkError.self) { try SenderServer(at: place) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
  func anotherUserIsTurnedAway() async throws {
    let server = try SenderServer(at: place)
    defer { server.stop() }
    server.onOrder = { order, _ in Issue.record("\(order)") }
    // The folder keeps others out. Should it not, the socket does.
    for path in [folder.path, place.folder] { chmod(path, 0o711) }
    chmod(place.path, 0o666)
    let script = """
      import os, socket, sys
      os.setgroups([])
      os.setuid(65534)
      peer = socket.socket(socket.AF_UNIX)
      peer.settimeout(20)
      peer.connect(sys.argv[1])
      try:
          peer.sendall(b'{"hoist":1,"process":1}\\n{"tryServers":{}}\\n')
          print(len(peer.recv(100)))
      except OSError as error:
          print(0)
      """
    let other = Task.detached { [path = place.path] in
      try Tool.run("python3", ["-c", script, path])
    }
    #expect(try await other.value.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
    #expect(server.listening.count == 0)
  }

  @Test(
    arguments: [
      (["XDG_RUNTIME_DIR": "/r"], "/r/hoist/"), (["XDG_RUNTIME_DIR": "relative"], nil),
      ([:], nil), (["TMPDIR": "/t"], nil),
    ] as [([String: String], String?)])
  func placesAreOnesThatBothSidesFind(_ environment: [String: String], _ folder: String?) throws {
    let path = try SocketPlace(queue: self.folder.path("queue"), environment: environment).path
    let hasUsual = access("/run/user/\(geteuid())", W_OK | X_OK) == 0
    let temporary = environment["TMPDIR"] ?? "/tmp"
    let expected =
      folder ?? (hasUsual ? "/run/user/\(geteuid())/hoist/" : "\(temporary)/hoist-\(geteuid())/")
    #expect(path.hasPrefix(expected), "\(path)")
    let link = self.folder.path("link")
    symlink(self.folder.path("queue"), link)
    #expect(try SocketPlace(queue: link, environment: environment).path == path)
  }

  @Test func anOpenFolderIsRefusedWithACommandThatClosesIt() throws {
    let open = folder.path("a b")
    for path in [open, open + "/hoist"] { mkdir(path, 0o755) }
    let place = try SocketPlace(
      queue: folder.path("queue"), environment: ["XDG_RUNTIME_DIR": open])
    let error = #expect(throws: LinkError.self) { try place.prepare() }
    #expect(error?.description.contains("run: chmod 700 '\(open)/hoist'") == true)
  }
}
