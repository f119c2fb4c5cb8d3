import HTTPTransport
import UploadModel

/// The run of a target that has requests before its first file or after its last.
struct Run {
  private var machine: RunMachine
  /// The target in its most recently used version; nil until it is known.
  private(set) var target: Boxed<Target>?
  /// The same target with the values of the run.
  private var filledTarget: Boxed<Target>?
  /// The files whose start opens the run. The first may start although the target is shut.
  var openers: [ItemID] = []
  /// Whether the first request is under way. Its result must be awaited even if its files are taken back.
  var isAsked = false
  /// Whether the first request was refused, so that nothing starts until the user asks for it.
  var isRefused = false
  /// The cookies of the run's requests.
  var cookies = CookieJar()
  /// How often the last request was sent.
  var attempts = 0

  init(machine: RunMachine = RunMachine()) { self.machine = machine }

  /// Where the run stands; `closed` as long as its target is not known.
  var state: RunMachine.State { target == nil ? .closed : machine.state }

  var point: RunPoint? { machine.point }

  /// Whether a last request is under way or waits for another attempt.
  var isEnding: Bool { if case .ending = machine.state { true } else { false } }

  /// Whether the target's files are prevented from starting.
  var isShut: Bool { isEnding || machine.state == .opening || isRefused }

  /// Takes note of the target, which may have changed.
  mutating func use(_ target: Boxed<Target>) {
    // A file that was sent before comes with the target that contains its run's values. That is not a change.
    guard filledTarget?.isSame(as: target) != true, self.target?.isSame(as: target) != true
    else { return }
    (self.target, filledTarget) = (target, nil)
  }

  /// The target with the values of the run; nil outside a run.
  mutating func filled() -> Boxed<Target>? {
    guard let point, var target else { return nil }
    if let filledTarget, filledTarget.value.opened?.id == point.id { return filledTarget }
    target.value.opened = point
    filledTarget = target
    return target
  }

  mutating func handle(_ event: RunMachine.Event) -> [RunMachine.Action] {
    if case .opened = event { filledTarget = nil }
    // As long as the target is not in use, its rules do not matter.
    return machine.handle(event, target?.value.run ?? RunRules())
  }
}
