import Foundation
import MultipartForm
import ProcessContext
import Screens
import Testing
import UploadModel

@testable import Sessions
@testable import UploadStore

/// What a row of the history shows of an attempt.
@Suite struct HistoryRowTests {
  /// The rows are in the order in which the attempts began.
  @Test func itsTimeIsThatOfTheBeginning() {
    let began = Date(timeIntervalSince1970: 1_700_000_000)
    let record = ItemRecord(target: "nas", location: FileLocation("/a"), fileName: "a")
    let entry = HistoryEntry(
      item: ItemID(1), record: record, name: "a", mediaType: "text/plain", size: 1, attempt: 1,
      began: began, ended: began + 600, outcome: .done)
    let row = HistoryRow(entry, at: (date: began + 900, instant: Instant(seconds: 5000)))
    #expect(row.instant == Instant(seconds: 4100))
    #expect(row.time == began.localMinute)
  }
}
