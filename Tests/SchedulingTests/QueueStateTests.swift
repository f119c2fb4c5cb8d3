import Foundation
import MultipartForm
import Testing

@testable import Scheduling
@testable import UploadModel

/// What news of a queue means, and what is said about it.
@Suite("The state of a queue")
struct QueueStateTests {
  private static let now = Instant(seconds: 100)
  private static let refused = Failure(.connectionRefused("connection refused"), attempts: 1)
  private static let tooLarge = Failure(.refused, status: 413, attempts: 1)
  private static let busy = Failure(.refused, status: 503, attempts: 1)
  private static let done = ItemState.done(Receipt(status: 201, bytes: 1000))
  private static let size: Int64 = 1000

  private static func item(_ id: Int64, _ state: ItemState = .waiting) -> UploadItem {
    UploadItem(
      id: ItemID(id), target: "t", location: FileLocation("/f\(id)"), size: size, state: state)
  }

  private static func changed(_ id: Int64, _ states: ItemState...) -> QueueNews {
    .changed(states.map { (ItemID(id), $0) }, at: now)
  }

  private static func sent(_ bytes: Int64) -> ItemState {
    .sending(attempt: 1, sent: bytes, total: size)
  }

  private static func away(_ failure: Failure = refused, in wait: Double?) -> QueueNews {
    .reachability(server: "h", .away(failure, nextTry: wait.map { now + $0 }))
  }

  private static func point(
    start: Int64, offset: Int64? = nil, _ loss: ResumePoint.Loss? = nil
  ) -> ResumePoint? {
    URL(string: "http://h/1").map {
      ResumePoint(
        url: $0, target: "t", identity: FileIdentity(device: 1, inode: 1, size: size, modified: 7),
        offset: offset ?? start, start: start,
        loss: loss)
    }
  }

  /// What comes in, one after the other, and what is said of it all. A sign before each line is its tone; `!` after it
  /// means that it is a message.
  private struct Row: Sendable {
    var news: [QueueNews]
    var said: [String]
    var isReading = false
    /// What must be true at the end.
    var holds: @Sendable (QueueState) -> Bool
  }

  private static let oneAtATime =
    "~! t answered 403 to several files in a row: until it accepts one, they go one at a time"

  private static let rows = ofItems + ofEnds + ofTroubles + others

  private static let ofItems: [Row] = [
    Row(news: [.added([item(1), item(2)])], said: ["  2 files added"]) {
      $0.items.count == 2 && !$0.isAtTheEnd
    },
    Row(
      news: [.added([item(1), item(2, .failed(tooLarge))]), .read(hasHistory: false)],
      said: ["  2 files in the queue, 1 of them failed or unknown"], isReading: true
    ) { !$0.isReading && !$0.isAtTheEnd },
    Row(news: [.read(hasHistory: false)], said: [], isReading: true) { $0.isAtTheEnd },
    Row(
      news: [.added([item(1, .failed(tooLarge))])],
      said: ["  1 file added", "- f1: 413 Content Too Large"]
    ) { $0.isAtTheEnd && $0.items.totals.failed == 1 },
    // An item that is known already is no new one, and a failure that is known is not told again.
    Row(
      news: [.added([item(1, .failed(tooLarge))]), .added([item(1, .failed(tooLarge))])],
      said: ["  1 file added", "- f1: 413 Content Too Large"]
    ) { $0.items.count == 1 },
    Row(
      news: [.added([item(1), item(2)]), .removed([ItemID(2), ItemID(9)])],
      said: ["  2 files added", "  1 file removed elsewhere"]
    ) { $0.items.order == [ItemID(1)] },
    // Another process undoes the removal.
    Row(
      news: [.added([item(1), item(2)]), .removed([ItemID(2)]), .added([item(2), item(3)])],
      said: [
        "  2 files added", "  1 file removed elsewhere", "  1 file added",
        "  1 file back in the queue",
      ]
    ) { $0.items.count == 3 },
    Row(news: [.removed([ItemID(9)])], said: []) { $0.items.count == 0 },
    Row(
      news: [.added([item(1), item(2)]), .reordered([ItemID(2), ItemID(1)])],
      said: ["  2 files added"]
    ) { $0.items.order == [ItemID(2), ItemID(1)] },
  ]

  private static let ofEnds: [Row] = [
    // Steps are told as such; more bytes are not worth a line.
    Row(
      news: [
        .added([item(1)]), changed(1, .preparing(attempt: 1), sent(0), sent(400), done),
      ],
      said: ["  1 file added", ". f1: begun", "+ f1: 201 Created"]
    ) { $0.isAtTheEnd && $0.items.totals.done == 1 },
    Row(
      news: [
        .added([item(1)]),
        changed(1, .retrying(busy, next: 2, of: 5, at: now + 3), .preparing(attempt: 2)),
      ],
      said: [
        "  1 file added", "~ f1: 503 Service Unavailable; try 2 of 5 in 3 s", ". f1: try 2",
      ]
    ) { !$0.isAtTheEnd },
    Row(
      news: [.added([item(1)]), changed(1, .failed(tooLarge), .failed(tooLarge))],
      said: ["  1 file added", "- f1: 413 Content Too Large"]
    ) { $0.isAtTheEnd },
    Row(
      news: [.added([item(1)]), changed(1, .paused, .paused)],
      said: ["  1 file added", "  f1: paused"]
    ) { !$0.isAtTheEnd && $0.items.totals.busy == 0 },
    Row(
      news: [
        .added([item(1), item(2)]),
        .changed([(ItemID(1), .paused), (ItemID(2), .paused)], at: now),
      ],
      said: ["  2 files added", "  2 files paused"]
    ) { $0.items.totals.paused == 2 },
    // By another process, while nobody sends.
    Row(
      news: [.added([item(1)]), .added([item(1, .paused), item(2, .paused)])],
      said: ["  1 file added", "  1 file added", "  f1: paused"]
    ) { $0.items.totals.paused == 2 },
    Row(news: [changed(9, done)], said: []) { $0.items.count == 0 },
    // Where files go to several targets, each is named with its own.
    Row(
      news: [
        .added([item(1), item(2).sent(to: "u")]), changed(1, done), changed(2, .failed(tooLarge)),
      ],
      said: [
        "  2 files added", "+ f1 → t: 201 Created", "- f2 → u: 413 Content Too Large",
      ]
    ) { $0.items.hasSeveralTargets },
    // A line that is read later does not depend on which files were still in the queue.
    Row(
      news: [
        .added([item(1), item(2).sent(to: "u")]), .removed([ItemID(2)]), changed(1, done),
      ],
      said: ["  2 files added", "  1 file removed elsewhere", "+ f1 → t: 201 Created"]
    ) { !$0.items.hasSeveralTargets },
    Row(
      news: [
        .added([item(1)]),
        .resumePoint(ItemID(1), point(start: 0, .expired)),
      ],
      said: ["  1 file added", "  f1: starts over: the upload has expired"]
    ) { $0.items.item(ItemID(1))?.resumePoint != nil },
    // What the server has is told when an attempt begins there, and not again when more has come.
    Row(
      news: [
        .added([item(1)]), .resumePoint(ItemID(1), point(start: 400)),
        .resumePoint(ItemID(1), point(start: 400, offset: 600)),
      ],
      said: ["  1 file added", "  f1: resumed at 40%"]
    ) { $0.items.item(ItemID(1))?.resumePoint?.start == 400 },
  ]

  private static let asksToWait =
    "~ h asks to wait: 503 Service Unavailable, next try in 7 s; until then, nothing goes to this server"

  /// What holds files up.
  private static let ofTroubles: [Row] = [
    Row(news: [away(in: 5)], said: ["- h cannot be reached: connection refused"]) {
      $0.outages["h"]?.words(at: now) == "next try in 5 s"
    },
    // That it is being tried is no news; that it failed again is.
    Row(
      news: [away(in: 5), away(in: nil), away(in: 9)],
      said: [
        "- h cannot be reached: connection refused",
        "~ h is still unreachable: connection refused, next try in 9 s",
      ]
    ) { $0.outages["h"]?.nextTry == now + 9 },
    Row(
      news: [away(in: 5), away(in: 4)], said: ["- h cannot be reached: connection refused"]
    ) { $0.outages["h"]?.nextTry == now + 4 },
    Row(
      news: [away(in: nil), .reachability(server: "h", .back), .reachability(server: "h", .back)],
      said: ["- h cannot be reached: connection refused", "+ h answers again"]
    ) { $0.outages.isEmpty },
    Row(
      news: [.reachability(server: "h", .asksToWait(busy, until: now + 7))],
      said: [asksToWait]
    ) { $0.waits["h"]?.nextTry == now + 7 },
    // It says which file the server answered, since all targets of the server wait.
    Row(
      news: [
        .added([item(1)]),
        .reachability(server: "h", .asksToWait(busy, until: now + 7, by: ItemID(1))),
      ],
      said: [
        "  1 file added",
        "~ h asks to wait: 503 Service Unavailable for f1 → t, next try in 7 s; until then, nothing goes to this server",
      ]
    ) { $0.waits["h"]?.target == "t" },
    Row(
      news: [
        .reachability(server: "h", .asksToWait(busy, until: now + 7)),
        .reachability(server: "h", .asksToWait(busy, until: now)),
      ],
      said: [asksToWait]
    ) { $0.waits.isEmpty },
    Row(
      news: [
        away(in: 5), .reachability(server: "h", .asksToWait(busy, until: now + 7)),
        .reachability(server: "h", .unneeded),
      ],
      said: [
        "- h cannot be reached: connection refused",
        asksToWait,
      ]
    ) { $0.waits.isEmpty && $0.outages.isEmpty },
    Row(
      news: [
        .pace(target: "t", until: now + 2), .pace(target: "t", until: now + 9),
        .pace(target: "u", until: nil),
      ],
      said: ["~ t takes no more requests for now, so its files go more slowly: next try in 2 s"]
    ) { $0.paces == ["t": now + 9] },
    // A hold that was over when this window opened says nothing, and the next one is the first.
    Row(
      news: [.pace(target: "t", until: now + -5), .pace(target: "t", until: now + 2)],
      said: ["~ t takes no more requests for now, so its files go more slowly: next try in 2 s"]
    ) { $0.paces == ["t": now + 2] },
    Row(
      news: [.pace(target: "t", until: now + 2), .pace(target: "t", until: nil)],
      said: ["~ t takes no more requests for now, so its files go more slowly: next try in 2 s"]
    ) { $0.paces == ["t": now] },
    Row(
      news: [.refusal(target: "t", .refused), .refusal(target: "t", .refused)],
      said: ["-! t refuses the credentials: nothing goes there until you fix that (how)"]
    ) { $0.refusals == ["t": .refused] },
    Row(
      news: [
        .added([item(1)]), .refusal(target: "t", .forbidden), .refusal(target: "t", nil),
      ],
      said: ["  1 file added", oneAtATime]
    ) { $0.refusals.isEmpty },
    // If no file is left that it would hold up, it is not said, such as in a window that opens later.
    Row(
      news: [.added([item(1, done)]), .refusal(target: "t", .forbidden)], said: ["  1 file added"]
    ) {
      $0.refusals == ["t": .forbidden]
    },
    // In a window that looks on, the same holds for refusals that hold up all files.
    Row(
      news: [.aside(true), .added([item(1, done)]), .refusal(target: "t", .refused)],
      said: ["  1 file added"]
    ) {
      $0.refusals == ["t": .refused]
    },
    // While the queue is being read, the files may be still to come.
    Row(
      news: [.refusal(target: "t", .forbidden), .added([item(1)]), .read(hasHistory: false)],
      said: ["  1 file in the queue", oneAtATime], isReading: true
    ) { $0.refusals == ["t": .forbidden] },
    Row(
      news: [.added([item(1, done)]), .refusal(target: "t", .forbidden), .read(hasHistory: false)],
      said: ["  1 file in the queue"], isReading: true
    ) { $0.refusals == ["t": .forbidden] },
    Row(news: [.held("the disk is full")], said: ["-! the disk is full"]) {
      !$0.settings.isStarted
    },
    Row(news: [.held("the disk is full"), .stopped(false)], said: ["-! the disk is full"]) {
      $0.settings.isStarted
    },
  ]

  private static let fall = LaneFall(before: 6, since: now, why: "500 Internal Server Error")

  private static let others: [Row] = [
    Row(news: [.run(target: "t\u{1B}", RunNews(.none))], said: []) { _ in true },
    Row(news: [.run(target: "t", RunNews(.opened))], said: [" ! t: opened"]) { _ in true },
    Row(news: [.message("hello")], said: [" ! hello"]) { _ in true },
    Row(news: [.notice("another hoist sends"), .aside(true)], said: []) {
      $0.notice == "another hoist sends" && $0.isAside
    },
    Row(news: [.lanes(4, target: "t"), .urls(["t": "http://h/"])], said: []) {
      $0.lanesFound == ["t": 4] && $0.urls == ["t": "http://h/"]
    },
    Row(
      news: [
        .lanes(6, target: "t"), .lanes(3, target: "t", fall: fall),
        .lanes(1, target: "t", fall: fall), .lanes(6, target: "t"),
      ],
      said: [
        "~ t gets fewer requests at once for now, 3 instead of 6: 500 Internal Server Error"
      ]
    ) { $0.lanesFound == ["t": 6] && $0.laneFalls.isEmpty },
    Row(news: [.figures(SendingFigures(seconds: 2, bytes: 24))], said: []) {
      $0.figures.bytes == 24
    },
  ]

  /// In a long queue, the copies are not counted anew for each file that is sent.
  @Test("only what becomes of a copy changes which copy is which")
  func copies() {
    var state = QueueState()
    let items = ["/a", "/b", "/b"].enumerated().map { index, path in
      UploadItem(
        id: ItemID(Int64(index) + 1), target: "t", location: FileLocation(path), size: Self.size)
    }
    _ = state.receive(.added(items), at: Self.now)
    let version = state.items.copiesVersion
    #expect(state.items.copyNumbers == [ItemID(2): 1, ItemID(3): 2])
    _ = state.receive(Self.changed(1, Self.sent(10), Self.done), at: Self.now)
    _ = state.receive(Self.changed(2, Self.sent(10)), at: Self.now)
    #expect(state.items.copiesVersion == version)
    _ = state.receive(Self.changed(2, Self.done), at: Self.now)
    #expect(state.items.copiesVersion != version && state.items.copyNumbers == [:])
  }

  @Test("News changes what is known, and says what is worth a line", arguments: rows.indices)
  func news(_ index: Int) {
    let row = Self.rows[index]
    var state = QueueState(isReading: row.isReading)
    let remarks = row.news.flatMap { state.receive($0, at: Self.now) }
    #expect(remarks.map(Self.line) == row.said)
    #expect(row.holds(state))
  }

  private static func line(_ remark: Remark) -> String {
    let tone =
      switch remark.tone {
      case .plain: " "
      case .step: "."
      case .good: "+"
      case .warning: "~"
      case .bad: "-"
      }
    return tone + (remark.isMessage ? "! " : " ") + remark.text
      + (remark.trouble == nil ? "" : " (how)")
  }

  @Test("A hoist that looks on does not count the bytes that the server had before an attempt")
  func resumedElsewhere() throws {
    var state = QueueState()
    let news: [QueueNews] = [
      .added([Self.item(1, .paused)]), Self.changed(1, .waiting), .resumed(ItemID(1), at: 600),
      Self.changed(1, .preparing(attempt: 2), .sending(attempt: 2, sent: 610, total: Self.size)),
      Self.changed(1, .sending(attempt: 2, sent: 650, total: Self.size)),
      // The next attempt starts over.
      Self.changed(1, .paused, .waiting, .sending(attempt: 3, sent: 7, total: Self.size)),
    ]
    for news in news { _ = state.receive(news, at: Self.now) }
    #expect(state.speeds.whole.values(9, at: Self.now + 1) == [57])
  }

  @Test("What a window finds when it is opened is no news, and no attempt of that moment")
  func foundAtTheStart() {
    var state = QueueState()
    let busy = Failure(.refused, status: 503, attempts: 3)
    _ = state.receive(.added([Self.item(1)]), at: Self.now)
    let waits = ItemState.retrying(busy, next: 4, of: nil, at: Self.now + 9)
    let fall = LaneFall(before: 8, since: Self.now, why: "503 Service Unavailable")
    #expect(state.receive(.joined([(ItemID(1), waits)], at: Self.now), at: Self.now).isEmpty)
    #expect(state.receive(.lanes(2, target: "t", fall: fall), at: Self.now + 60).isEmpty)
    #expect(state.laneFalls["t"] == fall)
    #expect(state.items.item(ItemID(1))?.state == waits)
    #expect(state.items.row(ItemID(1))?.attempts.isEmpty == true)
    #expect(state.items.row(ItemID(1))?.lacksAttempts == true)
  }

  @Test("Speeds count what moves, and not what had moved before")
  func speeds() throws {
    var (fresh, joined) = (QueueState(), QueueState())
    for second in 0...4 {
      let now = Instant(seconds: Double(second))
      let sending = ItemState.sending(attempt: 1, sent: Int64(second) * 100, total: Self.size)
      if second == 0 {
        _ = fresh.receive(.added([Self.item(1)]), at: now)
        _ = joined.receive(.added([Self.item(1)]), at: now)
      }
      _ = fresh.receive(.changed([(ItemID(1), sending)], at: now), at: now)
      _ = joined.receive(.joined([(ItemID(1), sending)], at: now), at: now)
    }
    let end = Instant(seconds: 4)
    let speed = try #require(fresh.speeds.totalSpeed(at: end))
    #expect(speed > 90 && speed < 110, "\(speed)")
    #expect(fresh.speeds.speed(of: ItemID(1), at: end) != nil)
    #expect((joined.speeds.totalSpeed(at: end) ?? 0) < 1)

    // Another limit makes another speed; other settings do not.
    _ = fresh.receive(.settings(SenderSettings(lanes: ["t": .automatic])), at: end)
    #expect(fresh.speeds.totalSpeed(at: end) != nil)
    _ = fresh.receive(.settings(SenderSettings(limit: 50)), at: end)
    #expect(fresh.speeds.totalSpeed(at: end) == nil)
    #expect(fresh.settings.limit == 50)

    // What is gone moves no more.
    fresh.forget([ItemID(1)])
    #expect(fresh.items.count == 0 && fresh.speeds.speed(of: ItemID(1), at: end) == nil)
  }

  @Test("When a file arrived stays known if that is told once more, by the process that sent it")
  func arrivalToldTwice() {
    var receipt = Receipt(status: 201, bytes: 1000)
    receipt.arrived = 5
    var items = ItemList()
    items.append([Self.item(1, .done(receipt))])
    _ = items.change(ItemID(1), to: Self.done, at: Self.now)
    #expect(items.item(ItemID(1))?.state.receipt?.arrived == 5)
    // Not if it is sent again.
    _ = items.change(ItemID(1), to: Self.sent(10), at: Self.now)
    _ = items.change(ItemID(1), to: Self.done, at: Self.now)
    #expect(items.item(ItemID(1))?.state.receipt?.arrived == nil)
  }

  @Test("columns keep room for the longest texts until what is left is much shorter")
  func longestTexts() {
    var items = ItemList()
    func named(_ id: Int64, _ count: Int) -> UploadItem {
      var item = Self.item(id)
      item.fileName = String(repeating: "x", count: count)
      return item
    }
    items.append([named(1, 40), named(2, 40), named(3, 36), named(4, 5)])
    #expect(items.longest.name == 40)
    // One with the same length is left; then one that comes near.
    items.remove([ItemID(1)])
    #expect(items.longest.name == 40)
    items.remove([ItemID(2)])
    #expect(items.longest.name == 40)
    // One that is renamed counts with its new name.
    items.append([named(4, 6)])
    items.remove([ItemID(3)])
    #expect(items.longest.name == 6)
    items.remove([ItemID(4)])
    #expect(items.longest == ItemList.Longest())
  }
}

extension UploadItem {
  fileprivate func sent(to target: String) -> UploadItem {
    var item = self
    item.target = target
    return item
  }
}
