import Foundation
import Testing

@testable import Scheduling
@testable import UploadModel

struct RunMachineTests {
  private static let (a, b) = (ItemID(1), ItemID(2))
  private static let lost = Failure(.outcomeUnknown("lost"))
  private static let no = Failure(.refused, status: 400)

  private static func rules(
    _ onFailure: RunRules.OnFailure = .keep, opens: Bool = true, closes: Bool = true,
    aborts: Bool = true
  ) -> RunRules {
    var rules = RunRules()
    if opens { rules.open = Call(method: "POST") }
    guard closes else { return rules }
    var close = RunRules.Closing()
    close.onFailure = onFailure
    close.abort = aborts ? Call(method: "DELETE") : nil
    rules.close = close
    return rules
  }

  /// What a machine does, in short.
  private static func words(_ actions: [RunMachine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .keep(nil): "forget"
      case .keep(let point?): "keep \(point.phase.rawValue)"
      case .send(let ending): "send \(ending)"
      case .report(let news): news.event
      }
    }
  }

  /// A course of events, and what the last one leads to.
  struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var rules = RunMachineTests.rules()
    let events: [RunMachine.Event]
    let actions: [String]
    let state: RunMachine.State
  }

  private static let opened: [RunMachine.Event] = [
    .fileStarts, .opened(["id": "7"], isFromAway: false),
  ]
  private static let sent: [RunMachine.Event] = opened + [.ended(a, isThere: true)]

  static let courses: [Course] = [
    Course(
      testDescription: "the first file opens it", events: [.fileStarts], actions: ["keep opening"],
      state: .opening),
    Course(
      testDescription: "others do not open it again", events: [.fileStarts, .fileStarts],
      actions: [],
      state: .opening),
    Course(
      testDescription: "without a first request, it is open at once", rules: rules(opens: false),
      events: [.fileStarts], actions: ["keep open"], state: .open),
    Course(
      testDescription: "the reply opens it", events: opened, actions: ["keep open", "opened"],
      state: .open),
    Course(
      testDescription: "a refusal leaves nothing", events: [.fileStarts, .notOpened],
      actions: ["forget"], state: .closed),
    Course(
      testDescription: "after a refusal, it is opened again",
      events: [.fileStarts, .notOpened, .fileStarts],
      actions: ["keep opening"], state: .opening),
    Course(
      testDescription: "the first file that arrives is noted", events: sent,
      actions: ["keep open"], state: .open),
    Course(
      testDescription: "the second is not", events: sent + [.ended(b, isThere: true)], actions: [],
      state: .open),
    Course(
      testDescription: "once no file is left, it is closed", events: sent + [.idle()],
      actions: ["keep closing", "send close"], state: .ending(.close)),
    Course(
      testDescription: "it is closed once", events: sent + [.idle(), .idle()], actions: [],
      state: .ending(.close)),
    Course(
      testDescription: "the reply ends it", events: sent + [.idle(), .done],
      actions: ["forget", "closed"], state: .closed),
    Course(
      testDescription: "a lost reply ends it, and it is not sent again",
      events: sent + [.idle(), .unknown(lost)], actions: ["forget", "close_failed"], state: .closed
    ),
    Course(
      testDescription: "a refusal leaves it open", events: sent + [.idle(), .refused(no)],
      actions: ["keep open", "close_failed"], state: .kept),
    Course(
      testDescription: "it is not closed again by itself",
      events: sent + [.idle(), .refused(no), .idle()], actions: [], state: .kept),
    Course(
      testDescription: "it is closed again if a person wants that",
      events: sent + [.idle(), .refused(no), .again, .idle()],
      actions: ["keep closing", "send close"], state: .ending(.close)),
    Course(
      testDescription: "a failed file keeps it open",
      events: sent + [.ended(b, isThere: false), .idle()], actions: ["left_open"], state: .kept),
    Course(
      testDescription: "a file that failed elsewhere does so too",
      events: sent + [.idle(hasFailed: true)], actions: ["left_open"], state: .kept),
    Course(
      testDescription: "once the failed file is there, it is closed",
      events: sent
        + [
          .ended(b, isThere: false), .idle(), .forgot(b), .fileStarts, .ended(b, isThere: true),
          .idle(),
        ], actions: ["keep closing", "send close"], state: .ending(.close)),
    Course(
      testDescription: "once the failed file is removed, it is closed",
      events: sent + [.ended(b, isThere: false), .idle(), .forgot(b), .idle()],
      actions: ["keep closing", "send close"], state: .ending(.close)),
    Course(
      testDescription: "another file does not close it while one has failed",
      events: sent
        + [
          .ended(b, isThere: false), .idle(), .fileStarts, .ended(ItemID(3), isThere: true),
          .idle(),
        ],
      actions: ["left_open"], state: .kept),
    Course(
      testDescription: "on_failure = close closes it all the same", rules: rules(.close),
      events: sent + [.ended(b, isThere: false), .idle()],
      actions: ["keep closing", "send close"], state: .ending(.close)),
    Course(
      testDescription: "on_failure = abort discards it", rules: rules(.abort),
      events: sent + [.ended(b, isThere: false), .idle()],
      actions: ["keep aborting", "send abort"], state: .ending(.abort)),
    Course(
      testDescription: "what was discarded is reported", rules: rules(.abort),
      events: sent + [.ended(b, isThere: false), .idle(), .done], actions: ["forget", "aborted"],
      state: .closed),
    Course(
      testDescription: "a run without files is discarded", events: opened + [.idle()],
      actions: ["keep aborting", "send abort"], state: .ending(.abort)),
    Course(
      testDescription: "one that may hold a file is not, even if that file was removed",
      events: opened + [.ended(a, isThere: false), .forgot(a), .idle()], actions: ["left_open"],
      state: .kept),
    Course(
      testDescription: "nor one whose server is still working on a file",
      events: opened + [.accepted, .idle()], actions: ["left_open"], state: .kept),
    Course(
      testDescription: "or stays open, if it cannot be", rules: rules(aborts: false),
      events: opened + [.idle()], actions: ["left_open"], state: .kept),
    Course(
      testDescription: "without a last request, it is just over", rules: rules(closes: false),
      events: sent + [.idle()], actions: ["forget", "closed"], state: .closed),
    Course(
      testDescription: "the next file begins another one",
      events: sent + [.idle(), .done, .fileStarts],
      actions: ["keep opening"], state: .opening),
  ]

  @Test("each event has its consequences", arguments: courses)
  func course(_ course: Course) {
    var machine = RunMachine()
    var actions: [RunMachine.Action] = []
    for event in course.events { actions = machine.handle(event, course.rules) }
    #expect(Self.words(actions) == course.actions)
    #expect(machine.state == course.state)
  }

  @Test(
    "what an earlier process has begun goes on; what it may have ended is not ended again",
    arguments: [
      (RunPoint.Phase.opening, ["forget", "open_failed"], RunMachine.State.closed),
      (.open, [], .open),
      (.closing, ["forget", "close_failed"], .closed),
      (.aborting, ["forget", "abort_failed"], .closed),
    ])
  func resuming(_ phase: RunPoint.Phase, _ words: [String], _ state: RunMachine.State) {
    let (machine, actions) = RunMachine.resuming(RunPoint(phase), failed: [])
    #expect(Self.words(actions) == words)
    #expect(machine.state == state)
  }

  @Test("a file that failed before hoist ended keeps the run open")
  func resumingWithFailures() {
    var point = RunPoint(.open)
    point.hasFiles = true
    var (machine, _) = RunMachine.resuming(point, failed: [Self.a])
    #expect(Self.words(machine.handle(.idle(), Self.rules())) == ["left_open"])
    _ = machine.handle(.forgot(Self.a), Self.rules())
    #expect(
      Self.words(machine.handle(.idle(), Self.rules())) == ["keep closing", "send close"])
  }

  @Test("secrets that a server repeats in its values are hidden")
  func secrets() {
    var point = RunPoint(.open)
    point.values = ["id": "a-s3cret-b"]
    let hidden = Secrets(["s3cret"]).hidden(in: RunNews(.opened, point))
    #expect(hidden.point?.values == ["id": "a-(secret)-b"])
  }

  /// The request that ends a run may be carried out as well.
  @Test func whereToLookAfterARunIsSaid() {
    let failure = Failure(.outcomeUnknown("it points to https://a/done"), status: 302)
    let news = RunNews(.unknown(.close), because: failure)
    let start = "perhaps closed: 302 Found, and it points to https://a/done; check"
    #expect(news.words(isLasting: false).hasPrefix(start))
  }
}
