import MultipartForm
import Testing
import UploadModel

@Suite("What another process's changes mean to the one that sends")
struct ExternalChangesTests {
  /// An item as it is written now, as it is known here, and what it comes to.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var written: ItemState
    var known: ItemState?
    var isRenamed = false
    var news: String

    static let all: [Row] = [
      Row(testDescription: "added", written: .waiting, known: nil, news: "fresh"),
      Row(testDescription: "added as paused", written: .paused, known: nil, news: "fresh"),
      Row(
        testDescription: "put back into the line", written: .waiting,
        known: .failed(Failure(.missing)), news: "again, waiting"),
      Row(
        testDescription: "resumed", written: .waiting, known: .paused, news: "again, waiting"),
      Row(testDescription: "paused", written: .paused, known: .waiting, news: "paused"),
      Row(
        testDescription: "paused while it is sent", written: .paused,
        known: .sending(attempt: 1, sent: 1, total: 2), news: "paused"),
      Row(
        testDescription: "paused and renamed", written: .paused, known: .waiting,
        isRenamed: true, news: "paused, edited"),
      Row(
        testDescription: "renamed while it waits", written: .waiting, known: .waiting,
        isRenamed: true, news: "edited, waiting"),
      Row(
        testDescription: "renamed while it is sent", written: .waiting,
        known: .sending(attempt: 1, sent: 1, total: 2), isRenamed: true, news: "waiting, too early"),
      Row(
        testDescription: "renamed after a failure that is on its way",
        written: .failed(Failure(.missing)), known: .sending(attempt: 1, sent: 1, total: 2),
        isRenamed: true, news: "too early"),
      Row(
        testDescription: "its own news, which is on its way", written: .done(receipt),
        known: .awaitingReply(attempt: 1, since: Instant(seconds: 0)), news: ""),
      Row(testDescription: "nothing new", written: .waiting, known: .waiting, news: "waiting"),
      Row(
        testDescription: "nothing new while it waits for another attempt", written: .waiting,
        known: .retrying(
          Failure(.missing), next: 2, of: 3, at: Instant(seconds: 0)), news: "waiting"),
    ]
    private static let receipt = Receipt(status: 200)
  }

  @Test(arguments: Row.all)
  func news(_ row: Row) {
    var written = Self.item(row.written)
    if row.isRenamed { written.fileName = "other.txt" }
    let known = row.known.map { Self.item($0) }
    let news = ExternalChanges(of: [written], known: { $0 == ItemID(1) ? known : nil })
    let words = [
      news.fresh.isEmpty ? nil : "fresh", news.again.isEmpty ? nil : "again",
      news.paused.isEmpty ? nil : "paused", news.edited.isEmpty ? nil : "edited",
      news.waiting.isEmpty ? nil : "waiting", news.comeTooEarly ? "too early" : nil,
    ].compactMap(\.self)
    #expect(words.joined(separator: ", ") == row.news)
    // How it is sent is as written, what has become of it as known.
    for item in news.edited {
      #expect(item.fileName == "other.txt" && item.state == row.known)
    }
  }

  private static func item(_ state: ItemState) -> UploadItem {
    UploadItem(
      id: ItemID(1), uuid: uuid, target: "t", location: FileLocation("/a.txt"),
      mediaType: "text/plain", typeSource: "by extension .txt", size: 2, state: state)
  }
  private static let uuid = UploadItem(
    id: ItemID(1), location: FileLocation("/a.txt"), mediaType: "", typeSource: "", size: 0
  ).uuid
}
