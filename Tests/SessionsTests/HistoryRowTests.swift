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

  @Test("A reply that broke off is no saying of the server's")
  func brokenOff() {
    let record = ItemRecord(target: "nas", location: FileLocation("/a"), fileName: "a")
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    var entry = HistoryEntry(
      item: ItemID(1), record: record, name: "a", mediaType: "text/plain", size: 1, attempt: 1,
      began: date, ended: date, status: 200, outcome: .done)
    entry.doubt = "the reply broke off after 4 of 100 bytes"
    #expect(entry.outcomeWords == "200, but the reply broke off after 4 of 100 bytes")
    #expect(entry.end == .doubtful)
  }

  @Test(
    "The status is not said twice",
    arguments: [
      ("404 Not Found", nil), ("<html><head><title>404 Not Found</title></head></html>", nil),
      ("no such album", "no such album"), ("", nil), (nil, nil),
    ] as [(String?, String?)])
  func reason(_ reply: String?, _ reason: String?) {
    let record = ItemRecord(target: "nas", location: FileLocation("/a"), fileName: "a")
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    var entry = HistoryEntry(
      item: ItemID(1), record: record, name: "a", mediaType: "text/plain", size: 1, attempt: 1,
      began: date, ended: date, status: 404, outcome: .failed("http-404"))
    (entry.message, entry.reply) = ("hoist's own words", reply)
    #expect(entry.outcomeWords == "404 Not Found" && entry.reason == reason)
  }

  private static func entry(_ failure: Failure) -> HistoryEntry {
    let end = AttemptEnd(failure, bytes: nil)
    let record = ItemRecord(target: "nas", location: FileLocation("/a"), fileName: "a")
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    var entry = HistoryEntry(
      item: ItemID(1), record: record, name: "a", mediaType: "text/plain", size: 1, attempt: 1,
      began: date, ended: date, status: end.status, outcome: end.outcome)
    (entry.arrival, entry.message, entry.reply) = (end.arrival, end.message, end.reply?.text)
    return entry
  }

  @Test("Why the outcome is not known is said in the queue's words")
  func unclear() {
    for why in ["Empty reply from server", "no reply within 5 s", "Recv failure: reset (104)"] {
      let failure = Failure(.outcomeUnknown(why))
      let words = Self.entry(failure).failureReason.words
      #expect(words == "\(why), may have arrived")
      #expect(words == FailureReason(failure, of: "a").words)
    }
  }

  @Test("A reason is a phrase, and not all that can be said")
  func phrase() {
    let entry = Self.entry(Failure(.notHTTP("Received HTTP/0.9 when not allowed")))
    #expect(entry.outcomeWords == "not an HTTP server")
    #expect(
      entry.reason
        == "The service that answered does not speak HTTP: Received HTTP/0.9 when not allowed")
    #expect(Self.entry(Failure(.refused, status: 413)).reason == nil)
  }

  @Test("An attempt that did not reach its server says why")
  func withdrawn() {
    var entry = Self.entry(Failure(.missing))
    (entry.outcome, entry.message) = (.withdrawn, "connection refused")
    #expect(entry.outcomeWords == "not sent: connection refused")
    entry.message = nil
    #expect(entry.outcomeWords == "not sent")
  }
}
