import Foundation
import MultipartForm
import Scheduling
import Testing
import UploadModel

@testable import Screens

@Suite("What a row says of its state")
struct StateLabelTests {
  @Test(
    "a file that its server works on says so, and what came of the last question if it was not answered",
    arguments: [
      (nil, ["being processed by the server", "processing"]),
      (
        "500 Internal Server Error",
        [
          "being processed by the server, which cannot be asked about it: 500 Internal Server Error",
          "processing · 500 Internal Server Error", "processing · 500", "processing",
        ]
      ),
    ] as [(String?, [String])])
  func processing(_ trouble: String?, _ forms: [String]) {
    var processing = Processing(Receipt(status: 202), askingAt: nil, since: Date())
    processing.trouble = trouble
    let item = UploadItem(
      id: ItemID(1), location: FileLocation("/a"), state: .processing(processing))
    let label = StateLabel(of: ItemList.Row(item: item), in: Fixture.empty())
    #expect(label.forms == forms)
    #expect((label.role == .warning) == (trouble != nil))
  }

  @Test(
    "a file that goes on where it was left says so for a few seconds, and in its details until it ends"
  )
  func resumed() {
    var state = Fixture.empty(size: Size(width: 100, height: 30))
    func sending(_ sent: Int64, try number: Int = 2) -> AppEvent {
      .engine(
        [(ItemID(1), .sending(attempt: number, sent: sent, total: 1_000_000))], at: state.now + 1)
    }
    func text() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    Fixture.play(
      &state, .added([Fixture.item(1, "a", size: 1_000_000)]),
      .engine([(ItemID(1), .preparing(attempt: 2))], at: state.now),
      .queue(.resumed(ItemID(1), at: 610_000)), sending(610_000))
    #expect(text().contains("61% resumed at 61%"), "\(text())")
    for sent in [640_000, 670_000, 700_000, 730_000, 760_000] as [Int64] {
      Fixture.play(&state, sending(sent))
    }
    #expect(text().contains("76% sending (try 2)"), "\(text())")
    Fixture.play(&state, .key(.enter))
    #expect(text().contains("Note     resumed at 61%"), "\(text())")
    // What is known of the attempt before is not said of this one.
    Fixture.play(
      &state, .key(.escape), .engine([(ItemID(1), .waiting)], at: state.now),
      .engine([(ItemID(1), .preparing(attempt: 3))], at: state.now), sending(10_000, try: 3))
    #expect(!text().contains("resumed"), "\(text())")
  }

  @Test("a file that has been tried says so while its server asks to wait, and counts as waiting")
  func between() {
    var state = Fixture.empty()
    let busy = Failure(.refused, status: 503, attempts: 2, retryAfter: 8)
    Fixture.play(
      &state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]),
      .engine([(ItemID(1), .retrying(busy, next: 3, of: 5, at: state.now + 1))], at: state.now),
      .reachability(
        server: "https://api.example.com", .asksToWait(busy, until: state.now + 8)),
      .engine([(ItemID(1), .waiting)], at: state.now + 1))
    let labels = state.queue.rows.map { StateLabel(of: $0, in: state) }
    #expect(labels.map { $0.sign(ascii: false).text } == ["·", "·"])
    #expect(
      labels.map { $0.forms.dropFirst().first } == [
        "waiting · 503 · retry 3 in 7 s", "waiting · 503 · next try in 7 s",
      ])
  }

  @Test("a doubtful file says what the reply says, as far as there is room, and never looks done")
  func doubtful() {
    let item = UploadItem(
      id: ItemID(1), location: FileLocation("/a"), state: .done(Fixture.doubtful))
    let label = StateLabel(of: ItemList.Row(item: item), in: Fixture.empty())
    func fitting(_ width: Int) -> String {
      label.fitting(width, ascii: false).map(\.text).joined()
    }
    #expect(label.role == .warning && label.sign(ascii: false).text == "!")
    #expect(fitting(80) == "200, but the reply says: quota exceeded")
    #expect(fitting(38) == "200, but the reply says: quota exceed…")
    #expect(fitting(30) == "done 200, doubtful")
    #expect(fitting(10) == "doubtful")
  }

  @Test(
    "a file that has grown says by how much, also if it was there already",
    arguments: [false, true])
  func grown(wasThere: Bool) {
    var receipt = Receipt(status: 201, bytes: 10)
    (receipt.growth, receipt.wasThere, receipt.verified) = (12_000, wasThere, "sha-256")
    let item = UploadItem(
      id: ItemID(1), location: FileLocation("/a"), state: .done(receipt))
    let label = StateLabel(of: ItemList.Row(item: item), in: Fixture.empty())
    #expect(label.role == .warning && label.sign(ascii: false).text == "!")
    let words = "but the file has grown by 12 kB since it was read"
    #expect(
      label.forms == [
        "\(wasThere ? "there already" : "201"), \(words)", "done 201, has grown", "has grown",
      ])
  }

  @Test("a file whose folder cannot be made names the folder in each form, rather than the status")
  func folder() {
    let failure = Failure(
      .noFolder("photos", "403 Forbidden"), status: 403, reply: Reply(text: "not here"),
      attempts: 1)
    let item = UploadItem(
      id: ItemID(1), location: FileLocation("/a"), state: .failed(failure))
    let label = StateLabel(of: ItemList.Row(item: item), in: Fixture.empty())
    #expect(label.forms.allSatisfy { $0.contains("photos") }, "\(label.forms)")
  }
}
