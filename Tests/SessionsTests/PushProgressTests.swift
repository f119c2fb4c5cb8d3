import MultipartForm
import Scheduling
import Testing
import UploadModel

@testable import Sessions

@Suite("The course of a push") struct PushProgressTests {
  private func item(_ number: Int64, _ path: FileLocation = "scan.pdf") -> UploadItem {
    UploadItem(id: ItemID(number), location: path, size: 10)
  }

  private func course(_ state: ItemState) -> PushProgress {
    var course = PushProgress(keepsResults: true, isWatching: true)
    course.add(item(1), at: Self.now)
    _ = course.record(state, of: ItemID(1), at: Self.now)
    return course
  }

  private static let now = Instant(seconds: 5)
  private static let refused = Failure(.refused, status: 503, attempts: 1)

  @Test(
    "a file that comes anew before a byte of it has left is forgotten",
    arguments: [
      .waiting, .paused, .retrying(refused, next: 2, of: 5, at: Instant(seconds: 9)),
    ] as [ItemState])
  func unsent(state: ItemState) {
    var course = course(state)
    #expect(course.replaced(by: [item(2)]) == PushProgress.Replaced(unsent: [ItemID(1)]))
    course.add(item(2), at: Self.now)
    #expect(course.record(.done(Receipt(status: 200)), of: ItemID(1), at: Self.now) == nil)
    #expect(course.openItems == [ItemID(2)])
  }

  @Test(
    "one that the server has all of, or is getting, counts once it is known that it arrived",
    arguments: [
      (.awaitingReply(attempt: 1, since: Instant(seconds: 1)), []),
      (.sending(attempt: 1, sent: 1, total: 10), [ItemID(1)]),
      (.preparing(attempt: 1), [ItemID(1)]),
    ] as [(ItemState, [ItemID])])
  func underWay(state: ItemState, stopped: [ItemID]) {
    var course = course(state)
    #expect(course.replaced(by: [item(2)]) == PushProgress.Replaced(sending: stopped))
    course.add(item(2), at: Self.now)
    course.isComplete = true
    _ = course.record(.done(Receipt(status: 200)), of: ItemID(2), at: Self.now)
    #expect(!course.isOver)
    #expect(course.record(.done(Receipt(status: 201)), of: ItemID(1), at: Self.now) != nil)
    #expect(course.isOver)
    let summary = course.end(SendingFigures())
    #expect(summary.counts.sent == 2 && summary.counts.all == 2)
    #expect(summary.results.map(\.id) == [ItemID(1), ItemID(2)])
  }

  @Test(
    "a file that did not arrive is not mentioned; one that may have arrived is",
    arguments: [
      (Failure(.cancelled), false), (Failure(.changed(.modified)), false), (refused, false),
      (Failure(.outcomeUnknown("no answer")), true),
    ])
  func failed(failure: Failure, isTold: Bool) {
    var course = course(.sending(attempt: 1, sent: 1, total: 10))
    _ = course.replaced(by: [item(2)])
    #expect((course.record(.failed(failure), of: ItemID(1), at: Self.now) != nil) == isTold)
    #expect(course.end(SendingFigures()).failed.count == (isTold ? 1 : 0))
    #expect(course.openItems == [])
    #expect(course.progress.totals.all == (isTold ? 1 : 0))
  }

  @Test("one that would be tried again is not")
  func again() {
    var course = course(.awaitingReply(attempt: 1, since: Instant(seconds: 1)))
    let later = ItemState.retrying(Self.refused, next: 2, of: 5, at: Instant(seconds: 9))
    #expect(!course.isGivenUp(ItemID(1), in: later))
    _ = course.replaced(by: [item(2)])
    #expect(course.isGivenUp(ItemID(1), in: later))
    #expect(
      !course.isGivenUp(ItemID(1), in: .awaitingReply(attempt: 1, since: Instant(seconds: 1))))
  }

  // MARK: What the engine has

  /// A push of six files of which the engine has three.
  private var begun: (course: PushProgress, given: [ItemID]) {
    var course = PushProgress(
      keepsResults: false, isWatching: true, mostInLine: 3)
    for number in 1...6 {
      course.add(item(Int64(number), FileLocation("scan\(number).pdf")), at: Self.now)
    }
    let given = course.handOver().map(\.id)
    return (course, given)
  }

  @Test(
    "the engine gets more files when few wait in its line, whatever the others do",
    arguments: [
      (.waiting, []), (.preparing(attempt: 1), [5]),
      (.retrying(refused, next: 2, of: 5, at: Instant(seconds: 9)), [5]),
      (.done(Receipt(status: 200)), [5]), (.failed(refused), [5]),
    ] as [(ItemState, [Int64])])
  func line(state: ItemState, next: [Int64]) {
    var (course, given) = begun
    #expect(given == [1, 2, 3].map(ItemID.init))
    _ = course.record(.preparing(attempt: 1), of: ItemID(2), at: Self.now)
    #expect(course.handOver().map(\.id) == [ItemID(4)])
    _ = course.record(.waiting, of: ItemID(2), at: Self.now)
    #expect(course.handOver().map(\.id) == [])
    _ = course.record(.preparing(attempt: 2), of: ItemID(2), at: Self.now)
    _ = course.record(state, of: ItemID(3), at: Self.now)
    #expect(course.handOver().map(\.id) == next.map(ItemID.init))
  }

  @Test("what was replaced makes room, or never gets there")
  func replacedInLine() {
    var (course, _) = begun
    let replaced = course.replaced(by: [item(7, "scan1.pdf"), item(8, "scan4.pdf")])
    #expect(replaced.unsent == [ItemID(1), ItemID(4)])
    #expect(course.handOver().map(\.id) == [ItemID(5)])
    #expect(course.handOver(all: true).map(\.id) == [ItemID(6)])
  }

  @Test("what the engine does not have fails with its line, and not with a file or a person")
  func endOfLine() {
    var (course, _) = begun
    _ = course.record(.preparing(attempt: 1), of: ItemID(1), at: Self.now)
    _ = course.record(.failed(Self.refused), of: ItemID(1), at: Self.now)
    _ = course.record(.failed(Failure(.cancelled)), of: ItemID(2), at: Self.now)
    #expect(course.givenUp().isEmpty)
    let untried = Failure(.notTried("the server refused the credentials"))
    _ = course.record(.failed(untried), of: ItemID(3), at: Self.now)
    let lost = course.givenUp()
    #expect(lost.map(\.0) == [4, 5, 6].map(ItemID.init))
    #expect(lost.allSatisfy { $0.1 == .failed(untried) })
    for (id, state) in lost { _ = course.record(state, of: id, at: Self.now) }
    #expect(course.openItems == [] && course.givenUp().isEmpty)
  }
}
