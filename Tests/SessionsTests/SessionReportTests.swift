import MultipartForm
import Queue
import Scheduling
import Testing
import UploadModel
import UploadStore

@testable import Sessions

@Suite("What is printed once the screen has gone")
struct SessionReportTests {
  private static func report(
    _ count: Int, failed: Bool = false, isStopped: Bool = false, successor: Int32? = nil,
    isAside: Bool = false, isReading: Bool = false, successors: Int = 0
  ) -> SessionReport {
    var list = ItemList()
    let items = (0..<count).map { number in
      UploadItem(
        id: ItemID(Int64(number) + 1), location: FileLocation("/files/\(number)"),
        state: failed ? .failed(Failure(.refused, status: 413)) : .waiting)
    }
    list.append(items)
    return SessionReport(
      items: list, isReading: isReading, isAside: isAside, successors: successors,
      isStopped: isStopped, successor: successor)
  }

  @Test("Forty files are named, and the others counted")
  func many() {
    let report = Self.report(42, failed: true)
    #expect(report.lines.count == 43)
    #expect(
      report.lines.suffix(3) == [
        "… and 2 more", "  42 × 413 Content Too Large",
        "0 of 42 files sent; 42 failed; what was not sent stays in the queue",
      ])
    #expect(report.status == .someFailed)
  }

  @Test("A file that was tried, and is still to be sent, says what the last attempt met with")
  func tried() {
    var list = ItemList()
    list.append(
      (1...3).map {
        UploadItem(id: ItemID($0), location: FileLocation("/files/\($0)"), state: .waiting)
      })
    let busy = Failure(.refused, status: 429, attempts: 1)
    let now = Instant(seconds: 9)
    for id in [1, 2] as [Int64] {
      _ = list.change(ItemID(id), to: .retrying(busy, next: 2, of: 5, at: now + 9), at: now)
    }
    _ = list.change(ItemID(2), to: .waiting, at: now)
    let report = SessionReport(items: list, isReading: false, isAside: false)
    #expect(
      report.lines.prefix(3).map { $0.split(separator: ": ").dropFirst().joined(separator: ": ") }
        == ["not sent: 429 Too Many Requests", "not sent: 429 Too Many Requests", "not sent"])
  }

  @Test("Files whose replies nobody has awaited count as unknown, as the next hoist finds them")
  func cutOff() {
    var list = ItemList()
    let now = Instant(seconds: 9)
    let states: [ItemState] = [
      .done(Receipt(status: 201)), .awaitingReply(attempt: 1, since: now),
      .sending(attempt: 1, sent: 0, total: 9),
      .processing(Processing(Receipt(status: 202), askingAt: nil, since: .now)),
      .waiting,
    ]
    list.append(
      states.indices.map {
        UploadItem(id: ItemID(Int64($0)), location: FileLocation("/files/\($0)"), state: .waiting)
      })
    for (index, state) in states.enumerated() {
      _ = list.change(ItemID(Int64(index)), to: state, at: now)
    }
    let report = SessionReport(items: list, isReading: false, isAside: false)
    #expect(
      report.lines.last
        == "1 of 5 files sent; 1 unknown; 3 files left in the queue for the next hoist")
    #expect(report.lines.count { $0.hasPrefix("? ") } == 1)
    // What the next hoist sends again by itself is left, and nothing that a person has to check.
    var harmless = report
    harmless.startsAgain = { _ in true }
    #expect(
      harmless.lines.last == "1 of 5 files sent; 4 files left in the queue for the next hoist")
    #expect(!harmless.lines.contains { $0.hasPrefix("? ") })
  }

  @Test("A queue that no other hoist has, like the demo's, leaves nothing for the next one")
  func demo() {
    var report = Self.report(2, isStopped: true)
    report.isKept = false
    #expect(report.lines.last == "0 of 2 files sent")
  }

  @Test("A queue that cannot be used says why, and is a failure")
  func fault() {
    var report = Self.report(0)
    report.fault = StoreError("the queue q cannot be read")
    #expect(report.lines == ["! the queue q cannot be read"])
    #expect(report.status == .someFailed)
  }

  @Test("What another process sends is no failure")
  func elsewhere() {
    let aside = Self.report(2, isAside: true)
    #expect(aside.lines == ["another hoist process is sending the queue"])
    #expect(aside.status == .success)
    let handedOver = Self.report(2, successor: 7)
    #expect(
      handedOver.lines == [
        "0 of 2 files sent",
        "the remaining files are being sent in the background (process 7); run hoist to watch",
      ])
    #expect(handedOver.status == .success)
    #expect(Self.report(2, failed: true, successor: 7).status == .someFailed)
    // A hoist that has looked on takes over.
    let taken = Self.report(2, successors: 1)
    #expect(
      taken.lines == [
        "0 of 2 files sent",
        "another hoist, which has this queue open, goes on sending the remaining files",
      ])
    #expect(taken.status == .success)
    #expect(Self.report(2, failed: true, successors: 1).status == .someFailed)
  }

  @Test("What another process sent before has no size and no time here")
  func sentBefore() {
    var list = ItemList()
    list.append(
      [ItemState.done(Receipt(status: 201)), .waiting].enumerated().map { number, state in
        UploadItem(
          id: ItemID(Int64(number) + 1), location: FileLocation("/files/\(number)"), size: 10,
          state: state)
      })
    let report = SessionReport(items: list, figures: SendingFigures(seconds: 3.5, bytes: 0))
    #expect(
      report.lines.last == "1 of 2 files sent; 1 file left in the queue for the next hoist")
  }

  @Test("What became doubtful in an earlier session is not counted with what this one has sent")
  func doubtfulBefore() {
    var (state, doubtful) = (QueueState(isReading: true), Receipt(status: 200))
    doubtful.doubt = "the reply broke off"
    func item(_ id: Int64, _ state: ItemState) -> UploadItem {
      UploadItem(
        id: ItemID(id), location: FileLocation("/files/\(id)"), size: 10, state: state)
    }
    func report() -> [String] {
      SessionReport(items: state.items, figures: SendingFigures(seconds: 1, bytes: 10)).lines
    }
    let now = Instant(seconds: 0)
    _ = state.receive(.added([item(1, .done(doubtful)), item(2, .done(doubtful))]), at: now)
    _ = state.receive(.read(hasHistory: true), at: now)
    #expect(report() == [])
    _ = state.receive(.added([item(3, .waiting)]), at: now)
    _ = state.receive(.changed([(ItemID(3), .done(Receipt(status: 201)))], at: now), at: now)
    #expect(report() == ["1 of 1 file sent, 10 B in 1 s"])
    #expect(state.items.sessionTotals.endWords == "1 file sent")
    // What is removed was not sent in this session either.
    state.forget([ItemID(1)])
    #expect(state.items.sessionCounts.words(nil) == "1 of 1 file sent")
    // What is found to have failed is of this session.
    let failure = Failure(.outcomeUnknown("disk full"))
    _ = state.receive(.changed([(ItemID(2), .failed(failure))], at: now), at: now)
    #expect(state.items.sessionCounts.words(nil) == "1 of 2 files sent; 1 unknown")
  }

  @Test("What has left the list counts with what is still there, so that the numbers add up")
  func removed() {
    var (list, doubtful) = (ItemList(), Receipt(status: 200))
    doubtful.doubt = "the reply broke off"
    let states: [ItemState] = [
      .done(Receipt(status: 201)), .done(doubtful), .waiting,
      .failed(Failure(.refused, status: 413)),
      .done(Receipt(status: 201)), .done(doubtful), .failed(Failure(.refused, status: 413)),
      .waiting,
    ]
    list.append(
      states.enumerated().map { number, state in
        UploadItem(
          id: ItemID(Int64(number) + 1), location: FileLocation("/files/\(number)"), size: 10,
          state: state)
      })
    list.remove([ItemID(1), ItemID(2), ItemID(3), ItemID(4)])
    #expect(
      SessionReport(items: list).lines.last
        == "2 of 8 files sent; 1 failed; 2 doubtful; 2 removed; "
        + "1 file left in the queue for the next hoist")
  }

  @Test("An empty queue is a success, unless it had not been read to its end")
  func nothing() {
    #expect(Self.report(0).lines.isEmpty)
    #expect(Self.report(0).status == .success)
    #expect(Self.report(0, isReading: true).lines.count == 1)
    #expect(Self.report(0, isReading: true).status == .someFailed)
  }

  @Test("A stopped queue says how it goes on, if anything is left")
  func stopped() {
    #expect(Self.report(1, isStopped: true).lines.last?.contains("hoist queue start") == true)
    #expect(Self.report(0, isStopped: true).lines.isEmpty)
  }
}
