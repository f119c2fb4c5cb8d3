import Foundation
import Testing
import UploadModel

private let home = URL(string: "http://a.example/upload") ?? URL(fileURLWithPath: "/")

extension TransferEnd {
  fileprivate static let good = TransferEnd(url: home, status: 200)
  fileprivate static let busy = TransferEnd(url: home, status: 503)
  fileprivate static let erring = TransferEnd(url: home, status: 500)
  fileprivate static let refused = TransferEnd(url: home, status: 403)
  fileprivate static let moved = TransferEnd(
    url: home, status: 307, headers: ["location": "/elsewhere"])
  fileprivate static let silent = TransferEnd(url: home, trouble: .connectionLost("reset"))
  fileprivate static let brokenOff = TransferEnd(url: home, trouble: .cancelled, sentAll: false)
}

/// One machine and what it was told, in words: a table of sequences stays readable.
private struct Log {
  var machine = JobMachine()
  var target: Target

  init(attempts: Int = 3, isIdempotent: Bool = false) {
    target = Target(name: "t", url: home)
    target.retry = RetryPolicy(attempts: attempts, base: 8, isIdempotent: isIdempotent)
  }

  /// The actions that a word leads to, as words.
  mutating func tell(_ word: String) -> String {
    guard let event = Self.events[word] else { return "no such event: \(word)" }
    return tell(event)
  }

  mutating func tell(_ event: JobMachine.Event) -> String {
    machine.handle(event, for: target).map(Self.words).joined(separator: ", ")
  }

  static let events: [String: JobMachine.Event] = [
    "start": .start, "start over": .startOver(after: nil), "not begun": .notBegun,
    "timer": .timerFired,
    "cancel": .cancel,
    "pause": .pause, "retry": .retry,
    "good": end(.good), "busy": end(.busy), "refused": end(.refused), "erring": end(.erring),
    "moved": end(.moved),
    "silent": end(.silent), "broken off": end(.brokenOff),
  ]

  private static func end(_ end: TransferEnd) -> JobMachine.Event {
    .ended(end, at: Instant(seconds: 100), wall: Date(timeIntervalSince1970: 0), random: 0.5)
  }

  private static func words(_ action: JobMachine.Action) -> String {
    switch action {
    case .send(let url, let attempt, let keepsCredentials):
      "send #\(attempt) to \(url.path)\(keepsCredentials ? "" : " without credentials")"
    case .breakOff: "break off"
    case .ask(let url, let seconds): "ask \(url.path) in \(Int(seconds)) s"
    case .startTimer(let seconds): "timer \(Int(seconds)) s"
    case .report(let state): "\"\(words(state))\""
    }
  }

  private static func words(_ state: ItemState) -> String {
    switch state {
    case .waiting: "waiting"
    case .preparing(let attempt): "preparing #\(attempt)"
    case .sending, .awaitingReply: "under way"
    case .processing: "processing"
    case .retrying(let failure, let next, let all, let instant):
      "\(failure.code), then #\(next) of \(all) at \(Int(instant.seconds))"
    case .paused: "paused"
    case .done(let receipt): "done with #\(receipt.attempts)"
    case .failed(let failure): "\(failure.code) after \(failure.attempts)"
    }
  }
}

/// Every event in every state. An empty answer means that the state stays.
struct JobMachineTable {
  /// How the state is reached, and what each event is answered with in it.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reachedBy: [String]
    let answers: [String: String]
  }

  static let rows = [
    Row(
      testDescription: "waiting", reachedBy: [],
      answers: [
        "start": "\"preparing #1\", send #1 to /upload",
        "cancel": "\"cancelled after 0\"",
        "pause": "\"paused\"",
      ]),
    Row(
      testDescription: "running", reachedBy: ["start"],
      answers: [
        "cancel": "break off", "pause": "break off",
        "good": "\"done with #1\"",
        "busy": "\"http-503, then #2 of 3 at 104\", timer 4 s",
        "refused": "\"http-403 after 1\"", "erring": "\"http-500 after 1\"",
        "moved": "\"preparing #1\", send #1 to /elsewhere",
        "silent": "\"outcome-unknown after 1\"",
        "broken off": "\"cancelled after 1\"",
        "start over": "\"waiting\"",
        "not begun": "\"waiting\"",
      ]),
    Row(
      testDescription: "running, cancelled", reachedBy: ["start", "cancel"],
      answers: [
        "cancel": "break off",
        "good": "\"done with #1\"", "busy": "\"cancelled after 1\"",
        "refused": "\"cancelled after 1\"", "moved": "\"cancelled after 1\"",
        "erring": "\"http-500 after 1\"",
        "silent": "\"outcome-unknown after 1\"",
        "broken off": "\"cancelled after 1\"",
        "start over": "\"cancelled after 1\"",
        "not begun": "\"cancelled after 0\"",
      ]),
    Row(
      testDescription: "running, paused", reachedBy: ["start", "pause"],
      answers: [
        "cancel": "break off",
        "good": "\"done with #1\"", "busy": "\"paused\"",
        "refused": "\"paused\"", "moved": "\"paused\"", "erring": "\"http-500 after 1\"",
        "silent": "\"outcome-unknown after 1\"", "broken off": "\"paused\"",
        "start over": "\"paused\"",
        "not begun": "\"paused\"",
      ]),
    Row(
      testDescription: "retrying", reachedBy: ["start", "busy"],
      answers: [
        "start": "\"preparing #2\", send #2 to /upload",
        "timer": "\"waiting\"", "retry": "\"waiting\"",
        "cancel": "\"cancelled after 1\"", "pause": "\"paused\"",
      ]),
    Row(
      testDescription: "paused", reachedBy: ["pause"],
      answers: [
        "retry": "\"waiting\"", "cancel": "\"cancelled after 0\"",
      ]),
    Row(
      testDescription: "failed", reachedBy: ["start", "refused"],
      answers: ["retry": "\"waiting\""]),
    Row(testDescription: "delivered", reachedBy: ["start", "good"], answers: [:]),
  ]
}

struct JobMachineTests {
  @Test(arguments: JobMachineTable.rows)
  func everyEvent(_ row: JobMachineTable.Row) {
    for event in Log.events.keys.sorted() {
      var log = Log()
      for step in row.reachedBy { _ = log.tell(step) }
      let before = log.machine.state
      #expect(log.tell(event) == row.answers[event, default: ""], "\(event)")
      if row.answers[event] == nil { #expect(log.machine.state == before, "\(event)") }
    }
  }

  /// Stories: events, and the last answer.
  @Test(arguments: [
    // Retry, then success; the attempts count on.
    (["start", "busy", "timer", "start"], "\"preparing #2\", send #2 to /upload"),
    (["start", "busy", "timer", "start", "good"], "\"done with #2\""),
    // The bound doubles.
    (
      ["start", "busy", "timer", "start", "busy"],
      "\"http-503, then #3 of 3 at 108\", timer 8 s"
    ),
    // The attempts run out.
    (
      ["start", "busy", "timer", "start", "busy", "timer", "start", "busy"],
      "\"http-503 after 3\""
    ),
    // A person's retry after the end counts from the beginning; one while it waits does not.
    (["start", "refused", "retry", "start"], "\"preparing #1\", send #1 to /upload"),
    (["start", "busy", "retry", "start"], "\"preparing #2\", send #2 to /upload"),
    // Pause and resume, before and during.
    (["pause", "retry", "start", "good"], "\"done with #1\""),
    (["start", "pause", "broken off", "retry", "start", "good"], "\"done with #1\""),
    // Cancel outweighs a pause, not the other way round.
    (["start", "pause", "cancel", "broken off"], "\"cancelled after 1\""),
    (["start", "cancel", "pause", "broken off"], "\"cancelled after 1\""),
    // A timer that was overtaken.
    (["start", "busy", "retry", "timer"], ""), (["start", "busy", "pause", "timer"], ""),
    (["start", "busy", "cancel", "timer"], ""), (["start", "busy", "retry", "start", "timer"], ""),
    // Start comes once.
    (["start", "start"], ""), (["cancel", "start"], ""), (["pause", "start"], ""),
    // What was cancelled can be sent after all.
    (["cancel", "retry", "start"], "\"preparing #1\", send #1 to /upload"),
    // What ended for another's sake does not count.
    (["start", "start over", "start"], "\"preparing #1\", send #1 to /upload"),
    (
      ["start", "busy", "timer", "start", "start over", "start", "good"], "\"done with #2\""
    ),
    // Redirects end, and do not count as attempts.
    (
      ["start", "moved", "moved", "moved", "moved", "moved"],
      "\"preparing #1\", send #1 to /elsewhere"
    ),
    (
      ["start", "moved", "moved", "moved", "moved", "moved", "moved"],
      "\"redirected after 1\""
    ),
    (["start", "moved", "busy", "timer", "start"], "\"preparing #2\", send #2 to /upload"),
  ])
  func stories(_ events: [String], _ last: String) {
    var log = Log()
    #expect(events.map { log.tell($0) }.last == last)
  }

  /// After a request that may have put all pieces together, without a reply.
  @Test func anUploadThatMayBeWholeGoesOnAndEndsInDoubt() {
    var lost = TransferEnd(
      url: home, trouble: .connectionLost("reset"), sentAll: false)
    lost.mayBeWhole = true
    func answer(_ log: inout Log, _ end: TransferEnd) -> String {
      log.tell(
        .ended(end, at: Instant(seconds: 100), wall: Date(timeIntervalSince1970: 0), random: 0.5))
    }
    for last in ["cancel", "busy"] {
      var log = Log(attempts: 2)
      _ = log.tell("start")
      #expect(answer(&log, lost) == "\"connection-lost, then #2 of 2 at 104\", timer 4 s")
      if last == "cancel" {
        #expect(log.tell("cancel") == "\"outcome-unknown after 1\"")
      } else {
        _ = (log.tell("timer"), log.tell("start"))
        #expect(answer(&log, lost) == "\"outcome-unknown after 2\"")
      }
    }
    var log = Log(attempts: 2)
    _ = (log.tell("start"), log.tell("pause"))
    #expect(answer(&log, lost) == "\"paused\"")
  }

  @Test func anUnknownOutcomeIsRepeatedOnlyWhereASecondCopyDoesNoHarm() {
    var careful = Log()
    var idempotent = Log(isIdempotent: true)
    _ = (careful.tell("start"), idempotent.tell("start"))
    #expect(careful.tell("silent") == "\"outcome-unknown after 1\"")
    #expect(
      idempotent.tell("silent") == "\"outcome-unknown, then #2 of 3 at 104\", timer 4 s")
  }
}

struct ItemStateTests {
  private static let failure = Failure(.missing)

  @Test(arguments: [
    (ItemState.waiting, false, false, false), (.preparing(attempt: 1), false, true, false),
    (.sending(attempt: 1, sent: 0, total: 9), false, true, false),
    (.awaitingReply(attempt: 1, since: Instant(seconds: 0)), false, true, false),
    (.retrying(failure, next: 2, of: 5, at: Instant(seconds: 0)), false, false, true),
    (.paused, false, false, false), (.done(Receipt(status: 200)), true, false, false),
    (.failed(failure), true, false, true),
  ])
  func whatAStateMeans(
    _ state: ItemState, _ isFinished: Bool, _ isActive: Bool, _ showsFailure: Bool
  ) {
    #expect(state.isFinished == isFinished)
    #expect(state.isActive == isActive)
    #expect((state.failure != nil) == showsFailure)
  }
}
