import MultipartForm
import Testing

@testable import UploadModel

/// Which bytes count as what, file by file and together.
@Suite struct TotalsTests {
  /// Arrived, moving, to go, paused, unknown and failed bytes of one file of 1,000 bytes.
  private static let table:
    [(state: ItemState, bytes: [Int64], counted: KeyPath<Totals, Int> & Sendable)] = [
      (.waiting, [0, 0, 1000, 0, 0, 0], \.waiting),
      (.preparing(attempt: 1), [0, 0, 1000, 0, 0, 0], \.active),
      (.sending(attempt: 1, sent: 0, total: 1000), [0, 0, 1000, 0, 0, 0], \.active),
      (.sending(attempt: 2, sent: 400, total: 1000), [0, 400, 600, 0, 0, 0], \.active),
      // A count that runs past the end, or before the beginning, makes no bytes.
      (.sending(attempt: 1, sent: 2000, total: 1000), [0, 1000, 0, 0, 0, 0], \.active),
      (.sending(attempt: 1, sent: -5, total: 1000), [0, 0, 1000, 0, 0, 0], \.active),
      (.awaitingReply(attempt: 1, since: Instant(seconds: 0)), [0, 1000, 0, 0, 0, 0], \.awaiting),
      (
        .retrying(Failure(.refused, status: 503), next: 2, of: 5, at: Instant(seconds: 9)),
        [0, 0, 1000, 0, 0, 0], \.retrying
      ),
      (.paused, [0, 0, 0, 1000, 0, 0], \.paused),
      (.done(Receipt(status: 201)), [1000, 0, 0, 0, 0, 0], \.done),
      (.failed(Failure(.outcomeUnknown("it closed"))), [0, 0, 0, 0, 1000, 0], \.unknown),
      (.failed(Failure(.refused, status: 413)), [0, 0, 0, 0, 0, 1000], \.failed),
      // The server has it, and yet it is not as it should be: its row says so, too.
      (.failed(Failure(.notRecorded("500"))), [0, 0, 0, 0, 0, 1000], \.failed),
      (.failed(Failure(.cancelled)), [0, 0, 0, 0, 0, 1000], \.failed),
      (.failed(Failure(.missing)), [0, 0, 0, 0, 0, 1000], \.failed),
    ]

  @Test("A part is never less than nothing, nor more than the file", arguments: [-1000, 0, 1000])
  func parts(of size: Int64) {
    let whole = size > 0 ? Workload(file: size) : Workload()
    #expect(Workload(first: size, of: size) == whole)
    #expect(Workload(first: .max, of: size) == whole)
    #expect(Workload(first: .min, of: size) == Workload())
    #expect(Workload(first: -1, of: size) == Workload())
  }

  private static func item(_ id: Int, _ state: ItemState) -> UploadItem {
    UploadItem(
      id: ItemID(Int64(id)), location: FileLocation("/f"), size: 1000, state: state)
  }

  private static func bytes(_ totals: Totals) -> [Int64] {
    [
      totals.arrivedBytes, totals.movingBytes, totals.bytesToGo, totals.pausedBytes,
      totals.unknownBytes, totals.failedBytes,
    ]
  }

  @Test(arguments: table.indices) func oneFile(_ index: Int) {
    let (state, bytes, counted) = Self.table[index]
    let totals = Totals(of: [Self.item(1, state)])
    #expect(Self.bytes(totals) == bytes)
    #expect(totals[keyPath: counted] == 1)
    #expect(totals.all == 1 && totals.bytes == 1000, "each file and each byte counts once")
  }

  @Test func ofEmptyFilesThoseThatThePersonHoldsBackCountToo() {
    let states: [ItemState] = [.done(Receipt(status: 201)), .waiting, .paused]
    let items = states.enumerated().map { index, state in
      UploadItem(id: ItemID(Int64(index)), location: FileLocation("/f"), size: 0, state: state)
    }
    var totals = Totals(of: items)
    #expect(totals.share == (1, 3))
    totals.subtract(items[1])
    #expect(totals.share == (1, 2))
  }

  @Test func bytesThatThePersonHoldsBackDoNotHideEmptyFiles() {
    var held = Self.item(1, .paused)
    var totals = Totals(of: [held])
    held.size = 0
    (held.id, held.state) = (ItemID(2), .waiting)
    totals.add(held)
    #expect(totals.share == (0, 2) && !totals.countsBytes)
  }

  @Test func allTogetherAndEachTakenAwayAgain() {
    let items = Self.table.enumerated().map { Self.item($0, $1.state) }
    var totals = Totals(of: items)
    #expect(totals.all == items.count && totals.bytes == Int64(items.count) * 1000)
    #expect(totals.failed == 4 && totals.unknown == 1 && totals.done == 1)
    #expect(Self.bytes(totals) == [1000, 2400, 5600, 1000, 1000, 4000])
    for item in items { totals.subtract(item) }
    #expect(totals == Totals())
  }

  @Test func filesThatClaimMoreThanCanBeCounted() {
    var items = [Self.item(1, .waiting), Self.item(2, .failed(Failure(.missing)))]
    for index in items.indices { items[index].size = .max }
    var totals = Totals(of: items + items)
    for item in items + items { totals.subtract(item) }
    #expect(totals == Totals())
  }
}
