import Dispatch
import UploadModel

/// Servers that cannot be reached: who waits for them, and for how long.
extension UploadEngine {
  func origin(of id: ItemID) -> Origin? { jobs[id].flatMap { Origin($0.upload.target.url) } }

  /// Whether an upload may start now; if not, it waits at its server's gate.
  func mayStart(_ id: ItemID) -> Bool {
    guard let origin = origin(of: id),
      let permission = gates[origin]?.breaker.mayStart(at: time.now())
    else { return true }
    guard case .wait(let until) = permission else { return true }
    gates[origin]?.waiting.append(id)
    if let until { arm(origin, at: until) }
    return false
  }

  /// Notes whether the server could be reached, and lets those who wait know.
  func learn(from end: TransferEnd, of id: ItemID) {
    guard let origin = origin(of: id), let target = jobs[id]?.upload.target else { return }
    if Origin(end.url) != origin {
      // It answered, and sent the upload elsewhere.
      letAll(through: origin)
    } else if let trouble = end.trouble, trouble.isUnreachable, end.status == nil {
      var gate = gates[origin] ?? Gate(breaker: Breaker(policy: target.retry))
      let until = gate.breaker.noteUnreachable(at: time.now(), random: time.random())
      gate.failure = Failure(trouble)
      gates[origin] = gate
      guard let until else { return }
      if !waitsForServers, gate.breaker.openings >= target.retry.attempts {
        giveUp(on: origin)
      } else {
        arm(origin, at: until)
      }
    } else if end.saysNothingOfTheServer {
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

  /// One who stood at a gate, or was let through and did not start, is gone.
  func leaveGate(_ id: ItemID, wasInLine: Bool) {
    guard let origin = origin(of: id), gates[origin] != nil else { return }
    gates[origin]?.waiting.removeAll { $0 == id }
    if wasInLine { letOne(through: origin) }
  }

  func moveAtGate(_ id: ItemID, before other: ItemID?) {
    guard let origin = origin(of: id), var waiting = gates[origin]?.waiting,
      let index = waiting.firstIndex(of: id)
    else { return }
    waiting.remove(at: index)
    waiting.insert(id, at: waiting.firstIndex { $0 == other } ?? waiting.endIndex)
    gates[origin]?.waiting = waiting
  }

  private func arm(_ origin: Origin, at moment: Moment) {
    guard gates[origin]?.isArmed == false else { return }
    gates[origin]?.isArmed = true
    let delay = max(0, moment - time.now()) + 0.001
    executor.queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      self?.assumeIsolated { engine in
        engine.gates[origin]?.isArmed = false
        engine.letOne(through: origin)
      }
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
    guard let failure = gates.removeValue(forKey: origin)?.failure else { return }
    // Those who wait for a retry or in the line as well: only the ones under way go on.
    for (id, job) in jobs where Origin(job.upload.target.url) == origin {
      handle(.giveUp(failure), for: id)
    }
  }
}

extension TransferEnd {
  /// Whether the request ended without a word to or from the server.
  fileprivate var saysNothingOfTheServer: Bool {
    guard status == nil, let trouble else { return false }
    if case .outOfTime = trouble { return bytes == 0 }
    return trouble.isLocal
  }
}
