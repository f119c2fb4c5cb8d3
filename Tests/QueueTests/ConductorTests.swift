import Dispatch
import Foundation
import MultipartForm
import Scheduling
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

@testable import Queue

@MainActor
@Suite("A queue that only memory has")
struct ConductorTests {
  /// Remembers the news.
  private final class Listener: QueueObserver {
    private(set) var news: [QueueNews] = []
    func receive(_ news: [QueueNews]) { self.news += news }

    var states: [(id: ItemID, state: ItemState)] {
      news.flatMap { news -> [(ItemID, ItemState)] in
        if case .changed(let changes, _) = news { changes } else { [] }
      }.map { (id: $0.0, state: $0.1) }
    }
    var ends: [ItemState] { states.map(\.state).filter(\.isFinished) }
    var bytes: Int64? {
      news.compactMap { if case .figures(let figures) = $0 { figures.bytes } else { nil } }.last
    }
  }

  /// A store that is busy writing from the first end of a file on, and writes one turn after another.
  private final class SlowStore: QueueStore {
    let isLasting = true
    let memory: (any ResumeMemory & DigestMemory)? = nil
    let addresses = SentAddresses()
    private let waiting = Mutex<[(ends: Int, write: @Sendable () -> Void)]>([])
    private let isQuick = Atomic(false)

    var ends: Int { waiting.withLock { $0.reduce(0) { $0 + $1.ends } } }

    func write(_ turn: QueueTurn, then: @escaping @Sendable (Set<ItemID>?) -> Void) {
      let ends = turn.changes.count { $0.1.isFinished }
      let waits = waiting.withLock { waiting in
        let waits = !isQuick.load(ordering: .relaxed) && (ends > 0 || !waiting.isEmpty)
        if waits { waiting.append((ends, { then(Set(turn.claims)) })) }
        return waits
      }
      if !waits { then(Set(turn.claims)) }
    }

    func writeFirst() { waiting.withLock { $0.removeFirst() }.write() }

    func writeAll() {
      isQuick.store(true, ordering: .relaxed)
      for turn in waiting.withLock({ exchange(&$0, with: []) }) { turn.write() }
    }

    func claimsAhead(ofRequestsTaking seconds: Double) -> Int { 0 }
    func keep(_ point: ResumePoint?, of id: ItemID) {}
    func keepRun(_ point: RunPoint?, of target: String) -> Bool { true }
    func record(_ news: RunNews, of target: String) {}
    func hasUnsent(_ target: String) -> Bool { false }
    func keep(_ address: SentAddresses.Entry) {}
  }

  let folder: ScratchDirectory
  private let listener = Listener()
  private let store = MemoryStore(memory: nil, addresses: SentAddresses(), runs: [:])

  init() throws { folder = try ScratchDirectory() }

  private func conductor(to target: Target, _ store: (any QueueStore)? = nil) -> Conductor {
    var options = Conductor.Options()
    (options.waitsForServers, options.waitsForPerson) = (false, false)
    options.reportsEach = true
    let conductor = Conductor(
      store ?? self.store,
      with: Conductor.Tools(
        book: SingleTarget(SendPlan(target), at: target.url.absoluteString), time: .system,
        mediaType: { _ in nil }),
      options: options)
    conductor.addObserver(listener)
    conductor.start()
    return conductor
  }

  private func item(_ number: Int64, _ name: String) throws -> UploadItem {
    let location = FileLocation(try folder.write(name, Array("content".utf8)))
    let identity = try FileIdentity(of: location)
    return UploadItem(
      id: ItemID(number), location: location, mediaType: "text/plain", typeSource: "",
      size: identity.size, identity: identity)
  }

  @Test("Every change of each file is reported, without the target's secrets")
  func all() async throws {
    let body = "your token is 0123456789secret"
    let server = try HostileServer.answering(
      "HTTP/1.1 201 Created\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    defer { server.stop() }
    var target = Target(name: "nas", url: server.url())
    target.headers = [
      Target.Field(
        name: "Authorization", value: Template(literal: "Bearer 0123456789secret").hidden(as: "KEY")
      )
    ]
    let conductor = conductor(to: target)
    conductor.send(try [item(1, "a"), item(2, "b")])
    try await wait(for: "both ends") { listener.ends.count == 2 ? true : nil }
    let words = listener.ends.map { $0.receipt?.reply.text }
    #expect(words == ["your token is (secret)", "your token is (secret)"], "\(listener.states)")
    for id in [ItemID(1), ItemID(2)] {
      let first = listener.states.first { $0.id == id }
      #expect(first?.state == .preparing(attempt: 1), "\(listener.states)")
    }
    let known = await conductor.account()
    let account = try #require(known)
    #expect(account.figures.bytes == 14 && account.lanes > 0)
    await conductor.close()
  }

  @Test("What has been sent so far is told with the files, and not before they are written")
  func figuresOfWhatIsWritten() async throws {
    let goOn = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      goOn.wait()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let store = SlowStore()
    let conductor = conductor(to: Target(name: "nas", url: server.url()), store)
    conductor.send(try [item(1, "a"), item(2, "b")])
    goOn.signal()
    try await wait(for: "one end") { store.ends == 1 ? true : nil }
    goOn.signal()
    try await wait(for: "the other end") { store.ends == 2 ? true : nil }
    store.writeFirst()
    try await wait(for: "the first file") { listener.ends.count == 1 ? true : nil }
    #expect(listener.bytes == 7)
    store.writeAll()
    try await wait(for: "the second file") { listener.ends.count == 2 ? true : nil }
    #expect(listener.bytes == 14)
    await conductor.close()
  }

  @Test("Files that are stopped fail as cancelled, since no other process goes on with them")
  func stopped() async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.stall()
    }
    defer { server.stop() }
    var target = Target(name: "nas", url: server.url())
    target.concurrency = 1
    let conductor = conductor(to: target)
    conductor.send(try [item(1, "a"), item(2, "b")])
    await server.stalled()
    conductor.cancel([ItemID(1), ItemID(2)])
    try await wait(for: "both ends") { listener.ends.count == 2 ? true : nil }
    let second = listener.states.last { $0.id == ItemID(2) }?.state.failure
    #expect(second?.cause == .cancelled && second?.attempts == 0, "\(listener.states)")
    await conductor.close()
  }

  /// Otherwise all that the server had would count as sent in that moment.
  @Test(
    "Where an upload resumes is told before how far it has come, however busy the main queue is")
  func resumed() async throws {
    let hasBegun = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        let fields = "Tus-Resumable: 1.0.0\r\nTus-Version: 1.0.0\r\nContent-Length: 0\r\n"
        switch head.line.prefix(4) {
        case "OPTI": connection.send("HTTP/1.1 204 No Content\r\n\(fields)\r\n")
        case "HEAD":
          connection.send(
            "HTTP/1.1 200 OK\r\nUpload-Offset: 5\r\nUpload-Length: 7\r\n\(fields)\r\n")
        default:
          _ = connection.read(2)
          hasBegun.signal()
          return connection.stall()
        }
      }
    }
    defer { server.stop() }
    var target = Target(name: "nas", url: server.url())
    target.resume = ResumeRules(mode: .tus)
    var item = try item(1, "a")
    try await FileChange.waitUntilOld(folder.path("a"))
    item.resumePoint = ResumePoint(
      url: server.url("/files/1"), target: "nas", identity: try #require(item.identity),
      moment: try HeldFile(item.location).moment, offset: 5)
    let conductor = conductor(to: target)
    conductor.send([item])
    Self.block(until: hasBegun)
    // That it is being sent may be told a moment after the server has its first bytes.
    let told = try await wait(for: "both") { () -> [String]? in
      conductor.reportNow()
      let told = listener.news.compactMap { news -> String? in
        switch news {
        case .resumePoint(_, let point): "from \(point?.start ?? 0)"
        case .changed(let changes, _):
          changes.lazy.compactMap { _, state in
            if case .sending(_, let sent, _) = state { "sent \(sent)" } else { nil }
          }.first
        default: nil
        }
      }
      return told.count > 1 ? told : nil
    }
    #expect(told.prefix(2) == ["from 5", "sent 5"], "\(listener.news)")
    conductor.cancel([ItemID(1)])
    await conductor.close()
  }

  /// Nothing else runs on the main queue meanwhile.
  private static func block(until semaphore: DispatchSemaphore) {
    _ = semaphore.wait(timeout: .now() + 60)
  }
}
