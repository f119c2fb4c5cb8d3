import Dispatch
import UploadModel

/// Servers that cannot be reached: who waits for them, and for how long.
extension UploadEngine {
  func origin(of id: ItemID) -> Origin? { jobs[id].flatMap { Origin($0.upload.target.url) } }

  /// Whether an upload may start now; if not, it waits at its server's gate.
  func mayStart(_ id: ItemID) -> Bool {
    guard let origin = origin(of: id), var gate = gates[origin] else { return true }
    defer { gates[origin] = gate }
    switch gate.breaker.mayStart(at: time.now()) {
    case .go: return true
    case .wait:
      gate.waiting.append(id)
      return false
    }
  }

  /// Notes whether the server could be reached, and lets those who wait know.
  func learn(from end: TransferEnd, of id: ItemID) {
    guard let origin = origin(of: id), let target = jobs[id]?.upload.target else { return }
    if let trouble = end.trouble, trouble.isUnreachable, end.status == nil {
      var gate = gates[origin] ?? Gate(breaker: Breaker(policy: target.retry))
      let until = gate.breaker.noteUnreachable(at: time.now(), random: time.random())
      gate.failure = Failure(trouble)
      gates[origin] = gate
      guard let until else { return }
      if !waitsForServers, gate.breaker.openings >= target.retry.attempts {
        giveUp(on: origin)
      } else {
        probe(origin, at: until)
      }
    } else if end.trouble?.isLocal == true, end.status == nil {
      // Nobody spoke to the server: the next one is the probe.
      gates[origin]?.breaker.noteNotStarted(at: time.now())
      letOne(through: origin)
    } else {
      letAll(through: origin)
    }
  }

  /// The person wants it now: whatever was learned of the server is forgotten.
  func letGo(of target: Target) {
    if let origin = Origin(target.url) { letAll(through: origin) }
  }

  private func probe(_ origin: Origin, at moment: Moment) {
    executor.queue.asyncAfter(deadline: .now() + max(0, moment - time.now())) { [weak self] in
      self?.assumeIsolated { $0.letOne(through: origin) }
    }
  }

  private func letOne(through origin: Origin) {
    guard let gate = gates[origin], let id = gate.waiting.first else { return }
    gates[origin]?.waiting.removeFirst()
    lanes.queue(id, atHead: true)
    fillLanes()
  }

  private func letAll(through origin: Origin) {
    guard let gate = gates.removeValue(forKey: origin) else { return }
    for id in gate.waiting.reversed() { lanes.queue(id, atHead: true) }
    fillLanes()
  }

  private func giveUp(on origin: Origin) {
    guard let gate = gates.removeValue(forKey: origin), let failure = gate.failure else { return }
    for id in gate.waiting { handle(.giveUp(failure), for: id) }
  }
}
