import Testing
import UploadModel

/// One machine that is told what happens.
private struct Log {
  var machine = JobMachine()
  var target: Target

  init(attempts: Int = 3, isIdempotent: Bool = false) {
    target = Target(name: "t", url: JobMachineEvent.url)
    target.retry = RetryPolicy(attempts: attempts, base: 8, isIdempotent: isIdempotent)
  }

  mutating func handle(_ event: JobMachineEvent) -> [JobMachineAnswer] {
    handle(exactly: event.event(for: machine, target))
  }

  mutating func handle(_ end: TransferEnd) -> [JobMachineAnswer] {
    handle(exactly: machine.judged(end, for: target))
  }

  private mutating func handle(exactly event: JobMachine.Event) -> [JobMachineAnswer] {
    machine.handle(event, for: target).map { JobMachineAnswer($0) }
  }
}

/// Every event in every state. An empty answer means that the state stays.
struct JobMachineTable {
  /// How the state is reached, and what each event is answered with in it.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reachedBy: [JobMachineEvent]
    let answers: [JobMachineEvent: [JobMachineAnswer]]
  }

  static let rows = [
    Row(
      testDescription: "waiting", reachedBy: [],
      answers: [
        .start: [.preparing(1)],
        .cancel: [.failed("cancelled", attempts: 0)],
        .pause: [.paused],
      ]),
    Row(
      testDescription: "attempting", reachedBy: [.start],
      answers: [
        .cancel: [.breakOff], .pause: [.breakOff],
        .good: [.done(attempts: 1)],
        .busy: [.retrying("http-408", next: 2, of: 3, at: 104), .timer(seconds: 4)],
        .refused: [.failed("http-403", attempts: 1)], .erring: [.failed("http-500", attempts: 1)],
        .silent: [.failed("outcome-unknown", attempts: 1)],
        .brokenOff: [.failed("cancelled", attempts: 1)],
        .startOver: [.waiting],
        .notBegun: [.waiting],
        .notMade: [.failed("missing", attempts: 1)],
        .turnedAway: [.retrying("http-408", next: 2, of: 3, at: 104), .timer(seconds: 4)],
      ]),
    Row(
      testDescription: "attempting, cancelled", reachedBy: [.start, .cancel],
      answers: [
        .cancel: [.breakOff],
        .good: [.done(attempts: 1)], .busy: [.failed("cancelled", attempts: 1)],
        .refused: [.failed("cancelled", attempts: 1)], .moved: [.failed("cancelled", attempts: 1)],
        .erring: [.failed("http-500", attempts: 1)],
        .silent: [.failed("outcome-unknown", attempts: 1)],
        .brokenOff: [.failed("cancelled", attempts: 1)],
        .startOver: [.failed("cancelled", attempts: 1)],
        .notBegun: [.failed("cancelled", attempts: 0)],
        .notMade: [.failed("cancelled", attempts: 1)],
        .turnedAway: [.failed("cancelled", attempts: 1)],
      ]),
    Row(
      testDescription: "attempting, paused", reachedBy: [.start, .pause],
      answers: [
        .cancel: [.breakOff],
        .good: [.done(attempts: 1)], .busy: [.paused],
        .refused: [.paused], .moved: [.paused], .erring: [.failed("http-500", attempts: 1)],
        .silent: [.failed("outcome-unknown", attempts: 1)], .brokenOff: [.paused],
        .startOver: [.paused],
        .notBegun: [.paused],
        .notMade: [.paused], .turnedAway: [.paused],
      ]),
    Row(
      testDescription: "retrying", reachedBy: [.start, .busy],
      answers: [
        .start: [.preparing(2)],
        .timer: [.waiting], .retry: [.waiting],
        .cancel: [.failed("cancelled", attempts: 1)], .pause: [.paused],
      ]),
    Row(
      testDescription: "paused", reachedBy: [.pause],
      answers: [
        .retry: [.waiting], .cancel: [.failed("cancelled", attempts: 0)],
      ]),
    Row(
      testDescription: "failed", reachedBy: [.start, .refused],
      answers: [.retry: [.waiting]]),
    Row(testDescription: "delivered", reachedBy: [.start, .good], answers: [:]),
  ]
}

struct JobMachineTests {
  @Test(arguments: JobMachineTable.rows)
  func everyEvent(_ row: JobMachineTable.Row) {
    for event in JobMachineEvent.allCases {
      var log = Log()
      for step in row.reachedBy { _ = log.handle(step) }
      let before = log.machine.state
      #expect(log.handle(event) == row.answers[event, default: []], "\(event)")
      if row.answers[event] == nil { #expect(log.machine.state == before, "\(event)") }
    }
  }

  /// Stories: events, and the last answer.
  @Test(
    arguments: [
      // Retry, then success; the attempts count on.
      ([.start, .busy, .timer, .start], [.preparing(2)]),
      ([.start, .busy, .timer, .start, .good], [.done(attempts: 2)]),
      // The bound doubles.
      (
        [.start, .busy, .timer, .start, .busy],
        [.retrying("http-408", next: 3, of: 3, at: 108), .timer(seconds: 8)]
      ),
      // The attempts run out.
      (
        [.start, .busy, .timer, .start, .busy, .timer, .start, .busy],
        [.failed("http-408", attempts: 3)]
      ),
      // A person's retry after the end counts from the beginning; one while it waits does not.
      ([.start, .refused, .retry, .start], [.preparing(1)]),
      ([.start, .busy, .retry, .start], [.preparing(2)]),
      // Pause and resume, before and during.
      ([.pause, .retry, .start, .good], [.done(attempts: 1)]),
      ([.start, .pause, .brokenOff, .retry, .start, .good], [.done(attempts: 1)]),
      // Cancel outweighs a pause, not the other way round.
      ([.start, .pause, .cancel, .brokenOff], [.failed("cancelled", attempts: 1)]),
      ([.start, .cancel, .pause, .brokenOff], [.failed("cancelled", attempts: 1)]),
      // A timer that was overtaken.
      ([.start, .busy, .retry, .timer], []), ([.start, .busy, .pause, .timer], []),
      ([.start, .busy, .cancel, .timer], []), ([.start, .busy, .retry, .start, .timer], []),
      // Start comes once.
      ([.start, .start], []), ([.cancel, .start], []), ([.pause, .start], []),
      // What was cancelled can be sent after all.
      ([.cancel, .retry, .start], [.preparing(1)]),
      // What ended for another's sake does not count.
      ([.start, .startOver, .start], [.preparing(1)]),
      ([.start, .busy, .timer, .start, .startOver, .start, .good], [.done(attempts: 2)]),
    ] as [([JobMachineEvent], [JobMachineAnswer])])
  func stories(_ events: [JobMachineEvent], _ last: [JobMachineAnswer]) {
    var log = Log()
    #expect(events.map { log.handle($0) }.last == last)
  }

  /// After a request that may have put all pieces together, without a reply.
  @Test func anUploadThatMayBeWholeGoesOnAndEndsInDoubt() {
    var lost = TransferEnd(
      url: JobMachineEvent.url, trouble: .connectionLost("reset"), sentAll: false)
    lost.mayBeWhole = true
    for last in [JobMachineEvent.cancel, .busy] {
      var log = Log(attempts: 2)
      _ = log.handle(.start)
      #expect(
        log.handle(lost) == [
          .retrying("connection-lost", next: 2, of: 2, at: 104), .timer(seconds: 4),
        ])
      if last == .cancel {
        #expect(log.handle(.cancel) == [.failed("outcome-unknown", attempts: 1)])
      } else {
        _ = (log.handle(.timer), log.handle(.start))
        #expect(
          log.handle(lost) == [
            .failed("outcome-unknown", attempts: 2)
          ])
      }
    }
    var log = Log(attempts: 2)
    _ = (log.handle(.start), log.handle(.pause))
    #expect(log.handle(lost) == [.paused])
  }

  /// A short restart behind a gateway makes nothing fail, but a push still ends. The server is busy for good, and each
  /// wait ends with an attempt.
  @Test(
    arguments: [
      // (the target's policy, whether servers are waited for, the seconds until it gives up, the number of attempts)
      (RetryPolicy(), false, 120.0...240, 5...12),
      (RetryPolicy(), true, 900...1020, 15...40),
      // With short waits, or none, or fewer attempts than usual, nobody waits long.
      (RetryPolicy(attempts: 4), true, 3...10, 4...4),
      (RetryPolicy(attempts: 3, base: 0, cap: 0), false, 0...0, 3...3),
      (RetryPolicy(attempts: 5, base: 0.1, cap: 60), true, 90...180, 5...30),
      (RetryPolicy(attempts: 1), true, 0...0, 1...1),
      // The attempts are made in any case.
      (RetryPolicy(attempts: 20), false, 420...850, 20...20),
    ] as [(RetryPolicy, Bool, ClosedRange<Double>, ClosedRange<Int>)])
  func aBusyServerIsWaitedForForMinutes(
    _ policy: RetryPolicy, isPatient: Bool, _ seconds: ClosedRange<Double>,
    _ attempts: ClosedRange<Int>
  ) {
    for (status, random) in [(503, 0), (429, 0.999), (521, 0.5)] {
      let (end, made) = Self.wait(for: status, policy, isPatient, random)
      #expect(seconds.contains(end), "\(status): \(end) s")
      #expect(attempts.contains(made), "\(status): \(made) attempts")
    }
  }

  /// When a file fails if its server always answers like this, and after how many attempts.
  private static func wait(
    for status: Int, _ policy: RetryPolicy, _ isPatient: Bool, _ random: Double
  ) -> (seconds: Double, attempts: Int) {
    var target = Target(name: "t", url: JobMachineEvent.url)
    target.retry = policy
    var machine = JobMachine()
    machine.waitsForServers = isPatient
    var now = Instant(seconds: 50)
    while true {
      _ = machine.handle(.start, for: target)
      let end = TransferEnd(url: JobMachineEvent.url, status: status)
      let actions = machine.handle(
        machine.judged(end, for: target, at: now, random: random), for: target)
      for action in actions {
        if case .report(.failed(let failure)) = action {
          return (now.seconds - 50, failure.attempts)
        }
        if case .startTimer(let seconds) = action { now = now + seconds }
      }
      _ = machine.handle(.timerFired, for: target)
    }
  }

  /// "try 5 of 5" would not be so as long as a sixth follows. The last attempt says that it is the last.
  @Test(arguments: [(true, 900.0), (false, 120)])
  func theLimitIsNamedOnceItLimits(_ isPatient: Bool, _ patience: Double) {
    var target = Target(name: "t", url: JobMachineEvent.url)
    target.retry = RetryPolicy(attempts: 15)
    var machine = JobMachine()
    machine.waitsForServers = isPatient
    var now = Instant(seconds: 50)
    for made in 1...14 {
      _ = machine.handle(.start, for: target)
      let end = TransferEnd(
        url: JobMachineEvent.url, status: 503, headers: ["retry-after": "\(patience / 10)"])
      for action in machine.handle(
        machine.judged(end, for: target, at: now, random: 0), for: target)
      {
        guard case .report(.retrying(_, _, let limit, let next)) = action else { continue }
        #expect(limit == (next.seconds - 50 < patience ? nil : 15), "after \(made)")
        now = next
      }
      _ = machine.handle(.timerFired, for: target)
    }
    #expect(now.seconds - 50 > patience)
  }

  @Test func aServerThatFailsOtherwiseWhileItRestartsIsStillWaitedFor() {
    var log = Log(attempts: 5)
    let busy = TransferEnd(url: JobMachineEvent.url, status: 503)
    let away = TransferEnd(url: JobMachineEvent.url, status: 408)
    for next in 2...12 {
      _ = (log.handle(.timer), log.handle(.start))
      let code = next < 10 ? "http-503" : "http-408"
      let answer = log.handle(next < 10 ? busy : away)
      #expect(
        answer.contains {
          if case .retrying(code, next, of: nil, _) = $0 { true } else { false }
        },
        "\(answer)")
    }
    // After a failure that does not pass by itself, the file has failed, and the next attempts count again.
    _ = (log.handle(.timer), log.handle(.start))
    let refused = TransferEnd(url: JobMachineEvent.url, status: 404)
    #expect(log.handle(refused) == [.failed("http-404", attempts: 12)])
  }

  @Test func anUnknownOutcomeIsRepeatedOnlyWhereASecondCopyDoesNoHarm() {
    var careful = Log()
    var idempotent = Log(isIdempotent: true)
    _ = (careful.handle(.start), idempotent.handle(.start))
    #expect(careful.handle(.silent) == [.failed("outcome-unknown", attempts: 1)])
    #expect(
      idempotent.handle(.silent) == [
        .retrying("outcome-unknown", next: 2, of: 3, at: 104), .timer(seconds: 4),
      ])
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

  @Test func attemptsBeyondTheLimitAreNotOfIt() {
    #expect(ItemState.attempt(5, of: 5) == "5 of 5")
    #expect(ItemState.attempt(2, of: 5, signs: "/") == "2/5")
    #expect(ItemState.attempt(6, of: 5) == "6")
    #expect(ItemState.attempt(2, of: nil) == "2")
  }

  @Test("A failure with progress counts as the first attempt again")
  func attemptsWithProgress() {
    var target = Target(name: "t", url: JobMachineEvent.url)
    target.retry = RetryPolicy(attempts: 3, base: 0)
    target.resume = ResumeRules(mode: .tus)
    var machine = JobMachine()
    var moment = Instant(seconds: 0)
    func run(advancing: Bool) -> String {
      _ = machine.handle(.start, for: target)
      var end = TransferEnd(
        url: JobMachineEvent.url, trouble: .connectionLost("reset"), sentAll: false)
      end.hasAdvanced = advancing
      let event = machine.judged(end, for: target, at: moment, random: 0)
      let actions = machine.handle(event, for: target)
      moment = moment + 1
      for case .report(let state) in actions {
        if case .retrying(_, let next, let of, _) = state {
          return ItemState.attempt(next, of: of, signs: "/")
        }
        if case .failed(let failure) = state { return "failed after \(failure.attempts)" }
      }
      return "?"
    }
    #expect((0..<20).map { _ in run(advancing: true) } == Array(repeating: "2/3", count: 20))
    #expect(run(advancing: false) == "3/3")
    #expect(run(advancing: false) == "failed after 3")
  }
}
