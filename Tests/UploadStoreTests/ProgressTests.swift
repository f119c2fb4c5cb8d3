import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import UploadModel
@testable import UploadStore

@Suite("What was done, on disk")
struct ProgressTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  @Test("Only what waits may begin")
  func begin() throws {
    let (store, other) = (try harness.open(), try harness.open())
    let ids = try store.enqueue([item("a"), item("b"), item("c", state: .paused), item("d")])
      .map(\.id)
    try other.remove([ids[1]])
    #expect(try store.begin(ids) == [ids[0], ids[3]])
    #expect(try store.begin(ids) == [])
  }

  @Test("How long a change took to get to the disk is told once; what is not written took no time")
  func secondsToDisk() throws {
    let store = try harness.open()
    #expect(store.takeSecondsToDisk() == nil)
    let id = try store.enqueue([item("a")])[0].id
    let seconds = try #require(store.takeSecondsToDisk())
    #expect(seconds > 0 && seconds < 60)
    #expect(store.takeSecondsToDisk() == nil)
    try store.record([(id, .sending(attempt: 1, sent: 4, total: 10))])
    #expect(store.takeSecondsToDisk() == nil)
    _ = try store.begin([id])
    #expect(store.takeSecondsToDisk() != nil)
  }

  @Test(
    "A refusal of the whole file leaves all of its bytes in the history, whether or not their steps were told",
    arguments: [[], [ItemState.sending(attempt: 1, sent: 4, total: 10)]])
  func refusedWhole(_ steps: [ItemState]) throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a", size: 10)])[0].id
    _ = try store.begin([id])
    let failure = Failure(.refused, status: 403)
    for state in steps + [.awaitingReply(attempt: 1, since: Instant(seconds: 5)), .failed(failure)]
    {
      try store.record([(id, state)])
    }
    #expect(try store.history().map(\.bytes) == [10])
  }

  @Test("An upload that was delivered has its receipt")
  func delivered() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id], now: Date(timeIntervalSince1970: 100))
    try store.record([
      (id, .preparing(attempt: 1)), (id, .sending(attempt: 1, sent: 4, total: 10)),
      (id, .awaitingReply(attempt: 1, since: Instant(seconds: 5))),
    ])
    var receipt = Receipt(
      status: 201, url: "http://nas/a", deletionURL: "http://nas/del/a",
      reply: Reply(text: "{}", mediaType: "application/json"),
      attempts: 1, seconds: 2, bytes: 10)
    try store.record([(id, .done(receipt))], now: Date(timeIntervalSince1970: 102))
    receipt.arrived = 102
    #expect(try harness.open().items()[0].state == .done(receipt))
    let entry = try #require(try store.history().first)
    #expect(entry.outcome == .done && entry.status == 201 && entry.bytes == 10)
    #expect(entry.deletionURL == "http://nas/del/a")
    #expect(entry.url == "http://nas/a" && entry.began == Date(timeIntervalSince1970: 100))
  }

  @Test("A doubt outlives the program, and a rule that is made later makes a failure of the file")
  func doubt() throws {
    let store = try harness.open()
    let ids = try store.enqueue([item("a"), item("b", inode: 2)]).map(\.id)
    _ = try store.begin(ids)
    var receipt = Receipt(status: 200, reply: Reply(text: #"{"ok":false}"#), bytes: 10)
    (receipt.doubt, receipt.growth) = ("ok is false", 12_000)
    receipt.disposal = Disposal(.delete, of: nil)
    var pushed = item("c", inode: 3)
    pushed.state = .done(receipt)
    try store.record(ids.map { ($0, .done(receipt)) })
    try store.log([(pushed, Date())])
    let again = try harness.open()
    #expect(try again.items().map { $0.state.receipt?.doubt } == ["ok is false", "ok is false"])
    #expect(try again.items().map { $0.state.receipt?.growth } == [12_000, 12_000])
    #expect(try again.history().map(\.doubt) == ["ok is false", "ok is false", "ok is false"])
    #expect(try again.history().map(\.growth) == [12_000, 12_000, 12_000])

    let failure = Failure(.outcomeUnknown("ok is false"), status: 200, attempts: 1)
    try again.judgeAnew([(ids[0], failure)])
    let judged = try harness.open()
    #expect(try judged.items().map(\.state.failure) == [failure, nil])
    #expect(try judged.dueDisposals().map(\.item.id) == [ids[1]])
    let entry = try #require(try judged.history().first)
    #expect(
      entry.doubt == nil && entry.outcome?.rawValue == "outcome-unknown"
        && entry.arrival == .unclear)
    #expect(entry.message == failure.explanation)
    // It is done only once: the file is sent again.
    let known = try Array(judged.items().prefix(1))
    try judged.update(known.map { $0.with(.waiting) }, from: known)
    try judged.judgeAnew([(ids[0], failure)])
    #expect(try judged.items()[0].state == .waiting)
  }

  @Test(
    "A person who has found a file on the server makes an arrival of an unclear outcome, which says so"
  )
  func confirmed() throws {
    let store = try harness.open()
    let files = [item("a"), item("b", inode: 2), item("c", inode: 3)]
    let ids = try store.enqueue(files).map(\.id)
    _ = try store.begin(ids)
    let failure = Failure(.outcomeUnknown("closed"), attempts: 1)
    try store.record([(ids[0], .failed(failure)), (ids[1], .failed(failure))])
    // The one that is being sent stays as it is.
    try store.confirm([ids[0], ids[2]])
    let again = try harness.open()
    let receipt = try #require(try again.items()[0].state.receipt)
    #expect(receipt.isConfirmed && receipt.words == "arrived, confirmed by hand")
    #expect(try again.items().map(\.state.isDone) == [true, false, false])
    #expect(try again.dueDisposals().isEmpty, "nothing happens to the local file")
    let entry = try #require(try again.history().first { $0.item == ids[0] })
    #expect(entry.outcome == .confirmed && entry.arrival == nil)
    #expect(entry.message == failure.explanation, "what failed stays known")
    // From now on, the file counts as sent before.
    let asked = try again.items().prefix(2).map { $0.with(.waiting) }
    #expect(
      try again.sentBefore(Array(asked)).mapValues(\.isCertain) == [
        ids[0]: true, ids[1]: false,
      ])
  }

  @Test("What was sent is kept with the receipt, whatever the item says before and after")
  func sent() throws {
    let store = try harness.open()
    var queued = try store.enqueue([item("photo.jpg"), item("b")])
    _ = try store.begin(queued.map(\.id))
    let sent = SentFile(name: "p0_photo.jpg", mediaType: "image/webp", size: 580)
    try store.record([
      (queued[0].id, .done(Receipt(status: 201, bytes: 580, sent: sent))),
      (queued[1].id, .done(Receipt(status: 201, bytes: 10))),
    ])
    func check() throws {
      let items = try harness.open().items()
      guard case .done(let receipt) = items[0].state, case .done(let old) = items[1].state else {
        Issue.record("\(items.map(\.state))")
        return
      }
      #expect(receipt.sent == sent && items[0].sentSize == 580 && items[0].size == 10)
      #expect(old.sent == nil, "what was not recorded is not made up")
      let history = try store.history()
      #expect(history.map(\.name) == ["p0_photo.jpg", "b"])
      #expect(history.map(\.size) == [580, 10] && history[0].mediaType == "image/webp")
      #expect(history.map(\.target) == ["nas", "nas"])
    }
    try check()
    (queued[0].fileName, queued[0].target) = ("renamed.jpg", "other")
    (queued[1].fileName, queued[1].target) = ("c", "other")
    try store.edit(queued)
    try check()
    // So does what was pushed past the queue.
    var pushed = item("pushed.jpg")
    pushed.state = .done(Receipt(status: 200, bytes: 580, sent: sent))
    try store.log([(pushed, Date(timeIntervalSince1970: 1))])
    #expect(try store.history().last?.name == "p0_photo.jpg")
    #expect(try store.history().last?.mediaType == "image/webp")
  }

  @Test("What the history advises goes by whether another attempt goes on where the server is")
  func advice() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a"), item("b")])
    let lost = Failure(.connectionLost("reset"), attempts: 1)
    _ = try store.begin(queued.map(\.id))
    let url = try #require(URL(string: "http://nas/files/1"))
    try store.keep(
      ResumePoint(
        url: url, target: queued[0].target, identity: try #require(queued[0].identity)),
      of: queued[0].id)
    try store.record(queued.map { ($0.id, .failed(lost)) })
    #expect(
      try store.history().map { $0.message?.hasSuffix("Retry resumes where the upload left off.") }
        == [true, false])
    #expect(
      try store.items().map {
        $0.explanation?.hasSuffix("Retry resumes where the upload left off.")
      }
        == [true, false])
  }

  @Test("What was cut off by the end of the program is known for it, however that came")
  func cutOff() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a"), item("b"), item("c")])
    _ = try store.begin(queued.map(\.id))
    let cancelled = ItemState.failed(Failure(.cancelled, attempts: 1))
    try store.record([(queued[0].id, .sending(attempt: 1, sent: 4, total: 10))])
    try store.record(queued.prefix(2).map { ($0.id, cancelled) }, leaving: true)
    _ = try store.recover()
    // Nothing had left of the second one.
    #expect(try store.items().map(\.wasInterrupted) == [true, false, true])
  }

  @Test("What was paused on the way is known for it, so that every window says what that costs")
  func pausedOnTheWay() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a"), item("b"), item("c", state: .paused)])
    _ = try store.begin(queued.prefix(2).map(\.id))
    try store.record([(queued[0].id, .sending(attempt: 1, sent: 4, total: 10))])
    try store.record(queued.prefix(2).map { ($0.id, .paused) })
    #expect(try store.items().map(\.state) == [.paused, .paused, .paused])
    #expect(try store.items().map(\.wasInterrupted) == [true, false, false])
  }

  @Test("What was sent leaves the queue at the next start, but not what is doubtful")
  func doubtfulStay() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("sent"), item("broken off"), item("grown")])
    _ = try store.begin(queued.map(\.id))
    var receipts = [Receipt](repeating: Receipt(status: 200), count: 3)
    receipts[1].doubt = "the reply broke off after 0 of 11 bytes"
    receipts[2].growth = 5
    try store.record(zip(queued, receipts).map { ($0.id, .done($1)) })
    _ = try store.recover()
    #expect(try store.items().map(\.fileName) == ["broken off", "grown"])
    #expect(try store.items().allSatisfy { $0.state.isDoubtful && !$0.state.isSettled })
  }

  @Test("An upload in pieces that awaited a reply goes on, since its next attempt finds out")
  func piecesAwaitingReply() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a"), item("b")])
    _ = try store.begin(queued.map(\.id))
    let url = try #require(URL(string: "http://nas/files/1"))
    var point = ResumePoint(
      url: url, target: queued[0].target, identity: try #require(queued[0].identity))
    point.pieces = try JSONDecoder().decode(
      PieceProgress.self,
      from: Data(
        #"{"id":"u","size":4,"begun":{},"isFromAway":false,"kept":[],"hasTaken":true,"isUnderWay":false,"isFinishing":true,"seal":""}"#
          .utf8))
    try store.keep(point, of: queued[0].id)
    try store.record(
      queued.map { ($0.id, .awaitingReply(attempt: 1, since: Instant(seconds: 9))) })
    let recovery = try store.recover()
    #expect(recovery == UploadStore.Recovery(resuming: [queued[0].id], unknown: [queued[1].id]))
    #expect(try store.items().first?.state == .waiting)
    #expect(try store.items().last?.state.failure?.attempts == 1)
  }

  @Test("The history tells how many pieces an attempt has sent, however it ended")
  func pieces() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a"), item("b"), item("c")])
    _ = try store.begin(queued.map(\.id))
    let url = try #require(URL(string: "http://nas/files/1"))
    for queued in queued.prefix(2) {
      var point = ResumePoint(
        url: url, target: queued.target, identity: try #require(queued.identity))
      point.pieces = try JSONDecoder().decode(
        PieceProgress.self,
        from: Data(
          #"{"id":"u","size":4,"begun":{},"isFromAway":false,"kept":[],"hasTaken":true,"isUnderWay":false,"isFinishing":false,"seal":""}"#
            .utf8))
      (point.start, point.offset) = (4, 8)
      try store.keep(point, of: queued.id)
    }
    try store.record([(queued[0].id, .paused)])
    _ = try store.recover()
    let cutOff = PieceCount(count: 3, resumed: 1, sent: 1)
    #expect(try store.history().map(\.pieces) == [cutOff, cutOff, nil])
    // An attempt that has not come as far as to ask the server has sent nothing.
    _ = try store.begin([queued[1].id])
    try store.record([(queued[1].id, .paused)])
    #expect(try store.history().last?.pieces == nil)
    _ = try store.begin([queued[2].id])
    let whole = PieceCount(count: 3, resumed: 1, sent: 2)
    var receipt = Receipt(status: 201)
    receipt.pieces = whole
    try store.record([(queued[2].id, .done(receipt))])
    #expect(try store.history().last?.pieces == whole)
    try store.log([(item("d", state: .done(receipt)), Date())])
    #expect(try store.history().last?.pieces == whole)
  }

  @Test(
    "Where an upload can go on is on the disk, and the history tells from where an attempt went on")
  func resumePoint() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a")])[0]
    let identity = try #require(queued.identity)
    let url = try #require(URL(string: "http://nas/files/1"))
    var point = ResumePoint(url: url, target: "nas", identity: identity)
    _ = try store.begin([queued.id])
    try store.keep(point, of: queued.id)
    #expect(try harness.open().items()[0].resumePoint == point)
    let lost = Failure(.connectionLost("reset"), attempts: 1)
    try store.record([
      (queued.id, .sending(attempt: 1, sent: 4, total: 10)),
      (queued.id, .retrying(lost, next: 2, of: 5, at: Instant(seconds: 9))),
    ])
    _ = try store.begin([queued.id])
    (point.offset, point.start, point.loss) = (4, 4, .forgotten)
    point.expires = Date(timeIntervalSince1970: 1_800_000_000)
    try store.keep(point, of: queued.id)
    #expect(try harness.open().items()[0].resumePoint == point)
    try store.record([(queued.id, .done(Receipt(status: 204, bytes: 6)))])
    let history = try store.history()
    #expect(history.map(\.start) == [nil, 4])
    #expect(history.map(\.bytes) == [4, 10])
    // Its receipt has what this attempt has sent, here and in every other window.
    #expect(try harness.open().items()[0].state.receipt?.bytes == 6)
    _ = try store.enqueue([item("b")])
    try store.keep(nil, of: queued.id)
    #expect(try harness.open().items().allSatisfy { $0.resumePoint == nil })
  }

  @Test("An attempt that resumed got at least to where it began, whether or not it has sent more")
  func resumedAndEnded() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a"), item("b", inode: 2), item("c", inode: 3)])
    _ = try store.begin(queued.map(\.id))
    let url = try #require(URL(string: "http://nas/files/1"))
    for item in queued {
      let identity = try #require(item.identity)
      try store.keep(
        ResumePoint(url: url, target: "nas", identity: identity, offset: 4, start: 4), of: item.id)
    }
    try store.record([
      (queued[0].id, .failed(refused)), (queued[1].id, .sending(attempt: 1, sent: 6, total: 10)),
      (queued[1].id, .paused),
    ])
    // How far one came that was killed, nobody knows.
    _ = try store.recover()
    #expect(try store.history().map(\.bytes) == [4, 6, nil])
    #expect(try store.history().map(\.start) == [4, 4, 4])
  }

  @Test("Every attempt is kept, with the bytes that it got to")
  func attempts() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id])
    let busy = Failure(.refused, status: 503, attempts: 1)
    try store.record([
      (id, .sending(attempt: 1, sent: 3, total: 10)),
      (id, .retrying(busy, next: 2, of: 5, at: Instant(seconds: 9))),
    ])
    #expect(try store.items()[0].state == .waiting)
    _ = try store.begin([id])
    try store.record([(id, .failed(refused))])
    #expect(try harness.open().items()[0].state.failure == refused)
    let history = try store.history()
    #expect(history.map(\.attempt) == [1, 2])
    #expect(history.map(\.outcome) == [.failed("http-503"), .failed("http-413")])
    #expect(history.map(\.bytes) == [3, 0])
  }

  @Test("An attempt that is taken back without a fault of its own ends, and another begins")
  func withdrawn() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id])
    try store.record([(id, .waiting)])
    #expect(try store.begin([id]) == [id])
    try store.record([(id, .done(Receipt(status: 200)))])
    #expect(try store.history().map(\.outcome) == [.withdrawn, .done])
  }

  @Test(
    "A server that is tried all night leaves one attempt behind, and those of which bytes were sent"
  )
  func probes() throws {
    let store = try harness.open()
    let ids = try store.enqueue([item("a"), item("b")]).map(\.id)
    for round in 0..<100 {
      _ = try store.begin(ids)
      if round == 50 { try store.record([(ids[1], .sending(attempt: 1, sent: 5, total: 10))]) }
      try store.record(ids.map { ($0, .waiting) })
    }
    let history = try store.history()
    #expect(history.count { $0.item == ids[0] } == 1)
    #expect(history.filter { $0.item == ids[1] }.map(\.bytes) == [5, 0])
    // None seems to be missing.
    #expect(history.map(\.attempt).sorted() == [1, 1, 2])
    #expect(try store.begin(ids) == Set(ids))
    #expect(try store.history().map(\.attempt).sorted() == [1, 1, 2, 2, 3])
  }

  @Test("So does one that is tried all night with an upload that has begun")
  func probesOfAnUploadThatResumes() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a")])[0]
    let (url, identity) = (
      try #require(URL(string: "http://nas/files/1")), try #require(queued.identity)
    )
    let point = ResumePoint(url: url, target: "nas", identity: identity, offset: 4, start: 4)
    for _ in 0..<20 {
      _ = try store.begin([queued.id])
      try store.keep(point, of: queued.id)
      try store.record([(queued.id, .waiting)])
    }
    #expect(try store.history().count == 1)
  }

  @Test("A claimed file that has not begun waits as before, without a trace, and can be edited")
  func released() throws {
    let store = try harness.open()
    let ids = try store.enqueue((0..<4).map { item("\($0)") }).map(\.id)
    #expect(try store.begin(ids) == Set(ids))
    // What was claimed and released in one transaction counts as released.
    let begun = try store.record([
      QueueTurn(released: Array(ids.prefix(3)), changes: [(ids[1], .paused)]),
      QueueTurn(claims: [ids[0], ids[1]]), QueueTurn(released: [ids[0]]),
    ])
    #expect(begun.isEmpty)
    var (edited, other) = (try store.items()[2], try store.items()[3])
    (edited.target, other.target) = ("attic", "attic")
    let refused = try store.edit([edited, other])
    #expect(refused == [ids[3]])
    let refusedAgain = try store.edit([other], releasing: [ids[3]])
    #expect(refusedAgain.isEmpty)
    let recovery = try store.recover()
    #expect(recovery.interrupted.isEmpty)
    let items = try store.items()
    #expect(items.map(\.state) == [.waiting, .paused, .waiting, .waiting])
    #expect(items.map(\.target) == ["nas", "nas", "attic", "attic"])
    #expect(items.allSatisfy { !$0.wasInterrupted })
    #expect(try store.history().isEmpty)
    #expect(try store.begin([ids[0]]) == [ids[0]])
  }

  @Test("Who hears late that a file was taken out does not undo that it was put back")
  func lateCancel() throws {
    let store = try harness.open()
    let ids = try store.enqueue((0..<3).map { item("\($0)") }).map(\.id)
    _ = try store.begin([ids[0], ids[2]])
    try store.remove(ids)
    _ = try store.relist([ids[0], ids[1]])
    try store.record(ids.map { ($0, .failed(Failure(.cancelled))) })
    #expect(try store.items().map(\.state) == [.waiting, .waiting])
    #expect(try store.begin(ids) == [ids[0], ids[1]])
    #expect(try store.relist([ids[2]]).map(\.state) == [.waiting])
  }

  @Test("What was taken out while it was sent, and put back at once, can begin again")
  func putBack() throws {
    let store = try harness.open()
    let sent = try store.enqueue([item("a")])[0]
    _ = try store.begin([sent.id])
    try store.remove([sent.id])
    #expect(try store.relist([sent.id]).map(\.state) == [.waiting])
    #expect(try store.begin([sent.id]) == [sent.id])
    #expect(try store.history().map(\.outcome) == [.withdrawn, nil])
  }

  @Test("What has become of a file since it was taken out is still so when it is put back")
  func relisted() throws {
    let store = try harness.open()
    let ids = try store.enqueue((0..<5).map { item("\($0)") }).map(\.id)
    _ = try store.begin(ids)
    try store.record([(ids[0], .awaitingReply(attempt: 1, since: Instant(seconds: 0)))])
    try store.record([(ids[2], .awaitingReply(attempt: 1, since: Instant(seconds: 0)))])
    try store.remove(ids)
    try store.record([
      (ids[0], .failed(Failure(.outcomeUnknown("stopped")))), (ids[1], .done(Receipt(status: 200))),
      (ids[4], .failed(Failure(.cancelled))),
    ])
    let states = try store.relist(ids).map(\.state)
    #expect(states[0].failure?.cause == .outcomeUnknown("stopped"))
    #expect(states[1].isDone)
    // Its end is still to come: nobody knows yet whether it has arrived.
    #expect(states[2] == .awaitingReply(attempt: 1, since: Instant(seconds: 0)))
    #expect(states[3] == .waiting)
    #expect(states[4] == .waiting)
    #expect(try store.items().map(\.id) == ids)
  }

  @Test(
    "A wish that comes late changes nothing of what is done or on its way",
    arguments: [ItemState.waiting, .paused, .failed(Failure(.missing))])
  func lateWish(wish: ItemState) throws {
    let store = try harness.open()
    var items = try store.enqueue((0..<4).map { item("\($0)") })
    let ids = items.map(\.id)
    _ = try store.begin(Array(ids.prefix(3)))
    try store.record([
      (ids[0], .done(Receipt(status: 200))),
      (ids[1], .awaitingReply(attempt: 1, since: Instant(seconds: 0))),
    ])
    let known = items
    for index in items.indices { items[index].state = wish }
    let present =
      wish == .paused ? try store.pause(ids) : try store.update(items, from: known).present
    let states = present.map(\.state)
    #expect(states[0].isDone)
    // Only a pause reaches a file that is being sent: its sender aborts it.
    #expect(states[1].isActive == (wish != .paused))
    #expect(states[2].isActive == (wish != .paused))
    #expect(states[3] == wish)
    #expect(try harness.open().items().map(\.state.isDone) == [true, false, false, false])
  }

  @Test("An edit changes how a file is sent, and not what has become of it")
  func edit() throws {
    let store = try harness.open()
    var sent = try store.enqueue([item("a")])[0]
    try store.pause([sent.id])
    (sent.fileName, sent.field, sent.mediaType) = ("b", "photo", "image/png")
    sent.state = .waiting
    try store.edit([sent])
    let kept = try harness.open().items()[0]
    #expect(kept.state == .paused)
    #expect(kept.fileName == "b" && kept.field == "photo" && kept.mediaType == "image/png")
    // A file that has moved, under a name that a person has chosen.
    sent.location = FileLocation("/elsewhere/c")
    sent.nameIsChosen = true
    try store.edit([sent])
    let moved = try harness.open().items()[0]
    #expect(moved.location == FileLocation("/elsewhere/c") && moved.nameIsChosen)
  }

  @Test("An edit leaves files alone that are being sent or have been sent, and names them")
  func editOfSent() throws {
    let store = try harness.open()
    let items = try store.enqueue(["waits", "sent", "arrived", "failed"].map { item($0) })
    _ = try store.begin(items.dropFirst().map(\.id))
    try store.record([
      (items[2].id, .done(Receipt(status: 200))),
      (items[3].id, .failed(Failure(.refused, status: 401))),
    ])
    let edited = items.map { item in
      var item = item
      item.location = FileLocation("/elsewhere")
      return item
    }
    #expect(try store.edit(edited) == [items[1].id, items[2].id])
    let moved = try harness.open().items().map { $0.location == FileLocation("/elsewhere") }
    #expect(moved == [true, false, false, true])
  }

  @Test("An attempt takes the time that its receipt says, without what came before its first byte")
  func time() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id], now: Date(timeIntervalSince1970: 100))
    let receipt = Receipt(status: 201, seconds: 2, bytes: 10)
    try store.record([(id, .done(receipt))], now: Date(timeIntervalSince1970: 110))
    try store.log(
      [(item("b", state: .done(receipt)), began: Date(timeIntervalSince1970: 100))],
      now: Date(timeIntervalSince1970: 110))
    for entry in try store.history() {
      #expect(entry.began == Date(timeIntervalSince1970: 108))
      #expect(entry.ended == Date(timeIntervalSince1970: 110))
    }
    // It cannot have begun before it was let begin.
    let other = try store.enqueue([item("c")])[0].id
    _ = try store.begin([other], now: Date(timeIntervalSince1970: 200))
    try store.record([(other, .done(receipt))], now: Date(timeIntervalSince1970: 201))
    #expect(
      try store.history().first { $0.item == other }?.began == Date(timeIntervalSince1970: 200))
  }

  @Test("A limit that the user has set outlasts the session")
  func limit() throws {
    try harness.open().setRateLimit(700_000)
    #expect(try harness.open().rateLimit() == 700_000)
    try harness.open().setRateLimit(nil)
    #expect(try harness.open().rateLimit() == nil)
  }

  @Test("An edit leaves the history as it was: what was sent, as what and where to")
  func editAndHistory() throws {
    let store = try harness.open()
    var sent = try store.enqueue([item("a", target: "first")])[0]
    for (name, target) in [("b", "second"), ("c", "third")] {
      _ = try store.begin([sent.id])
      try store.record([(sent.id, .failed(Failure(.refused, status: 401)))])
      (sent.fileName, sent.target, sent.mediaType) = (name, target, "image/\(name)")
      sent.size += 100
      try store.edit([sent])
      try store.update([sent], from: [sent])
    }
    _ = try store.begin([sent.id])
    let history = try harness.open().history()
    #expect(history.map(\.name) == ["a", "b", "c"])
    #expect(history.map(\.target) == ["first", "second", "third"])
    #expect(history.map(\.mediaType) == ["text/plain", "image/b", "image/c"])
    #expect(history.map(\.size) == [10, 110, 210])
  }

  @Test("A failed item that was edited says how it had been sent, also after a restart")
  func editAfterFailure() throws {
    let store = try harness.open()
    var file = try store.enqueue([item("a", target: "first"), item("b")])[0]
    func known() throws -> [String?] { try harness.open().items().map { $0.failedAs?.target } }
    func fail() throws {
      _ = try store.begin([file.id])
      try store.record([(file.id, .failed(refused))])
    }
    try fail()
    #expect(try known() == [nil, nil])
    for target in ["second", "third"] {
      file.target = target
      try store.edit([file])
      #expect(try known() == ["first", nil])
    }
    try store.update([file], from: [file])
    #expect(try known() == [nil, nil])
    try fail()
    #expect(try known() == [nil, nil])
    file.target = "fourth"
    try store.edit([file])
    #expect(try known() == ["third", nil])
  }

  @Test("A wait that a server asked for is known to the next process, until it is over or ended")
  func waits() throws {
    let (store, now) = (try harness.open(), Date(timeIntervalSince1970: 1_000_000))
    #expect(try store.waits(now: now).isEmpty)
    func keep(_ address: String, _ seconds: Double, at now: Date) throws -> ServerWait {
      let busy = Failure(.refused, status: 503, attempts: 1, retryAfter: seconds)
      var turn = QueueTurn()
      turn.waits = [ServerWait(address: address, until: now + seconds, failure: busy)]
      try store.record([turn], now: now)
      return turn.waits[0]
    }
    let long = try keep("http://b:81", 900, at: now)
    let short = try keep("https://a", 60, at: now)
    #expect(try harness.open().waits(now: now) == [long, short])
    #expect(try harness.open().waits(now: now + 61) == [long])
    let longer = try keep("https://a", 90, at: now + 10)
    #expect(try harness.open().waits(now: now + 61) == [long, longer])
    // A person has ended it.
    _ = try keep("https://a", 0, at: now + 62)
    #expect(try harness.open().waits(now: now + 62) == [long])
  }

  static let causes: [Failure.Cause] = [
    .missing, .unreadable("Permission denied"), .notAFile(kind: "a folder"), .changed(.grew),
    .tooLarge(limit: 5), .empty, .typeNotAllowed("a/b", allowed: ["c/d"]), .unsendable("x"),
    .nameNotResolved(host: "h"), .connectionRefused("x"), .unreachable("x"), .connectionLost("x"),
    .stalled(seconds: 60), .outOfTime(seconds: 1.5), .insecure("x"), .network("x"), .refused,
    .redirected(to: nil, .losesBody), .redirected(to: "http://x", .tooMany), .notHTTP("x"),
    .rejected("x"), .unusable("x"), .proxyUnreachable("x"), .cancelled, .outcomeUnknown("x"),
    .shortage("x"), .notRecorded("x"), .unresumable(.noLocation), .denied("x"),
    .differs("x"), .anonymous, .nonceExpired, .unencrypted("x"), .notTried("x"),
    .clash(.address("http://h/x")), .clash(.name("x")),
    .taken(TakenName("x", size: 3, time: "y")),
    .noFolder("x", "y"),
  ]

  private static let steps: [Failure.Step?] = [
    nil, .existence, .ticket, .open, .folder, .begin, .pieceTicket, .piece(2, of: 3), .finish,
    .status, .wait, .confirmation, .remnant,
  ]

  @Test("A failure is stored whole, whatever it is: what is known is the same after a restart")
  func everyFailure() throws {
    var random = SplitMix64(seed: 2026)
    let failures = (0..<300).map { index in
      var failure = Failure(
        Self.causes[index % Self.causes.count],
        status: Bool.random(using: &random) ? Int.random(in: 100...599, using: &random) : nil,
        reply: Reply(
          text: String(repeating: "né\u{0}\"", count: Int.random(in: 0...50, using: &random)),
          isCut: Bool.random(using: &random), mediaType: "text/html"),
        attempts: Int.random(in: 0...9, using: &random),
        retryAfter: Bool.random(using: &random) ? 1.5 : nil)
      failure.step = Self.steps.randomElement(using: &random) ?? nil
      if Bool.random(using: &random) { failure.arrival = .unclear }
      if Bool.random(using: &random) { failure.mayMeetRemnant = true }
      if Bool.random(using: &random) {
        failure.pieces = PieceCount(count: 9, resumed: 1, sent: 4)
      }
      return failure
    }
    let store = try harness.open()
    let ids = try store.enqueue(failures.indices.map { item("\($0)") }).map(\.id)
    _ = try store.begin(ids)
    try store.record(zip(ids, failures).map { ($0, .failed($1)) })
    let reopened = try harness.open()
    #expect(try reopened.items().map { $0.state.failure } == failures)
    #expect(
      try reopened.history().map(\.arrival)
        == failures.map { $0.mayHaveArrived ? $0.arrival : nil })
    // The words that go by it are the same, too.
    #expect(
      try reopened.items().map { $0.state.failure?.explanation } == failures.map { $0.explanation })
  }

  @Test("Of a long reply, the beginning is stored with the failure")
  func longReply() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id])
    let long = Reply(text: String(repeating: "x", count: 20_000))
    try store.record([(id, .failed(Failure(.refused, status: 500, reply: long, attempts: 1)))])
    let reply = try harness.open().items()[0].state.failure?.reply
    #expect(reply == Reply(text: String(repeating: "x", count: 8 * 1024), isCut: true))
  }

  @Test("Leaving keeps in the queue what is broken off, paused or waiting")
  func leaving() throws {
    let store = try harness.open()
    let ids = try store.enqueue([item("a"), item("b"), item("c", state: .paused), item("d")])
      .map(\.id)
    _ = try store.begin([ids[0], ids[3]])
    let cancelled = ItemState.failed(Failure(.cancelled, attempts: 1))
    let unknown = ItemState.failed(Failure(.outcomeUnknown("stopped"), attempts: 1))
    try store.record(
      [(ids[0], cancelled), (ids[1], cancelled), (ids[2], cancelled), (ids[3], unknown)],
      leaving: true)
    let states = try harness.open().items().map(\.state)
    #expect(states[..<3] == [.waiting, .waiting, .paused])
    #expect(states[3].failure?.code == "outcome-unknown")
    #expect(try store.history().map(\.outcome) == [.stopped, .failed("outcome-unknown")])
  }

  @Test("After a crash: what was being sent waits again, what was handed over is unknown")
  func recovery() throws {
    do {
      let store = try harness.open()
      let ids = try store.enqueue([
        item("sending"), item("handed"), item("waiting"), item("done"),
        item("safe", target: "idem"),
      ]).map(\.id)
      _ = try store.begin([ids[0], ids[1], ids[3], ids[4]])
      try store.record([
        (ids[0], .sending(attempt: 1, sent: 5, total: 10)),
        (ids[1], .awaitingReply(attempt: 1, since: Instant(seconds: 0))),
        (ids[4], .awaitingReply(attempt: 1, since: Instant(seconds: 0))),
        (ids[3], .done(Receipt(status: 200))),
      ])
    }
    let store = try harness.open()
    let recovery = try store.recover { $0 == "idem" }
    #expect(recovery.interrupted == [ItemID(1)])
    #expect(recovery.unknown == [ItemID(2), ItemID(5)])
    let items = try store.items()
    #expect(items.map(\.fileName) == ["sending", "handed", "waiting", "safe"])
    #expect(items.map(\.state.failure?.code) == [nil, "outcome-unknown", nil, nil])
    #expect(
      try store.history().map(\.outcome)
        == [.interrupted, .failed("outcome-unknown"), .done, .failed("outcome-unknown")])
    #expect(try store.history().map(\.reply) == [nil, nil, "", nil])
    #expect(try store.recover() == UploadStore.Recovery())
  }

  @Test("A clock that is set back changes no order")
  func clockSetBack() throws {
    let store = try harness.open()
    let ids =
      try store.enqueue([item("a")], now: Date(timeIntervalSince1970: 2_000)).map(\.id)
      + store.enqueue([item("b")], now: Date(timeIntervalSince1970: 1_000)).map(\.id)
    #expect(try store.items().map(\.id) == ids)
    for (id, time) in zip(ids, [500.0, 400.0]) {
      _ = try store.begin([id], now: Date(timeIntervalSince1970: time))
      // Ends before it began.
      try store.record(
        [(id, .done(Receipt(status: 200)))], now: Date(timeIntervalSince1970: time - 100))
    }
    #expect(try store.history().map(\.item) == ids)
    let receipts = try store.items().map(\.state.receipt)
    #expect(receipts.map(\.?.arrived) == [400, 300] && receipts.map(\.?.seconds) == [0, 0])
  }

  @Test("What was not sent is what has failed last, and is not tried any more")
  func notSent() throws {
    let store = try harness.open()
    let queued = try store.enqueue(["late", "open", "lost"].map { item($0) })
    let ids = queued.map(\.id)
    let again = ItemState.retrying(
      refused, next: 2, of: 3, at: Instant(seconds: 1))
    _ = try store.begin(ids)
    try store.record(ids.map { ($0, again) })
    var query = HistoryQuery()
    query.onlyFailed = true
    #expect(try store.history(query).isEmpty)
    _ = try store.begin([ids[0], ids[2]])
    try store.record([(ids[0], .done(Receipt(status: 200))), (ids[2], .failed(refused))])
    #expect(try store.history(query).map(\.name) == ["lost"])
    // A file is named once, however often it was queued.
    let once = try store.enqueue([item("lost")])[0].id
    _ = try store.begin([once])
    try store.record([(once, .failed(refused))])
    #expect(try store.history(query).map(\.item) == [once])
    // A push that sends it counts as well.
    let pushed = item("lost", state: .done(Receipt(status: 200)))
    try store.log([(pushed, Date())])
    #expect(try store.history(query).isEmpty)
  }

  @Test("An attempt that did not reach its server says why")
  func withdrawnBecause() throws {
    let store = try harness.open()
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id])
    var turn = QueueTurn(changes: [(id, .waiting)])
    turn.withdrawals[id] = "connection refused"
    try store.record([turn])
    #expect(try store.history().map(\.message) == ["connection refused"])
  }

  @Test("The history can be asked in parts, and what is cleared stays in it")
  func history() throws {
    let store = try harness.open()
    let ids = try store.enqueue([item("a"), item("b"), item("c")]).map(\.id)
    for (number, id) in ids.enumerated() {
      _ = try store.begin([id], now: Date(timeIntervalSince1970: Double(number * 100)))
      let state: ItemState = number == 1 ? .failed(refused) : .done(Receipt(status: 200))
      try store.record([(id, state)], now: Date(timeIntervalSince1970: Double(number * 100 + 1)))
    }
    try store.remove(ids)
    #expect(try store.items().isEmpty)
    #expect(try store.history().map(\.name) == ["a", "b", "c"])
    var query = HistoryQuery()
    query.onlyFailed = true
    #expect(try store.history(query).map(\.name) == ["b"])
    query = HistoryQuery()
    query.since = Date(timeIntervalSince1970: 100)
    #expect(try store.history(query).map(\.name) == ["b", "c"])
    query.until = Date(timeIntervalSince1970: 200)
    #expect(try store.history(query).map(\.name) == ["b"])
    query.until = nil
    query.limit = 1
    #expect(try store.history(query).map(\.name) == ["c"])
    #expect(try store.forget(before: Date(timeIntervalSince1970: 150)) == 2)
    #expect(try store.history().map(\.name) == ["c"])
  }

  @Test(
    "The last burst begins after the last gap in which nothing was under way",
    arguments: [
      ([], nil), ([(0, 10)], 0), ([(0, 10), (111, 120)], 111), ([(0, 10), (110, 120)], 0),
      // The first is still under way when the second has long ended.
      ([(0, 500), (10, 20), (550, 560)], 0), ([(0, 500), (10, 20), (601, 610)], 601),
      ([(0, nil), (900, 910)], 0), ([(900, 910), (0, 10)], 900),
    ] as [([(began: Double, ended: Double?)], Double?)])
  func lastBurst(attempts: [(began: Double, ended: Double?)], beginning: Double?) throws {
    let store = try harness.open()
    for attempt in attempts {
      let ids = try store.enqueue([item("a")]).map(\.id)
      _ = try store.begin(ids, now: Date(timeIntervalSince1970: attempt.began))
      guard let ended = attempt.ended else { continue }
      try store.record(
        [(ids[0], .done(Receipt(status: 200)))], now: Date(timeIntervalSince1970: ended))
    }
    #expect(try store.beginningOfLastBurst(gap: 100)?.timeIntervalSince1970 == beginning)
    var pushed = item("b")
    pushed.state = .done(Receipt(status: 200))
    try store.log(
      [(pushed, began: Date(timeIntervalSince1970: 5_000))], now: Date(timeIntervalSince1970: 5_001)
    )
    #expect(
      try store.beginningOfLastBurst(gap: 100)?.timeIntervalSince1970
        == (attempts.contains { $0.ended == nil } ? 0 : 5_000))
  }

  @Test("What was sent before is known by path and identity, for its target only")
  func sentBefore() throws {
    let store = try harness.open()
    let first = try store.enqueue([item("a"), item("b")])
    _ = try store.begin(first.map(\.id))
    try store.record([
      (first[0].id, .done(Receipt(status: 201, url: "http://nas/a"))),
      (first[1].id, .failed(refused)),
    ])
    try store.remove(first.map(\.id))
    let again = try store.enqueue([
      item("a"), item("b"), item("a", target: "other"), item("a", size: 11), item("a", inode: 2),
    ])
    let found = try store.sentBefore(again)
    #expect(found.keys.sorted() == [again[0].id])
  }

  @Test("Contents are known by their sums, whatever the files are called")
  func sentBeforeBySum() throws {
    let store = try harness.open()
    var first = item("a", state: .done(Receipt(status: 200)))
    first.sum = [UInt8](repeating: 7, count: 32)
    try store.log([(first, Date())])
    var again = try store.enqueue([item("b", inode: 9), item("c", inode: 8)])
    again[0].sum = first.sum
    again[1].sum = [UInt8](repeating: 8, count: 32)
    #expect(try store.sentBefore(again).keys.sorted() == [again[0].id])
  }

  @Test("A file that was sent without a sum is known by its identity, with a sum too")
  func sentBeforeWithoutSum() throws {
    let store = try harness.open()
    var summed = item("b", inode: 9, state: .done(Receipt(status: 200)))
    summed.sum = [UInt8](repeating: 7, count: 32)
    try store.log([(item("a", state: .done(Receipt(status: 200))), Date()), (summed, Date())])
    var again = [item("a"), item("b", inode: 9)]
    for index in again.indices {
      again[index].id = ItemID(Int64(index + 1))
      again[index].sum = [UInt8](repeating: 8, count: 32)
    }
    // What had another sum has changed, although it does not look so.
    #expect(try store.sentBefore(again).keys.sorted() == [again[0].id])
  }

  /// The first file is at `a`, then another takes its place, and then the first one is back.
  @Test(
    "A file that another one has replaced since is not known, however it comes back",
    arguments: [true, false], [true, false])
  func sentBeforeAnother(isInPlace: Bool, hasSums: Bool) throws {
    let store = try harness.open()
    func file(_ content: UInt8) -> UploadItem {
      var file = item("a", size: 10 + Int64(content), inode: isInPlace ? 1 : UInt64(content))
      if hasSums { file.sum = [UInt8](repeating: content, count: 32) }
      return file
    }
    func send(_ content: UInt8, _ state: ItemState = .done(Receipt(status: 200))) throws {
      try store.log([(file(content).with(state), Date())])
    }
    func isKnown(_ content: UInt8) throws -> Bool {
      try store.sentBefore([file(content)]).values.first?.isCertain ?? false
    }
    try send(1)
    #expect(try isKnown(1))
    try send(2)
    #expect(try !isKnown(1))
    #expect(try isKnown(2))
    // From the queue it is the same.
    let id = try store.enqueue([file(1)])[0].id
    _ = try store.begin([id])
    try store.record([(id, .done(Receipt(status: 200)))])
    #expect(try isKnown(1))
    #expect(try !isKnown(2))
    // Another file may have arrived in its place.
    try send(2, .failed(Failure(.outcomeUnknown("no reply"), attempts: 1)))
    #expect(try !isKnown(1))
    try send(1)
    #expect(try isKnown(1))
  }

  @Test("Where names say where files are kept, a content under another name or folder is not known")
  func sentBeforeElsewhere() throws {
    let store = try harness.open()
    func file(_ path: String, in folder: String, named name: String? = nil) -> UploadItem {
      var file = item(path)
      file.folder = folder
      if let name { file.fileName = name }
      file.sum = [UInt8](repeating: 7, count: 32)
      return file
    }
    try store.log([
      (file("2026/a", in: "2026/").with(.done(Receipt(status: 200))), Date())
    ])
    func isKnown(_ file: UploadItem, placed isPlaced: Bool) throws -> Bool {
      try !store.sentBefore([file], isPlaced: { _ in isPlaced }).isEmpty
    }
    for isPlaced in [true, false] {
      #expect(try isKnown(file("2026/a", in: "2026/"), placed: isPlaced))
    }
    let others = [
      file("2026/a", in: ""), file("2026/a", in: "2026/", named: "b"), file("b", in: "2026/"),
    ]
    for other in others {
      #expect(try isKnown(other, placed: false))
      #expect(try !isKnown(other, placed: true))
    }
  }

  @Test("What was pushed is in the history and not in the queue")
  func pushed() throws {
    let store = try harness.open()
    let sent = item("a", state: .done(Receipt(status: 200, attempts: 2, bytes: 10)))
    try store.log([
      (sent, Date(timeIntervalSince1970: 1)), (item("b", state: .failed(refused)), Date()),
    ])
    #expect(try store.items().isEmpty)
    #expect(try store.history().map(\.outcome) == [.done, .failed("http-413")])
    #expect(try store.sentBefore([item("a")]).count == 1)
  }

  @Test("What was pushed has its place, its number and its name beside what was queued")
  func pushedBesideQueued() throws {
    let store = try harness.open()
    func queue(_ name: String) throws -> ItemID {
      let id = try store.enqueue([item(name)])[0].id
      _ = try store.begin([id])
      try store.record([(id, .done(Receipt(status: 200)))])
      return id
    }
    var renamed = item("b", inode: 2, state: .done(Receipt(status: 201, url: "http://nas/b")))
    renamed.fileName = "other.txt"
    try store.log([(renamed, Date(timeIntervalSince1970: 1))])
    _ = try queue("a")
    try store.log(
      [
        (item("b", target: "elsewhere", inode: 2, state: .failed(refused)), Date()),
        (item("c", target: "elsewhere", inode: 3, state: .done(Receipt(status: 200))), Date()),
      ])
    let last = try queue("d")

    let history = try store.history()
    #expect(history.map(\.name) == ["other.txt", "a", "b", "c", "d"])
    #expect(history.map(\.status) == [201, 200, 413, 200, 200])
    #expect(history.map(\.target) == ["nas", "nas", "elsewhere", "elsewhere", "nas"])
    #expect(history.map(\.location.lastComponent) == ["b", "a", "b", "c", "d"])
    #expect(history[0].url == "http://nas/b")
    #expect(Set(history.map(\.item)).count == 5 && history.last?.item == last)
    #expect(try store.items().map(\.fileName) == ["a", "d"])

    var query = HistoryQuery()
    query.limit = 2
    #expect(try store.history(query).map(\.name) == ["c", "d"])
    query.onlyFailed = true
    #expect(try store.history(query).map(\.name) == ["b"])
    query = HistoryQuery()
    query.since = Date(timeIntervalSince1970: 2)
    #expect(try store.history(query).map(\.name) == ["a", "b", "c", "d"])
    #expect(try store.forget(before: .distantFuture) == 3)
    #expect(try store.history().map(\.name) == ["a", "d"])
    #expect(try store.enqueue([item("e")])[0].id > last)
  }

  @Test("What may have arrived is known, too, where it went, until it is known to have been sent")
  func mayHaveArrivedBefore() throws {
    let store = try harness.open()
    let unknown = ItemState.failed(Failure(.outcomeUnknown("no reply"), attempts: 1))
    let unrecorded = ItemState.failed(Failure(.notRecorded("no reply"), attempts: 1))
    func queue(_ name: String, _ inode: UInt64, at second: Double) throws -> UploadItem {
      let queued = try store.enqueue([item(name, inode: inode)])[0]
      _ = try store.begin([queued.id])
      try store.record([(queued.id, unknown)], now: Date(timeIntervalSince1970: second))
      return queued
    }
    let first = try queue("a", 1, at: 10)
    var moved = try queue("b", 2, at: 20)
    var summed = item("c", inode: 3, state: unrecorded)
    summed.sum = [UInt8](repeating: 7, count: 32)
    try store.log([(summed, Date())], now: Date(timeIntervalSince1970: 30))
    // It is still known once it fails for certain, waits anew, goes elsewhere, or has left the queue.
    var again = first
    again.state = .waiting
    try store.update([again], from: [first])
    _ = try store.begin([first.id])
    try store.record([(first.id, .failed(refused))])
    moved.target = "other"
    moved.state = .waiting
    try store.edit([moved])
    try store.update([moved], from: [moved])
    try store.remove([first.id, moved.id])
    var looked = [
      item("a"), item("b", inode: 2), item("b", target: "other", inode: 2), item("a", inode: 9),
      item("c", inode: 3), item("d", inode: 4), item("c", inode: 3),
    ]
    for index in looked.indices { looked[index].id = ItemID(Int64(index)) }
    looked[5].sum = summed.sum
    looked[6].sum = [UInt8](repeating: 8, count: 32)
    let found = try store.sentBefore(looked)
    #expect(found.keys.map(\.rawValue).sorted() == [0, 1, 4, 5])
    #expect(found.values.allSatisfy { !$0.isCertain })
    #expect(
      [0, 1, 4, 5].map { found[ItemID($0)]?.ended.timeIntervalSince1970 } == [10, 20, 30, 30])
    // Another process may say where they go.
    #expect(try store.sentBefore([looked[2]], to: "nas").count == 1)
    try store.log(
      [(item("a", state: .done(Receipt(status: 200))), Date())],
      now: Date(timeIntervalSince1970: 5))
    #expect(try store.sentBefore([looked[0]]).values.map(\.isCertain) == [true])
  }

  @Test("When a file was sent is the last time, whether it was pushed or queued")
  func sentBeforeLast() throws {
    let store = try harness.open()
    func push(at second: Double) throws {
      let sent = item("a", state: .done(Receipt(status: 200)))
      try store.log([(sent, Date())], now: Date(timeIntervalSince1970: second))
    }
    var again = item("a")
    again.id = ItemID(99)
    func last() throws -> Double? {
      try store.sentBefore([again])[ItemID(99)]?.ended.timeIntervalSince1970
    }
    try push(at: 10)
    #expect(try last() == 10)
    let id = try store.enqueue([item("a")])[0].id
    _ = try store.begin([id])
    try store.record([(id, .done(Receipt(status: 200)))], now: Date(timeIntervalSince1970: 20))
    #expect(try last() == 20)
    try push(at: 30)
    #expect(try last() == 30)
  }

  @Test("Commands that each write once leave no log behind that grows, unless somebody reads it")
  func shortLog() throws {
    let store = try UploadStore(path: harness.path, durability: .crash)
    func length() throws -> Int {
      try Data(contentsOf: URL(fileURLWithPath: harness.path + "-wal")).count
    }
    func push() throws { try store.log([(item("a", state: .done(Receipt(status: 200))), Date())]) }
    for _ in 1...3 { try push() }
    let short = try length()
    store.shortenLog()
    #expect(try length() == short && short > 0)
    for _ in 1...100 { try push() }
    store.shortenLog()
    #expect(try length() <= 128 * 4096)
    try harness.open().read { db in
      _ = try db.rows("SELECT * FROM pushed") { _ in }
      for _ in 1...100 { try push() }
      store.shortenLog()
      #expect(try length() > 128 * 4096)
    }
    store.shortenLog()
    #expect(try length() == 0)
    #expect(try store.history().count == 203)
  }

  @Test("Writing what was sent changes few pages of a long history, whatever the files are called")
  func fewPages() throws {
    let store = try UploadStore(path: harness.path, durability: .crash)
    func sent(_ numbers: Range<Int>) -> [(item: UploadItem, began: Date)] {
      numbers.map { number in
        // Neighbours among the files, but not among the names.
        let name = String(String(number * 7_919 % 10_007).reversed())
        var item = item(
          name, inode: UInt64(number), state: .done(Receipt(status: 200)))
        item.id = ItemID(Int64(number))
        return (item, Date())
      }
    }
    try store.log(sent(0..<5_000))
    store.shortenLog()
    let again = sent(2_000..<2_200)
    #expect(try store.sentBefore(again.map(\.item)).count == 200)
    try store.log(again)
    let log = try Data(contentsOf: URL(fileURLWithPath: harness.path + "-wal")).count
    // Their rows take 20 pages. An index by path would add one for each of its own, about 60; hashes of paths in one
    // folder are close to each other.
    #expect((1..<50).contains(log / 4096), "\(log / 4096) pages")
  }

  @Test("Rows keep their order and their attempts, however many go in one statement")
  func manyRows() throws {
    let store = try harness.open()
    for count in [31, 32, 33, 70] {
      let names = (0..<count).map { "\(count)-\($0)" }
      let listed = try store.enqueue(names.map { item($0) })
      #expect(try store.items().suffix(count).map(\.id) == listed.map(\.id))
      #expect(try store.items().suffix(count).map(\.fileName) == names)
      let now = Date(timeIntervalSince1970: Double(count))
      try store.log(
        names.enumerated().map { index, name in
          (item("sent-\(name)", state: .done(Receipt(status: 200 + index))), now)
        })
    }
    let history = try store.history()
    #expect(history.count == 31 + 32 + 33 + 70)
    for entry in history {
      let number = entry.name.split(separator: "-").last.flatMap { Int($0) }
      #expect(entry.status == 200 + (number ?? -1))
    }
  }

  /// Files of the queue and files that were pushed, some of them twice.
  @Test func theHistoryIsReadInPortionsAndItsFilesAreCounted() throws {
    let harness = try StoreHarness()
    let store = try harness.open()
    #expect(try store.filesInHistory() == 0)
    for round in 0..<3 {
      let queued = try store.enqueue([item("a\(round)"), item("b")])
      _ = try store.begin(queued.map(\.id))
      try store.record(queued.map { ($0.id, .done(Receipt(status: 201))) })
      try store.log(
        ["c", "d\(round)"].map { (item($0, state: .done(Receipt(status: 201))), Date()) })
    }
    let all = Array(try store.history().reversed())
    #expect(all.count == 12)
    for count in [1, 5, 12, 100] {
      var (entries, next): ([HistoryEntry], Int64?) = ([], nil)
      repeat {
        let page = try store.history(before: next, count: count)
        entries += page.entries
        next = page.next
      } while next != nil
      #expect(entries == all, "in portions of \(count)")
    }
    // a0, a1, a2, b, c, d0, d1, d2.
    #expect(try store.filesInHistory() == 8)
  }
}
