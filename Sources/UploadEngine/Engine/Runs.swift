import UploadModel

/// The runs of all targets that have requests before their first file or after their last, by the targets' names.
struct Runs {
  private struct Run {
    var machine = RunMachine()
    /// The actions that are due at once in a run that an earlier process began.
    var due: [RunMachine.Action] = []
    /// The target in its most recently used version; nil until it is known.
    var target: Boxed<Target>?
    /// The files whose start opens the run.
    var openers: [ItemID] = []
    /// Whether the first request is under way.
    var isAsked = false
    /// Whether the first request was refused, so that nothing starts until the user asks for it.
    var isRefused = false
    /// How often the last request was sent.
    var attempts = 0
    /// The same target with the values of the run.
    var filled: Boxed<Target>?
  }

  private var runs: [String: Run] = [:]

  /// Takes over a run that an earlier process began. If its target is in use already, the target's own run goes on.
  mutating func adopt(_ point: RunPoint, failed: Set<ItemID>, of name: String) {
    let (machine, due) = RunMachine.resuming(point, failed: failed)
    if runs[name]?.target == nil { runs[name] = Run(machine: machine) }
    runs[name]?.due = due
  }

  /// The actions that are due at once in runs that earlier processes began.
  mutating func takeEarlierActions() -> [(String, [RunMachine.Action])] {
    let due = runs.map { ($0.key, $0.value.due) }.filter { !$0.1.isEmpty }
    for (name, _) in due { runs[name]?.due = [] }
    return due
  }

  var isEmpty: Bool { runs.isEmpty }
  var names: [String] { runs.keys.sorted() }

  /// Whether a last request is under way or waits for another attempt.
  var isEnding: Bool {
    runs.values.contains { if case .ending = $0.machine.state { true } else { false } }
  }

  /// Where a run stands; `closed` as long as its target is not known.
  func state(of name: String) -> RunMachine.State {
    guard let run = runs[name], run.target != nil else { return .closed }
    return run.machine.state
  }
  func target(_ name: String) -> Target? { runs[name]?.target?.value }
  func point(of name: String) -> RunPoint? { runs[name]?.machine.point }

  /// Whether a target's files are prevented from starting.
  func isShut(_ name: String) -> Bool {
    guard let run = runs[name] else { return false }
    if case .ending = run.machine.state { return true }
    return run.machine.state == .opening || run.isRefused
  }

  /// Takes note of a target, which may have changed.
  mutating func use(_ target: Boxed<Target>) {
    let name = target.value.name
    // A file that was sent before comes with the target that contains its run's values. That is not a change.
    guard runs[name]?.filled?.isSame(as: target) != true,
      runs[name]?.target?.isSame(as: target) != true
    else { return }
    runs[name, default: Run()].target = target
    runs[name]?.filled = nil
  }

  /// The target with the values of its run; nil outside a run.
  mutating func filled(_ name: String) -> Boxed<Target>? {
    guard let run = runs[name], let point = run.machine.point, var target = run.target
    else { return nil }
    if let filled = run.filled, filled.value.opened?.id == point.id { return filled }
    target.value.opened = point
    runs[name]?.filled = target
    return target
  }

  mutating func handle(_ event: RunMachine.Event, of name: String) -> [RunMachine.Action] {
    // As long as the target is not in use, its rules do not matter.
    let rules = runs[name]?.target?.value.run ?? RunRules()
    let actions = runs[name]?.machine.handle(event, rules) ?? []
    if case .opened = event { runs[name]?.filled = nil }
    return actions
  }

  // MARK: The first request

  /// The files whose start opens a run.
  mutating func setOpeners(_ ids: [ItemID], of name: String) { runs[name]?.openers = ids }

  /// The file that may start although the target is shut, because it opens the run.
  func key(of name: String) -> ItemID? { runs[name]?.openers.first }

  func isOpener(_ id: ItemID, of name: String) -> Bool { runs[name]?.openers.contains(id) == true }

  /// Whether the first request is under way. Its result must be awaited even if its files are taken back.
  func isAsked(_ name: String) -> Bool { runs[name]?.isAsked == true }

  mutating func setAsked(_ isAsked: Bool, of name: String) { runs[name]?.isAsked = isAsked }

  /// Records whether the first request was refused for good or may be sent again.
  mutating func setRefused(_ isRefused: Bool, of name: String) { runs[name]?.isRefused = isRefused }

  // MARK: The last request

  /// Counts an attempt and returns its number, from 1.
  mutating func countAttempt(of name: String) -> Int {
    runs[name]?.attempts += 1
    return runs[name]?.attempts ?? 1
  }

  mutating func endAttempts(of name: String) { runs[name]?.attempts = 0 }
}
