import Dispatch
import Foundation
import MultipartForm
import Scheduling
import TestSupport
import Testing
import UploadEngine
import UploadModel
import UploadStore

@testable import Queue

/// What each of these asks is true of every queue, whatever shows it.
@MainActor
@Suite("A queue that nothing shows")
struct SharedQueueTests {
  let folder: ScratchDirectory

  init() throws { folder = try ScratchDirectory() }

  private nonisolated static let accepted = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"

  /// A server that stands still in the middle of the first file.
  private static func stallingAtFirst() throws -> HostileServer {
    try HostileServer { connection, number in
      if number == 0 {
        guard connection.readHead() != nil else { return }
        connection.stall()
      } else if connection.discardRequest() {
        connection.send(accepted)
      }
    }
  }

  /// To a person, their own background process is not another hoist.
  @Test("A hoist that looks on is told who sends the queue", arguments: [false, true])
  func sender(isInBackground: Bool) async throws {
    let (server, _) = try Self.holding(Self.accepted)
    defer { server.stop() }
    var options = SharedQueue.Options()
    options.settings.isHandedOver = isInBackground
    let sender = try QueueSession(in: folder, to: server.url(), options: options)
    sender.queue.open()
    let other = try QueueSession(in: folder, to: server.url())
    other.queue.open()
    let who = isInBackground ? "hoist in the background" : "another hoist"
    let words = "\(who) (process \(getpid())) sends this queue and what you add here"
    try await wait(for: words, otherwise: { "\(other.holder.news)" }) { () -> Bool? in
      let settings = other.holder.news.contains {
        if case .settings(let settings) = $0 {
          settings.isHandedOver == isInBackground
        } else {
          false
        }
      }
      let notice = other.holder.news.last {
        if case .notice = $0 { true } else { false }
      }
      guard settings, case .notice(words, isWarning: false)? = notice else { return nil }
      return true
    }
    await other.close()
    #expect(other.queue.isAside && other.queue.isSentInBackground == isInBackground)
    await sender.close()
  }

  @Test("Everything that is in it is sent, written and reported, the figures before the end")
  func all() async throws {
    let (server, go) = try Self.holding(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", "c", in: folder)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    // As long as more may be read, there are no figures.
    try await wait(for: "the queue to be read") { session.queue.isReading ? nil : true }
    for _ in 0..<3 { go.signal() }
    try await session.wait(until: .sent, .sent, .sent)
    #expect(session.queue.isSender && !session.queue.isReading)
    #expect(session.queue.figures.bytes == 21)
    let order = session.holder.news.map { news in
      switch news {
      case .added: "added"
      case .read: "read"
      case .figures: "figures"
      case .changed(let changes, _):
        changes.contains { $0.1.isDone } ? "done" : "changed"
      default: ""
      }
    }
    #expect(order.firstIndex(of: "added") ?? 9 < order.firstIndex(of: "read") ?? 0, "\(order)")
    #expect(order.lastIndex(of: "figures") ?? 9 < order.lastIndex(of: "done") ?? 0, "\(order)")
    await session.close()
    #expect(try session.store.history().map(\.name).sorted() == ["a", "b", "c"])
  }

  @Test("The end of the last file is told at once")
  func lastEnd() async throws {
    let (server, go) = try Self.holding(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", "c", in: folder)
    var options = SharedQueue.Options()
    options.reportInterval = 3_600_000
    let session = try QueueSession(in: folder, to: server.url(), options: options)
    session.queue.open()
    // As long as more may be read, no file is the last one.
    try await wait(for: "the queue to be read") { session.queue.isReading ? nil : true }
    for _ in 0..<3 { go.signal() }
    try await session.wait(until: .sent, .sent, .sent)
    await session.close()
  }

  @Test("A queue that was stopped stays stopped, also if a limit still holds")
  func stopped() async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", in: folder)
    let before = try UploadStore(path: folder.path("queue.sqlite"))
    try before.setStopped(true)
    try before.setRateLimit(1_000_000)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    try await session.wait(until: .waiting)
    #expect(session.queue.settings == SenderSettings(limit: 1_000_000, isStarted: false))
    #expect(session.holder.messages == ["the limit of 1.0 MB/s still holds"])
    session.queue.setStopped(false)
    try await session.wait(until: .sent)
    #expect(server.requests.count == 1)
    #expect(try before.isStopped() == false)
    await session.close()
  }

  @Test(
    "what is said of files that were cut off is so: in a stopped queue they do not go on",
    arguments: [true, false])
  func cutOff(isStopped: Bool) async throws {
    let (server, go) = try Self.holding(Self.accepted)
    defer {
      go.signal()
      server.stop()
    }
    try QueueSession.queue("a", in: folder)
    let before = try UploadStore(path: folder.path("queue.sqlite"))
    let id = try #require(try before.items().first?.id)
    #expect(try before.begin([id]) == [id])
    try before.setStopped(isStopped)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    // It goes in one request, so nothing of it is kept.
    let next =
      isStopped
      ? "starts from the beginning once the queue is resumed" : "now starts from the beginning"
    let said = try await wait(for: "the message") { session.holder.messages.first }
    #expect(said == "1 upload was interrupted and \(next)")
    await session.close()
  }

  @Test("One that looks on learns what a server's pace holds back, also if that was before it came")
  func pace() async throws {
    try QueueSession.queue("a", in: folder)
    let (lock, link) = try QueueSession.link(in: folder)
    let until = Instant(seconds: 60)
    link.receive([.pace(target: "nas", until: until)])
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let session = try QueueSession(in: folder, to: url)
    session.queue.open()
    var paces: [String] {
      session.holder.news.compactMap { news in
        guard case .pace("nas", let until) = news else { return nil }
        return until.map { "\($0.seconds)" } ?? "over"
      }
    }
    try await wait(for: "the first news") { paces == ["\(until.seconds)"] ? true : nil }
    link.receive([.pace(target: "nas", until: nil)])
    try await wait(for: "the end") { paces.last == "over" ? true : nil }
    await session.close()
    link.stop()
    withExtendedLifetime(lock) {}
  }

  /// An edit that comes too late shows the queue again as it is on disk.
  @Test("What another process adds at the moment of an edit that is refused is sent")
  func addedMeanwhile() async throws {
    let server = try Self.stallingAtFirst()
    defer { server.stop() }
    try QueueSession.queue("a", in: folder, bytes: 20_000_000)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    await server.stalled()
    var item = try #require(session.holder.items.items.first)
    try QueueSession.queue("b", in: folder)
    item.mediaType = "image/png"
    session.queue.edit([item])
    #expect(session.holder.messages == ["not changed: 1 file whose sending has begun"])
    try await session.wait(until: .sending, .sent)
    await session.close()
  }

  @Test("Orders are written, performed and reported: pause, retry, remove, restore")
  func orders() async throws {
    let server = try Self.stallingAtFirst()
    defer { server.stop() }
    try QueueSession.queue("a", in: folder, bytes: 20_000_000)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    await server.stalled()
    let id = try #require(session.holder.items.order.first)
    session.queue.pause([id])
    try await session.wait(until: .paused)
    #expect(try session.store.items().map(\.state) == [.paused])
    let item = try #require(session.holder.items.item(id))
    session.queue.remove([id], begun: [])
    #expect(try session.store.items().isEmpty)
    session.holder.receive([.removed([id])])
    session.queue.restore([QueuePosition(item: item, before: nil)])
    try await session.wait(until: .paused)
    session.queue.retry([id])
    try await session.wait(until: .sent)
    await session.close()
  }

  @Test("What is restored is where the queue's file has it, wherever its neighbour is by now")
  func restoredPlace() async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", "c", in: folder)
    try UploadStore(path: folder.path("queue.sqlite")).setStopped(true)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    try await session.wait(until: .waiting, .waiting, .waiting)
    let order = session.holder.items.order
    let item = try #require(session.holder.items.item(order[1]))
    session.queue.remove([item.id], begun: [])
    session.holder.receive([.removed([item.id])])
    session.queue.restore([QueuePosition(item: item, before: nil)])
    #expect(session.holder.items.order == order)
    await session.close()
  }

  @Test("One that looks on learns how a run ended, also if that was before it came")
  func runs() async throws {
    try QueueSession.queue("a", in: folder)
    let (lock, sender) = try QueueSession.sender(in: folder)
    let kept = RunNews(.kept(isEmpty: true))
    sender.send([.run(target: "nas", kept)])
    let session = try QueueSession(
      in: folder, to: try #require(URL(string: "http://127.0.0.1:9/")))
    session.queue.open()
    try await wait(for: "the run to be known") {
      session.queue.runTroubles == ["nas": kept] ? true : nil
    }
    sender.send([.run(target: "nas", RunNews(.ended(.close)))])
    try await wait(for: "the run to end") {
      session.queue.runTroubles.isEmpty ? true : nil
    }
    let reported = session.holder.news.count { if case .run("nas", _) = $0 { true } else { false } }
    #expect(reported == 2)
    await session.close()
    sender.stop()
    withExtendedLifetime(lock) {}
  }

  @Test(
    "One that looks on learns where the sender's attempts begin, and nothing else of how they resume"
  )
  func beginnings() async throws {
    try QueueSession.queue("a", in: folder)
    let (lock, link) = try QueueSession.link(in: folder)
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let session = try QueueSession(in: folder, to: url)
    session.queue.open()
    let identity = FileIdentity(device: 1, inode: 1, size: 7, modified: 7)
    func point(_ start: Int64) -> ResumePoint {
      ResumePoint(url: url, target: "nas", identity: identity, offset: start, start: start)
    }
    var starts: [Int64] {
      session.holder.news.compactMap { if case .resumed(_, let start) = $0 { start } else { nil } }
    }
    try await wait(for: "the attempt") {
      link.receive([.resumePoint(ItemID(1), point(0)), .resumePoint(ItemID(1), point(4))])
      return starts.isEmpty ? nil : true
    }
    #expect(Set(starts) == [4])
    #expect(session.holder.items.items.first?.resumePoint == nil)
    await session.close()
    link.stop()
    withExtendedLifetime(lock) {}
  }

  @Test(
    "One that looks on and has read files' ends says each once, whatever the sender tells of them late"
  )
  func lateNews() async throws {
    try QueueSession.queue("a", "b", in: folder)
    let (lock, sender) = try QueueSession.sender(in: folder)
    let session = try QueueSession(
      in: folder, to: try #require(URL(string: "http://127.0.0.1:9/")))
    session.queue.open()
    sender.send([.figures(SendingFigures(seconds: 1, bytes: 1))])
    try await wait(for: "the link") { session.queue.figures.bytes == 1 ? true : nil }
    let ids = session.holder.items.order
    let ends: [ItemState] = [.done(Receipt(status: 200)), .failed(Failure(.refused, status: 404))]
    let store = try UploadStore(path: folder.path("queue.sqlite"))
    #expect(try store.begin(ids) == Set(ids))
    try store.record(Array(zip(ids, ends)))
    try await session.wait(until: .sent, .failed)
    sender.send(
      ids.map { .item(id: $0, state: .sending(attempt: 1, sent: 1, total: 7)) }
        + zip(ids, ends).map { .item(id: $0, state: $1) }
        + [.figures(SendingFigures(seconds: 2, bytes: 2))])
    try await wait(for: "the news") { session.queue.figures.bytes == 2 ? true : nil }
    #expect(session.kinds == [.sent, .failed])
    #expect(session.holder.remarks.compactMap(\.end?.word) == ["sent", "failed"])
    // What is tried again is told again.
    let known = try store.items()
    _ = try store.update([known[1].with(.waiting)], from: [known[1]])
    try await session.wait(until: .sent, .waiting)
    sender.send([
      .item(id: ids[1], state: .sending(attempt: 1, sent: 1, total: 7)),
      .item(id: ids[1], state: ends[1]), .figures(SendingFigures(seconds: 3, bytes: 3)),
    ])
    try await wait(for: "the news") { session.queue.figures.bytes == 3 ? true : nil }
    #expect(session.holder.remarks.compactMap(\.end?.word) == ["sent", "failed", "failed"])
    await session.close()
    sender.stop()
    withExtendedLifetime(lock) {}
  }

  @Test("One that looks on knows what the sender knows, and goes on where that one ends")
  func aside() async throws {
    let server = try Self.stallingAtFirst()
    defer { server.stop() }
    try QueueSession.queue("a", in: folder, bytes: 20_000_000)
    var first: QueueSession? = try QueueSession(in: folder, to: server.url())
    first?.queue.open()
    await server.stalled()
    let second = try QueueSession(in: folder, to: server.url())
    second.queue.open()
    #expect(second.queue.isAside)
    try await second.wait(until: .sending)
    second.queue.setLimit(2_000_000)
    try await wait(for: "the limit here and there") {
      first?.queue.settings.limit == 2_000_000
        && second.queue.settings.limit == 2_000_000 ? true : nil
    }
    await first?.close()
    first = nil
    try await second.wait(until: .sent)
    #expect(second.queue.isSender && !second.queue.isAside)
    await second.close()
  }

  @Test("A limit goes over to the one that takes over, even if it was only the sender's own")
  func limitGoesOver() async throws {
    let server = try Self.stallingAtFirst()
    defer { server.stop() }
    try QueueSession.queue("a", in: folder, bytes: 20_000_000)
    var options = SharedQueue.Options()
    options.settings.limit = 3_000_000
    options.keepsLimit = false
    var first: QueueSession? = try QueueSession(in: folder, to: server.url(), options: options)
    first?.queue.open()
    await server.stalled()
    let second = try QueueSession(in: folder, to: server.url())
    second.queue.open()
    try await wait(for: "the limit here") { second.queue.settings.limit == 3_000_000 ? true : nil }
    await first?.close()
    first = nil
    try await second.wait(until: .sent)
    #expect(second.queue.isSender && second.queue.settings.limit == 3_000_000)
    let words = "ended; this window sends now; the limit of 3.0 MB/s still holds"
    #expect(second.holder.messages.contains { $0.hasSuffix(words) }, "\(second.holder.messages)")
    await second.close()
  }

  @Test("What waits for credentials goes on waiting in the background, which says why")
  func refusalsGoOver() async throws {
    let server = try HostileServer.answering(
      "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    try QueueSession.queue("a", "b", "c", in: folder)
    var options = SharedQueue.Options()
    options.refused = ["nas": .missing]
    let sender = try QueueSession(in: folder, to: server.url(), options: options)
    sender.queue.open()
    try await wait(for: "the files") { sender.holder.items.totals.waiting == 3 ? true : nil }
    let watcher = try QueueSession(in: folder, to: server.url())
    watcher.queue.open()
    try await wait(for: "why they wait") {
      watcher.holder.news.contains {
        if case .refusal("nas", .missing) = $0 { true } else { false }
      } ? true : nil
    }
    // Whatever was sent before this one would have been counted by the time it is refused.
    let id = try #require(sender.holder.items.waiting.last)
    sender.queue.retry([id])
    try await wait(for: "the refusal") {
      sender.holder.items.item(id)?.state.isFailed == true ? true : nil
    }
    #expect(server.requests.count == 1)
    await watcher.close()
    await sender.close()
  }

  @Test("One that joins later shows the speeds that were measured before, and not only its own")
  func speedsSoFar() async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", in: folder, bytes: 20_000_000)
    var options = SharedQueue.Options()
    options.settings.limit = 200_000
    let first = try QueueSession(in: folder, to: server.url(), options: options)
    first.queue.open()
    let now = TimeSource.system.now
    let id = try #require(try first.store.items().first?.id)
    func knowsSpeeds(_ session: QueueSession) -> Bool {
      let speeds = session.holder.speeds
      return speeds.speed(of: id, at: now()) != nil && speeds.totalSpeed(at: now()) != nil
    }
    try await wait(for: "speeds") {
      knowsSpeeds(first) && first.holder.speeds.whole.values(60, at: now()).count > 2 ? true : nil
    }
    let known = first.holder.speeds.whole.values(60, at: now())
    let second = try QueueSession(in: folder, to: server.url())
    second.queue.open()
    try await second.wait(until: .sending)
    #expect(knowsSpeeds(second))
    let shown = second.holder.speeds.whole.values(60, at: now())
    #expect(!known.isEmpty && shown.starts(with: known), "\(shown) instead of \(known)")
    await second.close()
    await first.close()
  }

  @Test("One that looks on knows what has been sent so far, while more is being sent")
  func figuresSoFar() async throws {
    let (server, go) = try Self.holding(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", in: folder)
    let first = try QueueSession(in: folder, to: server.url())
    first.queue.open()
    try await wait(for: "the queue to be read") { first.queue.isReading ? nil : true }
    let second = try QueueSession(in: folder, to: server.url())
    second.queue.open()
    go.signal()
    try await wait(for: "one file's figures") { second.queue.figures.bytes == 7 ? true : nil }
    #expect(second.queue.figures.seconds > 0 && first.queue.figures == second.queue.figures)
    go.signal()
    try await wait(for: "the other one's") { second.queue.figures.bytes == 14 ? true : nil }
    await second.close()
    await first.close()
  }

  @Test(
    "One that takes over goes on counting, until what was sent is cleared",
    arguments: [true, false])
  func figuresGoOn(isListed: Bool) async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", in: folder)
    let store = try UploadStore(path: folder.path("queue.sqlite"))
    let sent = try #require(try store.items().first?.id)
    _ = try store.begin([sent])
    try store.record([(sent, .done(Receipt(status: 201, bytes: 7)))])
    if !isListed { try store.remove([sent]) }
    var other = Optional(try QueueSession.sender(in: folder))
    let figures = SendingFigures(seconds: 1000, bytes: 20)
    other?.server.send([.figures(figures)])
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    try await wait(for: "the figures") { session.queue.figures == figures ? true : nil }
    var notices: [String] {
      session.holder.news.compactMap { if case .notice(let text, _) = $0 { text } else { nil } }
    }
    try await wait(for: "who sends") { notices.isEmpty ? nil : true }
    other?.server.stop()
    other = nil
    let ends: [ItemState.Kind] = isListed ? [.sent, .sent] : [.sent]
    try await wait(for: "the rest to be sent") { session.kinds == ends ? true : nil }
    #expect(session.queue.figures.bytes == (isListed ? 27 : 7))
    #expect((session.queue.figures.seconds >= 1000) == isListed)
    // It does not call itself another hoist: that one is named once, when its news come.
    #expect(notices.count == 1, "\(notices)")
    await session.close()
  }

  /// A server that holds back each reply until it is told to give it.
  private static func holding(_ reply: String) throws -> (HostileServer, DispatchSemaphore) {
    let go = DispatchSemaphore(value: 0)
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        go.wait()
        connection.send(reply)
      }
    }
    return (server, go)
  }

  /// Has another process react to the end of a file as soon as it is on disk. That is before it is told here.
  private func react(
    toReply reply: String, _ react: (UploadStore, UploadItem) throws -> Void
  ) async throws -> (QueueSession, HostileServer, DispatchSemaphore) {
    let (server, go) = try Self.holding(reply)
    try QueueSession.queue("a", in: folder)
    let other = try UploadStore(path: folder.path("queue.sqlite"))
    var options = SharedQueue.Options()
    options.reportInterval = 1000
    let session = try QueueSession(in: folder, to: server.url(), options: options)
    session.queue.open()
    try await wait(for: "the request to be there") {
      if case .awaitingReply = session.holder.items.items.first?.state { true } else { nil }
    }
    go.signal()
    // Nothing is told meanwhile, since this does not leave the main actor.
    let deadline = ContinuousClock.now + .seconds(20)
    var item = try #require(try other.items().first)
    while !item.state.isFinished, .now < deadline { item = try #require(try other.items().first) }
    try react(other, item)
    return (session, server, go)
  }

  @Test("A file that fails and is retried elsewhere before that is reported is sent again")
  func retriedElsewhere() async throws {
    let (session, server, go) = try await react(
      toReply: "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
    ) { store, item in
      #expect(item.state.kind == .failed)
      try store.update([item.with(.waiting)], from: [item])
    }
    defer { server.stop() }
    try await wait(for: "the second request") { server.requests.count == 2 ? true : nil }
    go.signal()
    try await session.wait(until: .failed)
    await session.close()
  }

  /// What another process does to a file, seen only after the file's turn has come and gone, and what then undoes it.
  enum Undone: CaseIterable {
    case removal, pause

    func happens(in store: UploadStore, to item: UploadItem) throws {
      switch self {
      case .removal: try store.remove([item.id])
      case .pause: try store.pause([item.id])
      }
    }

    func isUndone(in store: UploadStore, of item: UploadItem) throws {
      switch self {
      case .removal: _ = try store.relist([item.id])
      case .pause: try store.update([item.with(.waiting)], from: [item])
      }
    }
  }

  @Test(
    "A file that was removed or paused elsewhere as its turn came is sent once that is undone",
    arguments: Undone.allCases, [true, false])
  func undone(_ what: Undone, atOnce: Bool) async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", in: folder)
    let other = try UploadStore(path: folder.path("queue.sqlite"))
    try other.setStopped(true)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    try await session.wait(until: .waiting, .waiting)
    try await wait(for: "the queue to be read") { session.queue.isReading ? nil : true }
    let item = try #require(session.holder.items.items.first)
    // Nothing is read meanwhile, since this does not leave the main actor.
    try what.happens(in: other, to: item)
    session.queue.setStopped(false)
    let deadline = ContinuousClock.now + .seconds(20)
    while try other.items().last?.state.isDone != true, .now < deadline { usleep(1000) }
    if atOnce {
      try what.isUndone(in: other, of: item)
    } else {
      let left: [ItemState.Kind] = what == .removal ? [.sent] : [.paused, .sent]
      try await wait(for: "\(left)") { session.kinds == left ? true : nil }
      try what.isUndone(in: other, of: item)
    }
    try await wait(for: "both files to be sent", otherwise: { "\(session.kinds)" }) {
      session.kinds == [.sent, .sent] ? true : nil
    }
    #expect(server.requests.count == 2)
    await session.close()
  }

  @Test("A file that is sent and cleared elsewhere before that is reported counts as sent")
  func clearedElsewhere() async throws {
    let (session, server, _) = try await react(toReply: Self.accepted) { store, item in
      #expect(item.state.isDone)
      try store.remove([item.id])
    }
    defer { server.stop() }
    try await wait(for: "the file to be gone") { session.holder.items.count == 0 ? true : nil }
    let done = session.holder.news.firstIndex {
      if case .changed(let changes, _) = $0 { changes.contains { $0.1.isDone } } else { false }
    }
    let removed = session.holder.news.firstIndex { if case .removed = $0 { true } else { false } }
    #expect(try #require(done) < #require(removed))
    await session.close()
  }
}
