import MultipartForm
import Scheduling
import TestSupport
import Testing
import UploadModel

@testable import Queue

/// What is said through the socket, without a socket.
@Suite struct LinkLineTests {
  private static let failure = Failure(
    .connectionRefused("no one\nthere"), reply: Reply(text: "\u{1}\"\\"), attempts: 2)

  /// Two files after two seconds, one of which the server had in part before.
  private static let measured: Speeds = {
    var speeds = Speeds()
    let items = [1, 2].map {
      UploadItem(id: ItemID($0), location: FileLocation("/\($0)"), size: 1_000_000)
    }
    speeds.noteStart(of: ItemID(2), at: 10)
    for tenth in 0..<20 {
      let now = Instant(seconds: 5 + Double(tenth) / 10)
      for item in items {
        let sent: (Int) -> Int64 = { 10 + 5000 * Int64($0) }
        speeds.record(
          item,
          from: tenth == 0
            ? .preparing(attempt: 1)
            : .sending(attempt: 1, sent: sent(tenth - 1), total: 1_000_000),
          to: .sending(attempt: 1, sent: sent(tenth), total: 1_000_000), at: now)
      }
      speeds.settle(isBusy: true, at: now)
    }
    return speeds
  }()

  @Test(
    "speeds that cannot have been measured are not taken",
    arguments: [
      (
        """
        "moved":20000
        """,
        """
        "moved":-20000
        """
      ),
      (
        """
        "seconds":600
        """,
        """
        "seconds":-1
        """
      ),
      // More files under way than there are.
      (
        """
        "active":2
        """,
        """
        "active":3
        """
      ),
      (
        """
        "starts":[{"rawValue":2},10]
        """,
        """
        "starts":[{"rawValue":2},-10]
        """
      ),
    ])
  func unsound(_ sound: String, _ unsound: String) throws {
    #expect(Self.measured.isSound && Speeds().isSound)
    let line = String(decoding: LinkLine.encode(Self.measured), as: UTF8.self)
    let changed = line.replacing(sound, with: unsound)
    #expect(changed != line, "\(line)")
    let speeds = try #require(LinkLine.decode(Speeds.self, Array(changed.utf8.dropLast())))
    #expect(!speeds.isSound)
  }

  @Test(
    arguments: [
      .item(id: ItemID(1), state: .waiting), .item(id: ItemID(2), state: .paused),
      .item(id: ItemID(3), state: .preparing(attempt: 1)),
      .item(id: ItemID(.max), state: .sending(attempt: 2, sent: 5, total: .max)),
      .item(id: ItemID(4), state: .awaitingReply(attempt: 1, since: Instant(seconds: 1.5))),
      .item(
        id: ItemID(5),
        state: .retrying(failure, next: 3, of: 5, at: Instant(seconds: 9))),
      .item(id: ItemID(6), state: .failed(failure)),
      .item(
        id: ItemID(7), state: .done(Receipt(status: 201, url: "http://h/ü", bytes: 3))),
      .server(address: "http://h", news: .away(failure, nextTry: Instant(seconds: 3))),
      .server(address: "http://h", news: .away(failure, nextTry: nil)),
      .server(address: "http://h", news: .back), .server(address: "http://h", news: .unneeded),
      .refusal(target: "nas", .refused), .resumed(id: ItemID(8), at: .max),
      .pace(target: "nas", until: Instant(seconds: 2.5)), .pace(target: "nas", until: nil),
      .settings(SenderSettings(limit: 5, isStarted: false, lanes: ["nas": 3], isHandedOver: true)),
      .settings(SenderSettings(lanes: ["nas": .auto(2...16)])), .lanes(12, target: "nas"),
      .settings(SenderSettings()), .figures(SendingFigures(seconds: 4.625, bytes: .max)), .complete,
      .speeds(measured), .run(target: "nas", RunNews(.ended(.close))),
      .run(target: "nas", RunNews(.refused(.abort), because: Failure(.refused))),
    ] as [SenderNews])
  func newsComeBackAsTheyWere(_ news: SenderNews) {
    let line = LinkLine.encode(news)
    // One line, whatever is in it.
    #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    #expect(LinkLine.decode(SenderNews.self, Array(line.dropLast())) == news)
  }

  @Test(
    arguments: [
      (.retry([ItemID(1), ItemID(2)]), true), (.pause([]), true), (.start(false), true),
      (.limit(nil), true), (.limit(1), true), (.limit(0), false), (.limit(-5), false),
      (.lanes(64, target: "nas"), true), (.lanes(65, target: "nas"), false),
      (.lanes(0, target: "nas"), false), (.lanes(.automatic, target: "nas"), true),
      (.lanes(.auto(1...65), target: "nas"), false), (.tryServers, true),
      (.retry((0...10_000).map { ItemID($0) }), false),
    ] as [(SenderOrder, Bool)])
  func ordersComeBackAsTheyWere(_ order: SenderOrder, _ isValid: Bool) {
    let line = LinkLine.encode(order)
    #expect(LinkLine.decode(SenderOrder.self, Array(line.dropLast())) == order)
    #expect(order.isValid == isValid)
  }

  @Test(
    arguments: [
      (.start(false), SenderSettings(limit: 5, isStarted: false, lanes: ["nas": 1])),
      (.limit(nil), SenderSettings(limit: nil, lanes: ["nas": 1])),
      (.lanes(3, target: "nas"), SenderSettings(limit: 5, lanes: ["nas": 3])),
      (.lanes(3, target: "desk"), SenderSettings(limit: 5, lanes: ["nas": 1, "desk": 3])),
      (.tryServers, SenderSettings(limit: 5, lanes: ["nas": 1])),
    ] as [(SenderOrder, SenderSettings)])
  func ordersSetOneThing(_ order: SenderOrder, _ expected: SenderSettings) {
    var settings = SenderSettings(limit: 5, lanes: ["nas": 1])
    order.apply(to: &settings)
    #expect(settings == expected)
  }

  @Test func ordersForManyFilesGoInPortions() throws {
    let ids = (0..<25_000).map { ItemID(.max - $0) }
    for (order, all) in [
      (SenderOrder.retry(ids), SenderOrder.retry), (.pause(ids), SenderOrder.pause),
    ] {
      let portions = order.portions
      #expect(portions.count == 3)
      #expect(
        portions
          == stride(from: 0, to: 25_000, by: 10_000).map {
            all(Array(ids[$0..<min($0 + 10_000, 25_000)]))
          })
      for portion in portions {
        #expect(portion.isValid)
        #expect(LinkLine.encode(portion).count < LinkLine.longest)
      }
    }
    #expect(SenderOrder.retry([]).portions == [])
    #expect(SenderOrder.start(true).portions == [.start(true)])
  }

  @Test(
    arguments: [
      "", "{", "null", "[]", "{}", "\u{0}", "{\"retry\":{\"_0\":[\"x\"]}}", "{\"delete\":{}}",
      "{\"limit\":{\"_0\":1e99}}", "\"retry\"", "{\"hoist\":1}",
      String(repeating: "[", count: 1_000_000),
      String(repeating: "{\"a\":", count: 100_000),
    ])
  func garbageIsNothing(_ text: String) {
    #expect(LinkLine.decode(SenderOrder.self, Array(text.utf8)) == nil)
    #expect(LinkLine.decode(SenderNews.self, Array(text.utf8)) == nil)
    #expect(LinkLine.decode(LinkLine.Greeting.self, Array(text.utf8)) == nil)
  }

  @Test(
    arguments: [
      (["a\nb\n"], ["a", "b"]), (["a", "b", "\n"], ["ab"]), (["\n\n"], ["", ""]),
      (["12345678\n"], ["12345678"]), (["1234", "5678\nx"], ["12345678"]),
      (["123456789\n"], nil), (["12345678", "9"], nil), (["ok\n", "123456789"], nil),
      (["no end"], []),
    ] as [([String], [String]?)])
  func whatArrivesIsCutIntoLines(_ pieces: [String], _ expected: [String]?) {
    var cutter = LineCutter(longest: 8)
    var lines: [String] = []
    for piece in pieces {
      guard let cut = cutter.cut(Array(piece.utf8)) else {
        #expect(expected == nil)
        return
      }
      lines += cut.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(lines == expected)
  }

  @Test func whoComesLaterIsToldWhatIsLeft() {
    var status = SenderStatus()
    let refused = Failure(.connectionRefused(""))
    for news in [
      .item(id: ItemID(1), state: .preparing(attempt: 1)),
      .item(id: ItemID(1), state: .sending(attempt: 1, sent: 1, total: 2)),
      .item(id: ItemID(2), state: .sending(attempt: 1, sent: 1, total: 2)),
      .item(id: ItemID(2), state: .done(Receipt(status: 200))),
      .item(id: ItemID(3), state: .waiting),
      .server(address: "a", news: .away(refused, nextTry: nil)),
      .server(address: "b", news: .away(refused, nextTry: nil)),
      .server(address: "b", news: .back), .refusal(target: "x", .refused),
      .server(address: "a", news: .asksToWait(refused, until: Instant(seconds: 9))),
      .server(address: "b", news: .asksToWait(refused, until: Instant(seconds: 9))),
      .server(address: "b", news: .unneeded),
      .refusal(target: "y", .refused), .refusal(target: "y", nil),
      .pace(target: "x", until: Instant(seconds: 3)), .pace(target: "y", until: nil),
      .settings(SenderSettings(limit: 7)), .figures(SendingFigures(seconds: 1, bytes: 1)),
      .figures(SendingFigures(seconds: 2, bytes: 3)),
      .run(target: "z", RunNews(.kept(isEmpty: true))), .run(target: "y", RunNews(.stopped)),
      .run(target: "y", RunNews(.ended(.close))),
      .item(id: ItemID(4), state: .failed(Failure(.unsendable("no such target")))),
      .item(id: ItemID(5), state: .failed(Failure(.refused))),
    ] as [SenderNews] { status.record(news) }
    #expect(
      status.news == [
        .settings(SenderSettings(limit: 7)), .figures(SendingFigures(seconds: 2, bytes: 3)),
        .server(address: "a", news: .away(refused, nextTry: nil)),
        .server(address: "a", news: .asksToWait(refused, until: Instant(seconds: 9))),
        .refusal(target: "x", .refused), .pace(target: "x", until: Instant(seconds: 3)),
        .run(target: "z", RunNews(.kept(isEmpty: true))),
        .item(id: ItemID(1), state: .sending(attempt: 1, sent: 1, total: 2)),
        .item(id: ItemID(4), state: .failed(Failure(.unsendable("no such target")))),
      ])
    #expect(status.state(of: ItemID(1)) == .sending(attempt: 1, sent: 1, total: 2))
    #expect(status.state(of: ItemID(2)) == nil)
    // A process that receives all of it knows the same, and nothing once it has ended.
    var other = SenderStatus()
    for news in status.news { other.record(news) }
    #expect(other == status)
    for news in other.ends { other.record(news) }
    #expect(
      other.news == [
        .settings(SenderSettings(limit: 7)), .figures(SendingFigures(seconds: 2, bytes: 3)),
        .run(target: "z", RunNews(.kept(isEmpty: true))),
      ])
  }
}
