import Dispatch
import UploadModel

/// Servers that cannot be reached: who waits for them, and for how long.
extension UploadEngine {
  func origin(of id: ItemID) -> Origin? { jobs[id]?.door.origin }

  /// Whether an upload may start now; if not, it waits at its server's gate.
  func mayStart(_ id: ItemID) -> Bool {
    guard let origin = origin(of: id),
      let permission = gates[origin]?.breaker.mayStart(at: time.now())
    else { return true }
    guard case .wait(let until) = permission else { return true }
    gates[origin]?.waiting.queue(id, atHead: false)
    if let until { arm(origin, at: until) }
    return false
  }

  /// Notes whether the server could be reached, and lets those who wait know.
  ///
  /// - Parameter reached: whom the request went to.
  func learn(from end: TransferEnd, at reached: Origin?, of id: ItemID) {
    guard let origin = origin(of: id), let upload = jobs[id]?.upload else { return }
    if reached != origin {
      // It answered, and sent the upload elsewhere.
      letAll(through: origin)
    } else if let trouble = end.trouble, trouble.isUnreachable, end.status == nil {
      var gate = gates[origin] ?? Gate(breaker: Breaker(policy: upload.target.retry))
      let until = gate.breaker.noteUnreachable(at: time.now(), random: time.random())
      gate.failure = Failure(trouble)
      gates[origin] = gate
      guard let until else { return }
      outage(origin, until)
      if !waitsForServers, gate.breaker.openings >= upload.target.retry.attempts {
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

  /// One that might have started did not: another may be the probe.
  func noteNotStarted(_ id: ItemID) {
    guard let origin = origin(of: id), gates[origin] != nil else { return }
    gates[origin]?.breaker.noteNotStarted(at: time.now())
    if isStarted { letOne(through: origin) }
  }

  /// The person wants it now: whatever was learned of the server is forgotten.
  func letGo(_ id: ItemID) {
    guard let door = jobs[id]?.door else { return }
    reopen(door)
    if let origin = door.origin { letAll(through: origin) }
  }

  /// One who stood at a gate, or was let through and did not start, is gone.
  func leaveGate(_ id: ItemID, wasInLine: Bool) {
    guard let origin = origin(of: id), gates[origin] != nil else { return }
    gates[origin]?.waiting.leave(id)
    if wasInLine { letOne(through: origin) }
  }

  func moveAtGate(_ id: ItemID, before other: ItemID?) {
    guard let origin = origin(of: id) else { return }
    gates[origin]?.waiting.move(id, before: other)
  }

  func arrangeAtGates(_ order: [ItemID]) {
    for origin in gates.keys { gates[origin]?.waiting.arrange(order) }
  }

  /// Those at a gate or a door who go elsewhere by now stand in line again, in their order.
  func letGoElsewhere(from key: Door.Key) {
    let atDoor = doors[key]?.waiting.filter { jobs[$0]?.door != key } ?? []
    for id in atDoor { doors[key]?.waiting.leave(id) }
    let gate = key.origin.flatMap { gates[$0] }
    let atGate = gate?.waiting.filter { jobs[$0]?.door.origin != key.origin } ?? []
    if let origin = key.origin { for id in atGate { gates[origin]?.waiting.leave(id) } }
    for id in (atDoor + atGate).reversed() { lanes.queue(id, atHead: true) }
    // One of them may have been let through as the probe.
    if let origin = key.origin, gates[origin]?.isArmed == false { letOne(through: origin) }
    fillSoon()
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
    guard let id = gates[origin]?.waiting.popFirst() else { return }
    lanes.queue(id, atHead: true)
    fillSoon()
  }

  private func letAll(through origin: Origin) {
    guard let gate = gates.removeValue(forKey: origin) else { return }
    outage(origin, nil)
    for id in gate.waiting.reversed() { lanes.queue(id, atHead: true) }
    fillSoon()
  }

  func letAllThrough() {
    for origin in Array(gates.keys) { letAll(through: origin) }
  }

  private func giveUp(on origin: Origin) {
    guard let failure = gates.removeValue(forKey: origin)?.failure else { return }
    outage(origin, nil)
    // Those who wait for a retry or in the line as well: only the ones under way go on.
    for (id, job) in jobs where job.door.origin == origin {
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
