import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import Screens
@testable import UploadModel

/// The share of everything that is done, and that it does not fall.
@Suite struct ShareTests {
  /// A file in the life of a queue.
  private struct File {
    var size: Int64
    var sent: Int64 = 0
    var attempt = 1
    var state = ItemState.waiting
    var resumes: Bool
  }

  /// A queue in which things happen, as an engine and a user make them happen.
  private struct Story {
    var dice: MonkeyTests.Dice
    var state = Fixture.empty()
    var files: [ItemID: File] = [:]

    /// Does something. Returns whether it may make the share fall: files were added, released or removed, or an upload
    /// started over.
    mutating func next() -> Bool {
      if files.isEmpty || .random(in: 0..<25, using: &dice) == 0 {
        add()
        return true
      }
      guard let id = files.keys.sorted().randomElement(using: &dice), var file = files[id] else {
        return false
      }
      if .random(in: 0..<12, using: &dice) == 0 {
        files[id] = nil
        Fixture.play(&state, .removed([id]))
        return true
      }
      let before = file.sent
      let wasOut = file.state.isFinished
      step(&file, id)
      files[id] = file
      Fixture.play(&state, .engine([(id, file.state)], at: state.now + 0.1))
      let startsOver =
        switch file.state {
        // Of an empty file nothing can be kept.
        case .retrying, .paused: !file.resumes || file.size == 0
        default: false
        }
      return file.sent < before || wasOut || startsOver
    }

    private mutating func add() {
      let items = (0..<Int64.random(in: 1...4, using: &dice)).map { _ in
        let id = ItemID(state.now.seconds > 0 ? Int64.random(in: 1...9_000_000, using: &dice) : 1)
        let file = File(
          size: [0, 10, 1000, 500_000].randomElement(using: &dice) ?? 0,
          resumes: .random(using: &dice))
        files[id] = file
        return Fixture.item(id.rawValue, "\(id)", size: file.size)
      }
      Fixture.play(&state, .added(items))
    }

    private mutating func step(_ file: inout File, _ id: ItemID) {
      let failure = Fixture.unavailable
      switch file.state {
      case .waiting:
        file.sent = file.resumes ? file.sent : 0
        file.state = .preparing(attempt: file.attempt)
      case .preparing, .sending:
        file.sent += .random(in: 0...max(0, file.size - file.sent), using: &dice)
        if file.resumes { keep(file, id) }
        let all: [ItemState] = [
          .sending(attempt: file.attempt, sent: file.sent, total: file.size),
          .sending(attempt: file.attempt, sent: file.sent, total: file.size),
          .awaitingReply(attempt: file.attempt, since: state.now), .paused,
          .retrying(failure, next: file.attempt + 1, of: 9, at: state.now + 1),
          .failed(Fixture.tooLarge),
        ]
        file.state = all.randomElement(using: &dice) ?? .paused
        if case .awaitingReply = file.state {
          file.sent = file.size
          // The server has said that it has all of it.
          if file.resumes { keep(file, id) }
        }
        // Only what was reported is known.
        if !file.state.isActive, !file.resumes {
          file.sent = state.queue.row(id)?.reached ?? 0
        }
      case .awaitingReply:
        let all: [ItemState] = [
          .done(Fixture.receipt), .failed(Failure(.outcomeUnknown("closed"))),
          .failed(Fixture.tooLarge),
          .retrying(failure, next: file.attempt + 1, of: 9, at: state.now + 1),
        ]
        file.state = all.randomElement(using: &dice) ?? .paused
      case .retrying, .paused, .failed:
        file.attempt += 1
        file.sent = file.resumes ? file.sent : 0
        file.state = .waiting
      case .done, .processing: break
      }
    }

    private mutating func keep(_ file: File, _ id: ItemID) {
      guard let url = URL(string: "https://api.example.com/files/1") else { return }
      var point = ResumePoint(
        url: url, target: "",
        identity: FileIdentity(device: 1, inode: 1, size: file.size, modified: 0))
      point.offset = file.sent
      Fixture.play(&state, .resumePoint(id, point))
    }

    /// The share, as far as it is shown.
    var share: Double? {
      let totals = state.queue.totals
      let (done, all) = totals.work
      return totals.busy > 0 && all > 0 ? Double(done) / Double(all) : nil
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func itDoesNotFall(seed: UInt64) {
    var story = Story(dice: MonkeyTests.Dice(state: seed))
    var last: Double?
    var falls = 0
    for step in 0..<Effort.of(600, long: 20_000) {
      let mayFall = story.next()
      let share = story.share
      if let share, let last, !mayFall {
        #expect(share >= last - 1e-12, "seed \(seed), step \(step)")
      }
      if let share, let last, share < last { falls += 1 }
      last = share
      let totals = story.state.queue.totals
      let bar = totals.bar
      #expect(
        bar.parts.reduce(0) { $0 + $1.amount } == totals.work.done
          && bar.total == totals.work.all,
        "the bar shows the share: seed \(seed), step \(step)")
    }
    #expect(falls > 0, "when something starts over, it does")
  }

  /// The total line, of files of 1,000 bytes.
  private static func line(_ state: AppState) -> String {
    var state = state
    state.message = nil
    return render(state, size: state.size).text[22]
  }

  @Test func whatFailsOrIsHeldBackStaysAPartOfAll() {
    var state = Fixture.empty()
    let ids = (1...5).map { ItemID($0) }
    Fixture.play(&state, .added(ids.map { Fixture.item($0.rawValue, "\($0)") }))
    func change(_ id: Int64, _ new: ItemState) {
      Fixture.play(&state, .engine([(ItemID(id), new)], at: state.now))
    }
    change(1, .sending(attempt: 1, sent: 500, total: 1000))
    change(2, .sending(attempt: 1, sent: 500, total: 1000))
    #expect(Self.line(state).contains("20%  1.0 of 5.0 kB"))
    change(1, .failed(Fixture.tooLarge))
    #expect(Self.line(state).contains("30%  1.5 of 5.0 kB tried"))
    change(2, .paused)
    #expect(Self.line(state).contains("20%  1.0 of 5.0 kB tried"), "it will start over")
    change(3, .done(Fixture.receipt))
    #expect(Self.line(state).contains("40%  2.0 of 5.0 kB"))
    Fixture.play(&state, .perform(.clear))
    #expect(state.queue.count == 4 && Self.line(state).contains("25%  1.0 of 4.0 kB"))
    // When it comes back, it counts again.
    Fixture.play(&state, .perform(.undo))
    #expect(Self.line(state).contains("40%  2.0 of 5.0 kB"))
    change(2, .waiting)
    #expect(Self.line(state).contains("40%  2.0 of 5.0 kB"))
    for id in [2, 4, 5] as [Int64] { change(id, .failed(Fixture.tooLarge)) }
    #expect(Self.line(state).contains("1.0 of 5.0 kB arrived"))
  }

  /// A file that will resume where it left off: 44 of 100 MB, of which the server has acknowledged 40.
  @Test func aPauseMovesNeitherTheBarNorWhatIsInTransit() throws {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    let url = try #require(URL(string: "https://api.example.com/files/1"))
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "large", size: 100_000_000), Fixture.item(2, "other", size: 10_000_000),
      ]))
    var point = ResumePoint(
      url: url, target: "",
      identity: FileIdentity(device: 1, inode: 1, size: 100_000_000, modified: 0))
    point.offset = 40_000_000
    Fixture.play(
      &state, .resumePoint(ItemID(1), point),
      .engine(
        [
          (ItemID(1), .sending(attempt: 1, sent: 44_000_000, total: 100_000_000)),
          (ItemID(2), .sending(attempt: 1, sent: 1_000_000, total: 10_000_000)),
        ], at: state.now))
    #expect(state.queue.totals.movingBytes == 5_000_000)
    #expect(state.queue.totals.keptBytes == 40_000_000)
    let percent = state.queue.totals.percent
    point.reached = 44_000_000
    Fixture.play(
      &state, .resumePoint(ItemID(1), point), .engine([(ItemID(1), .paused)], at: state.now))
    #expect(state.queue.totals.movingBytes == 1_000_000)
    #expect(percent == 40 && state.queue.totals.percent == percent)
    // The details keep what was sent.
    Fixture.play(&state, .key(.enter))
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("Sent     44 of 100 MB, 44%"), "\(text)")
    // Nor does it fall when the file goes on and has to wait.
    for waiting in [ItemState.waiting, .preparing(attempt: 1)] {
      Fixture.play(&state, .engine([(ItemID(1), waiting)], at: state.now))
      #expect(state.queue.totals.percent == percent && state.queue.totals.keptBytes == 44_000_000)
      let text = render(state, size: state.size).text.joined(separator: "\n")
      #expect(text.contains("Sent     44 of 100 MB, 44%"), "\(text)")
    }
    // What the server says later changes the counts at once.
    Fixture.play(&state, .resumePoint(ItemID(1), nil))
    #expect(state.queue.totals.keptBytes == 0)
    Fixture.play(&state, .removed([ItemID(1), ItemID(2)]))
    #expect(state.queue.totals == Totals())
  }
}
