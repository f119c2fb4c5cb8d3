import Foundation
import TestSupport
import Testing
import UploadModel

@testable import UploadStore

@Suite("Results that the queue's disk has no room for") struct ResultJournalTests {
  let harness: StoreHarness
  let store: UploadStore
  private let room: ScratchDirectory

  init() throws {
    harness = try StoreHarness()
    store = try harness.open()
    room = try ScratchDirectory()
  }

  private func journal(_ environment: [String: String]? = nil) -> ResultJournal {
    ResultJournal(queue: harness.path, environment: environment ?? ["TMPDIR": room.path])
  }

  private func underWay(_ names: String...) throws -> [UploadItem] {
    let items = try store.enqueue(names.map { item($0) })
    _ = try store.begin(items.map(\.id))
    return items
  }

  @Test("are kept as they are, read back, and written down for the items that they are of")
  func roundTrip() throws {
    let items = try underWay("a", "b", "c")
    let receipt = Receipt(
      status: 201, url: "/a", reply: Reply(text: "é\0\"", mediaType: "text/plain"), attempts: 1,
      seconds: 2, bytes: 10)
    let date = Date(timeIntervalSince1970: 1_000_000)
    let kept = try store.kept(
      [
        (items[0].id, .awaitingReply(attempt: 1, since: Instant(seconds: 3))),
        (items[0].id, .sending(attempt: 1, sent: 1, total: 2)),
        (items[0].id, .done(receipt)), (items[1].id, .failed(refused)),
        (ItemID(99), .done(receipt)),
      ], now: date)
    #expect(kept.map(\.item) == [items[0].id, items[0].id, items[1].id])
    let place = try #require(journal().keep(kept))
    #expect(place.hasPrefix(room.path))
    #expect(journal().results() == kept)

    // Another queue's item with the same number.
    var strange = kept
    strange.append(JournalEntry(item: items[2].id, uuid: UUID(), state: .done(receipt), date: date))
    try store.record(strange)
    let recovery = try store.recover()
    #expect(recovery == UploadStore.Recovery(interrupted: [items[2].id]))
    let history = try store.history()
    #expect(history.map(\.outcome) == [.done, .failed("http-413"), .interrupted])
    #expect(history[0].ended == date && history[0].url == "/a")
    journal().remove()
    #expect(journal().results() == [])
  }

  @Test("go where there is room, and are found there whatever the environment says by then")
  func places() throws {
    let kept = try store.kept([(try underWay("a")[0].id, .paused)])
    let other = try ScratchDirectory()
    let first = try #require(
      journal(["XDG_RUNTIME_DIR": other.path, "TMPDIR": room.path]).keep(kept))
    #expect(first.hasPrefix(other.path))
    let both = journal(["XDG_RUNTIME_DIR": room.path("missing"), "TMPDIR": room.path])
    #expect(try #require(both.keep(kept)).hasPrefix(room.path))
    #expect(journal(["XDG_RUNTIME_DIR": "relative", "TMPDIR": room.path]).results() == kept)
    let last = journal([:])
    #expect(try #require(last.keep(kept)).hasPrefix("/tmp/hoist-"))
    last.remove()
  }

  @Test("are only read where nobody else can have written them")
  func strangers() throws {
    let kept = try store.kept([(try underWay("a")[0].id, .paused)])
    let place = try #require(journal().keep(kept))
    chmod(place, 0o622)
    #expect(journal().results() == [])
    chmod(place, 0o600)
    try FileManager.default.moveItem(atPath: place, toPath: place + ".moved")
    try FileManager.default.createSymbolicLink(
      atPath: place, withDestinationPath: place + ".moved")
    #expect(journal().results() == [])
  }
}
