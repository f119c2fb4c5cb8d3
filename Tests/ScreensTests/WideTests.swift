import ScalarText
import Testing
import UploadModel

@testable import Screens

/// What a wide window shows: more of what matters.
@Suite struct WideTests {
  static let sizes = [
    Size(width: 130, height: 40), Size(width: 160, height: 45), Size(width: 200, height: 60),
  ]

  private static func text(_ state: AppState) -> [String] { render(state, size: state.size).text }

  /// The lines of the pane beside the list.
  private static func side(_ state: AppState) -> [String] {
    guard let box = state.layout.side else { return [] }
    return text(state)[box.rows].map {
      String($0.unicodeScalars.dropFirst(box.columns.lowerBound)).trimming {
        " │".unicodeScalars.contains($0)
      }
    }
  }

  private static let path = "/srv/files/2026/holiday.mp4"
  private static let receipt = Receipt(
    status: 201, url: "https://api.example.com\(path)",
    reply: Reply(
      text:
        #"{"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","path":"\#(path)"}"#,
      mediaType: "application/json"), attempts: 1, seconds: 2, bytes: 1_000)

  private static func done(_ size: Size, _ state: ItemState = .done(receipt)) -> AppState {
    var app = Fixture.empty(size: size)
    Fixture.play(
      &app, .added([Fixture.item(1, "holiday.mp4", type: "video/mp4")]),
      .engine([(ItemID(1), .preparing(attempt: 1))], at: app.now),
      .engine([(ItemID(1), state)], at: app.now + 2), .key(.escape))
    return app
  }

  /// What happened to a server is not cut before its verb while lines are free.
  @Test(arguments: sizes)
  func whatHappenedIsWhole(_ size: Size) {
    var state = Self.done(size)
    let wait = Failure(.refused, status: 429, retryAfter: 30)
    let lost = Failure(.connectionRefused("Could not connect to server"))
    Fixture.play(
      &state,
      .reachability(server: "http://127.0.0.2:18081", .asksToWait(wait, until: state.now + 30)),
      .reachability(server: "http://127.0.0.1:19999", .away(lost, nextTry: nil)))
    guard let box = state.layout.events else {
      Issue.record("no room")
      return
    }
    let lines = Self.text(state)[box.innerRows].map {
      String($0.unicodeScalars.dropFirst(box.innerColumns.lowerBound)).trimming {
        " │".unicodeScalars.contains($0)
      }
    }
    let words = lines.joined(separator: " ")
    #expect(words.contains("127.0.0.2:18081 asks to"), "\(lines)")
    #expect(words.contains("http://127.0.0.1:19999 cannot be reached"), "\(lines)")
    #expect(lines.contains { $0.contains("holiday.mp4") }, "the first is still there: \(lines)")
  }

  @Test(arguments: sizes)
  func theReplyToASuccessIsForPrograms(_ size: Size) {
    let state = Self.done(size)
    let side = Self.side(state)
    #expect(!side.contains { $0.contains("sha256") || $0.contains("9f86") || $0.contains("{") })
    #expect(side.contains { $0.hasPrefix("URL") }, "\(side)")
    // Once in the title, and once in the address.
    let all = side.joined()
    #expect(all.count(of: "holiday.mp4") <= 2, "\(side)")
    #expect(all.contains("Folder   /home/me"))
    // Enter shows all.
    var other = state
    Fixture.play(&other, .key(.enter))
    #expect(Self.text(other).contains { $0.contains("sha256") })
  }

  @Test(arguments: sizes)
  func theReasonOfAFailureIsThereOnce(_ size: Size) {
    let side = Self.side(Self.done(size, .failed(Fixture.tooLarge))).joined(separator: " ")
    #expect(side.count(of: "maximum upload size is 100 MB") == 1, "\(side)")
    #expect(!side.contains("\"error\""))
  }

  /// A reply without a sentence for people is shown as it is.
  @Test func aReplyThatSaysSomethingElseIsThere() {
    let failure = Failure(.refused, status: 500, reply: Reply(text: "{\"code\": 77}"), attempts: 1)
    let side = Self.side(Self.done(Self.sizes[2], .failed(failure)))
    #expect(side.contains { $0.contains("77") }, "\(side)")
  }

  @Test(arguments: sizes, [14, 30, 48])
  func namesAreWholeIfThereIsRoom(_ size: Size, _ length: Int) {
    var state = Fixture.empty(size: size)
    let name = String(repeating: "n", count: length - 4) + ".jpg"
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, name, type: "image/jpeg"), Fixture.item(2, "b", type: "image/jpeg"),
      ]))
    let columns = state.columns(in: state.layout)
    let isRoomy = size.width >= 200 || length <= 14 || size.width >= 160 && length <= 30
    #expect(columns.name.count >= (isRoomy ? length : 23), "\(columns.name)")
    #expect(columns.type.count == 10, "no more than the types need")
    if length == 14 {
      // What names do not need is for the reasons.
      #expect(columns.words.count > columns.name.count)
    }
  }

  /// What happened just now: ends and failures, gathered, with true numbers however many there were.
  @Test(arguments: sizes)
  func justNowIsGathered(_ size: Size) {
    var state = Fixture.empty(size: size)
    let ids = (1...2_013).map { ItemID($0) }
    Fixture.play(&state, .added(ids.map { Fixture.item($0.rawValue, "\($0.rawValue).bin") }))
    for start in stride(from: 0, to: 2_013, by: 33) {
      let part = ids[start..<min(start + 33, 2_013)]
      Fixture.play(
        &state, .engine(part.map { ($0, .preparing(attempt: 1)) }, at: state.now + 0.5),
        .engine(
          part.map {
            ($0, $0.rawValue % 61 == 0 ? .failed(Fixture.tooLarge) : .done(Fixture.receipt))
          }, at: state.now + 1))
    }
    Fixture.play(&state, .key(.escape))
    guard let box = state.layout.events else { return }
    let lines = Self.text(state)[box.rows].map {
      String($0.unicodeScalars.dropFirst(box.columns.lowerBound))
    }
    let text = lines.joined(separator: "\n")
    #expect(text.contains("1,980 sent, last ") || text.contains("1,980 sent"), "\(text)")
    #expect(text.contains("33 failed: 413") || text.contains("33 × 413, maximum"), "\(text)")
    #expect(!text.contains("begun"))
    #expect(state.log.latest.count <= 4)
  }

  /// Where a line is not enough for both, the name is cut, and not the reason.
  @Test func aNameInAnotherTargetIsCutBeforeTheReason() {
    var state = Fixture.empty(size: Size(width: 130, height: 40))
    var item = Fixture.item(1, "pic6-of-the-summer.jpg")
    item.target = "tstall"
    let stalled = Failure(.stalled(seconds: 10), attempts: 1)
    Fixture.play(
      &state, .added([item]), .engine([(item.id, .preparing(attempt: 1))], at: state.now),
      .engine([(item.id, .retrying(stalled, next: 2, of: 5, at: state.now + 3))], at: state.now),
      .key(.escape))
    guard let box = state.layout.events else {
      Issue.record("no room")
      return
    }
    let text = Self.text(state)[box.rows].joined(separator: "\n")
    #expect(text.contains(": stalled for 10 s"), "\(text)")
  }

  /// The target goes before the name is cut.
  @Test func aTargetIsLeftOutBeforeTheNameIsCut() {
    var state = Fixture.empty(size: Size(width: 130, height: 40))
    let lost = Failure(.connectionLost("x"), attempts: 1)
    for (id, target) in [(1, "desk"), (2, "demo")] as [(Int64, String)] {
      var item = Fixture.item(id, "holiday\(id).mp4")
      item.target = target
      Fixture.play(&state, .added([item]))
    }
    for _ in 1...9 {
      Fixture.play(
        &state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now + 10),
        .engine([(ItemID(1), .retrying(lost, next: 2, of: 5, at: state.now + 10))], at: state.now))
    }
    Fixture.play(&state, .key(.escape))
    let text = Self.text(state).joined(separator: "\n")
    #expect(text.contains("↻ holiday1.mp4: connection lost"), "\(text)")
  }

  /// A reason that many files share is said in the words of the list of failures, so that it fits.
  @Test(arguments: sizes)
  func whatManyFailedOfIsWhole(_ size: Size) {
    var state = Fixture.empty(size: size)
    let reply = Reply(text: #"{"error": "code 403 for you"}"#, mediaType: "application/json")
    let failure = Failure(.refused, status: 403, reply: reply, attempts: 1)
    let ids = (1...4).map { ItemID($0) }
    Fixture.play(
      &state, .added(ids.map { Fixture.item($0.rawValue, "\($0.rawValue).bin") }),
      .engine(ids.map { ($0, .preparing(attempt: 1)) }, at: state.now),
      .engine(ids.map { ($0, .failed(failure)) }, at: state.now), .key(.escape))
    guard let box = state.layout.events else {
      Issue.record("no room")
      return
    }
    let text = Self.text(state)[box.rows].map {
      String($0.unicodeScalars.dropFirst(box.columns.lowerBound))
    }.joined(separator: "\n")
    #expect(text.contains("403, code 403 for you"), "\(text)")
  }

  /// So is the reason of one file, where there is no line to spare.
  @Test(arguments: sizes)
  func whatOneFailedOfIsWhole(_ size: Size) {
    var state = Fixture.empty(size: size)
    let failure = Failure(
      .refused, status: 413, reply: Reply(text: "at most 100 kB"), attempts: 1)
    let ids = (1...9).map { ItemID($0) }
    Fixture.play(&state, .added(ids.map { Fixture.item($0.rawValue, "\($0.rawValue).bin") }))
    for id in ids {
      Fixture.play(
        &state, .engine([(id, .preparing(attempt: 1))], at: state.now),
        .engine([(id, .failed(failure))], at: state.now + 10))
    }
    guard let box = state.layout.events else {
      Issue.record("no room")
      return
    }
    Fixture.play(&state, .key(.escape))
    let text = Self.text(state)[box.rows].joined(separator: "\n")
    #expect(text.contains("9.bin: 413, at most 100 kB"), "\(text)")
  }

  /// What types need, they get before what no reason needs.
  @Test func typesAreWholeIfThereIsRoom() {
    var state = Fixture.empty(size: Size(width: 200, height: 60))
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "r1.bin", type: "application/octet-stream"),
        Fixture.item(2, "lib.so", type: "application/x-sharedlib"),
      ]))
    let text = Self.text(state).joined(separator: "\n")
    let rows = Self.text(state)[state.layout.rows]
    #expect(rows.contains { $0.contains("application/octet-stream") }, "\(text)")
    #expect(rows.contains { $0.contains("application/x-sharedlib") }, "\(text)")
  }

  /// After a pause, what comes is said anew, so that the times stay true.
  @Test func whatComesLaterIsALineOfItsOwn() {
    var state = Fixture.empty(size: Self.sizes[0])
    Fixture.play(&state, .added((1...3).map { Fixture.item($0, "\($0).bin") }))
    for (id, pause) in [(1, 1.0), (2, 1), (3, 60)] as [(Int64, Double)] {
      Fixture.play(
        &state, .engine([(ItemID(id), .done(Fixture.receipt))], at: state.now + pause))
    }
    #expect(state.log.latest.suffix(2).map(\.text) == ["2 sent, last 2.bin", "3.bin: 201 Created"])
  }

  /// A reason is read from its beginning, and a name is known by both its ends.
  @Test func whatDoesNotFitKeepsItsBeginning() {
    var state = Fixture.empty(size: Size(width: 130, height: 40))
    let long = "a-name-that-is-too-long-for-what-happened-just-now.jpg"
    let failure = Failure(
      .refused, status: 413, reply: Reply(text: "longer than 2000000 bytes"), attempts: 1)
    Fixture.play(
      &state, .added([Fixture.item(1, long), Fixture.item(2, "b"), Fixture.item(3, "c")]),
      .engine([(ItemID(1), .failed(failure))], at: state.now + 1),
      .engine([(ItemID(2), .failed(failure)), (ItemID(3), .failed(failure))], at: state.now + 60))
    let text = Self.text(state).joined(separator: "\n")
    #expect(text.contains(" 2 failed: 413, longer"), "\(text)")
    #expect(text.contains(".jpg: 413 Con") && text.contains(" a-name"), "\(text)")
  }

  /// So it keeps what the rest of its line leaves, and no less than tells it from others.
  @Test func aNameIsCutBeforeTheReason() {
    var state = Fixture.empty(size: Size(width: 130, height: 40))
    let failure = Failure(.refused, status: 404, reply: Reply(text: "no such path"), attempts: 1)
    let names = (1...9).map { "a-long-name-\($0).bin" }
    Fixture.play(
      &state, .added(names.enumerated().map { Fixture.item(Int64($0) + 1, $1) }))
    for id in 1...8 {
      Fixture.play(
        &state, .engine([(ItemID(Int64(id)), .failed(failure))], at: state.now + 10))
    }
    Fixture.play(
      &state, .engine([(ItemID(9), .done(Fixture.receipt))], at: state.now + 10), .key(.escape))
    let text = Self.text(state).joined(separator: "\n")
    #expect(text.contains("….bin: 404, no such path │"), "\(text)")
    #expect(text.contains(" a-long-name-9.bin: 201 Created "), "\(text)")
  }

  /// What has no blank is broken between its parts, and no line begins with a comma.
  @Test(arguments: [
    ("/tmp/hoist-demo-FOewG1/samples", 28, ["/tmp/hoist-demo-FOewG1/", "samples"]),
    ("application/x-iso9660-image, by name", 27, ["application/", "x-iso9660-image, by name"]),
    ("application/x-iso9660-image, by name", 28, ["application/x-iso9660-image,", "by name"]),
    ("abcdefgh, ij", 8, ["abcdefg", "h, ij"]), ("/abcdefghij", 8, ["/abcdefg", "hij"]),
    ("https://abcdef", 8, ["https://", "abcdef"]),
    ("https://abcdef", 7, ["https:", "//abcde", "f"]),
    ("a=1;b=2;c=3", 8, ["a=1;b=2;", "c=3"]), ("a,b c/d", 6, ["a,b", "c/d"]),
    ("漢字/かな", 6, ["漢字/", "かな"]), ("//////", 4, ["///", "///"]),
  ])
  func longValuesAreBrokenBetweenTheirParts(_ text: String, _ width: Int, _ lines: [String]) {
    let wrapped = TextFitting.wrapped(Glyphs.of(text, ascii: false), to: width)
    #expect(wrapped.map { $0.map(\.text).joined() } == lines)
  }

  /// A burst that is no longer in the graph does not flatten what is.
  @Test func theScaleFollowsWhatIsShown() {
    var state = Fixture.empty(size: Self.sizes[0])
    Fixture.play(&state, .added([Fixture.item(1, "a", size: 10_000_000_000)]))
    func send(_ sent: Int64, after seconds: Double) {
      Fixture.play(
        &state,
        .engine(
          [(ItemID(1), .sending(attempt: 1, sent: sent, total: 10_000_000_000))],
          at: state.now + seconds))
    }
    send(0, after: 0)
    send(900_000_000, after: 1)
    for second in 1...300 { send(900_000_000 + Int64(second) * 1_500, after: 1) }
    let text = Self.text(state).joined(separator: "\n")
    #expect(text.contains("2.0 kB/s") && !text.contains("1.0 GB/s"), "\(text)")
  }

  /// Each attempt with its beginning, its end, how far it came and what failed.
  @Test func theAttemptsHaveTheirTimes() {
    var state = Fixture.empty(size: Self.sizes[2])
    let start = state.now
    Fixture.play(&state, .added([Fixture.item(1, "a.bin", size: 4_000_000)]))
    for (seconds, new): (Double, ItemState) in [
      (0, .preparing(attempt: 1)), (1, .sending(attempt: 1, sent: 0, total: 4_000_000)),
      (3, .sending(attempt: 1, sent: 3_000_000, total: 4_000_000)),
      (4, .retrying(Fixture.unavailable, next: 2, of: 5, at: start + 10)),
      (10, .preparing(attempt: 2)), (11, .sending(attempt: 2, sent: 5, total: 4_000_000)),
    ] {
      Fixture.play(&state, .engine([(ItemID(1), new)], at: start + seconds))
    }
    func shown(_ state: AppState) -> String { Self.text(state).joined(separator: "\n") }
    #expect(
      shown(state).contains("1  00:01:40–00:01:44  3.0 of 4.0 MB, 503 Service Unavailable"),
      "\(shown(state))")
    #expect(shown(state).contains("2  since 00:01:50"), "\(shown(state))")
    Fixture.play(
      &state, .engine([(ItemID(1), .failed(Fixture.tooLarge))], at: start + 12), .key(.escape))
    #expect(shown(state).contains("2  00:01:50–00:01:52  "), "\(shown(state))")
    #expect(!shown(state).contains("since"))
  }
}

extension String {
  fileprivate func count(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
