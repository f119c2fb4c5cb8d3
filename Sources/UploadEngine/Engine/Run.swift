import HTTPTransport
import Scheduling
import UploadModel

/// The run of a target that has requests before its first file or after its last.
struct Run {
  private var machine: RunMachine
  /// The target in its most recently used version; nil until it is known.
  private(set) var destination: SendPlan?
  /// The files whose start opens the run. The first may start although the target is shut.
  var openers: [ItemID] = []
  /// Whether the first request is under way. Its result must be awaited even if its files are taken back.
  var isAsked = false
  /// Whether the first request was refused, so that nothing starts until the user asks for it.
  var isRefused = false
  /// The cookies of the run's requests.
  var cookies = CookieJar()

  init(machine: RunMachine = RunMachine()) { self.machine = machine }

  /// Where the run stands; `closed` as long as its target is not known.
  var state: RunMachine.State { destination == nil ? .closed : machine.state }

  var point: RunPoint? { machine.point }

  /// Whether a last request is under way or waits for another attempt.
  var isEnding: Bool { if case .ending = machine.state { true } else { false } }

  /// Whether the target's files are prevented from starting.
  var isShut: Bool { isEnding || machine.state == .opening || isRefused }

  /// Takes note of the target, which may have changed.
  mutating func use(_ destination: SendPlan) { self.destination = destination }

  /// What it adds to the requests for its files.
  var occasion: Occasion { Occasion(point) }

  mutating func handle(_ event: RunMachine.Event) -> [RunMachine.Action] {
    // As long as the target is not in use, its rules do not matter.
    return machine.handle(event, destination?.target.run ?? RunRules())
  }
}
