import Dispatch
import UploadModel

/// Credentials: who may go in with them, who waits for better ones.
extension UploadEngine {
  /// A target's access, and who waits for it in the order of the line.
  struct Door {
    var access: Access
    var token: BearerToken?
    var waiting = Line()
    /// Why it is closed.
    var failure: Failure?

    /// What a set of credentials belongs to.
    struct Key: Hashable, Sendable {
      let target: String
      let origin: Origin?
    }
  }

  /// Whether an upload may start with the credentials that its target has; if not, it waits.
  func mayEnter(_ id: ItemID) -> Bool {
    guard let job = jobs[id] else { return true }
    let command = job.upload.target.tokenCommand
    if doors[job.door] == nil {
      guard command != nil else { return true }
      doors[job.door] = Door(access: Access(hasCommand: true))
    }
    let permission = doors[job.door]?.access.mayStart() ?? .go
    guard permission != .go else { return true }
    doors[job.door]?.waiting.queue(id, atHead: false)
    if permission == .renew, let command { renew(job.door, with: command) }
    giveUpIfHopeless(job.door)
    return false
  }

  /// A request that was made with a target's credentials.
  struct Visit: Sendable {
    let door: Door.Key
    /// The token that it went with, and its number.
    let token: BearerToken?
    let number: Int
    /// Whom it went to.
    let origin: Origin?
    let items: [ItemID]
  }

  /// A visit to an origin for these uploads, with the credentials that their target has now.
  func visit(of items: [ItemID], to origin: Origin?) -> Visit? {
    guard let first = items.first, let key = jobs[first]?.door else { return nil }
    return Visit(
      door: key, token: doors[key]?.token, number: doors[key]?.access.token ?? 0, origin: origin,
      items: items)
  }

  /// Notes what the end of a request says of its credentials.
  func judgeAccess(of visit: Visit, _ end: TransferEnd, to target: Target) -> Access.Consequence {
    let key = visit.door
    // What another origin says, to which no credentials were sent, means nothing here.
    guard let status = end.status, visit.origin == key.origin else { return .stands }
    let command = target.tokenCommand
    var door = doors[key] ?? Door(access: Access(hasCommand: command != nil))
    if (200..<300).contains(status) {
      let mayGoOn = door.access.noteTaken(with: visit.number)
      set(door, key)
      if mayGoOn { letAll(throughDoor: key) }
    }
    guard status == 401 || status == 403 else { return .stands }
    let isSecondTime = visit.items.contains { self.jobs[$0]?.wasRefusedEntry == true }
    let consequence = door.access.noteRefused(
      status: status, with: visit.number, isSecondTime: isSecondTime)
    if consequence == .close {
      let failure = Failure(
        deniedCause(for: target, door) ?? .refused, status: status, reply: end.reply)
      door.failure = visit.token?.hidden(in: failure) ?? failure
    }
    set(door, key)
    if consequence == .renew, let command { renew(key, with: command) }
    return consequence
  }

  /// Has uploads go again with a newer token. Whoever comes back last stands first.
  func letIn(again items: [ItemID]) {
    for id in items { jobs[id]?.wasRefusedEntry = true }
    handle(items.reversed().map { ($0, .startOver) })
  }

  /// What a refusal that stands is called where a new token was tried as well.
  func deniedCause(for target: Target, _ door: Door?) -> Failure.Cause? {
    guard let command = target.tokenCommand, door?.token != nil else { return nil }
    return .denied("also with a new token from \(command.name)")
  }

  /// Those who have nothing to wait for any more fail together, unless the person may come and help.
  func giveUpIfHopeless(_ key: Door.Key) {
    guard !waitsForServers, let door = doors[key], door.access.isClosed, let failure = door.failure,
      !transfers.values.contains(where: { $0.visit.door == key })
    else { return }
    doors[key]?.waiting = Line()
    for (id, job) in jobs where job.door == key { handle(.giveUp(failure), for: id) }
  }

  /// The person wants another try.
  func reopen(_ key: Door.Key) {
    guard var door = doors[key], door.access.isClosed else { return }
    door.access.reopen()
    set(door, key)
    letAll(throughDoor: key)
  }

  /// Puts a door in its place, and says so where it was open and is closed now, or the other way round.
  private func set(_ door: Door, _ key: Door.Key) {
    let wasClosed = doors[key]?.access.isClosed ?? false
    doors[key] = door
    if door.access.isClosed != wasClosed { refusal(key.target, !wasClosed) }
  }

  func leaveDoor(_ id: ItemID) {
    guard let key = jobs[id]?.door else { return }
    doors[key]?.waiting.leave(id)
  }

  func moveAtDoor(_ id: ItemID, before other: ItemID?) {
    guard let key = jobs[id]?.door else { return }
    doors[key]?.waiting.move(id, before: other)
  }

  func arrangeAtDoors(_ order: [ItemID]) {
    for key in doors.keys { doors[key]?.waiting.arrange(order) }
  }

  private func renew(_ key: Door.Key, with command: TokenCommand) {
    DispatchQueue.global(qos: .userInitiated).async { [weak self] in
      let result = Result { () throws(BearerToken.Missing) in try BearerToken(command) }
      guard let engine = self else { return }
      engine.executor.queue.async { engine.assumeIsolated { $0.take(result, for: key) } }
    }
  }

  private func take(_ result: Result<BearerToken, BearerToken.Missing>, for key: Door.Key) {
    guard var door = doors[key] else { return }
    switch result {
    case .success(let token):
      (door.token, door.failure) = (token, nil)
      door.access.noteRenewed()
      set(door, key)
      letAll(throughDoor: key)
    case .failure(let missing):
      let failure = Failure(.denied(missing.reason))
      (door.token, door.failure) = (nil, failure)
      door.access.noteNotRenewed()
      set(door, key)
      giveUpIfHopeless(key)
      // One row tells why; the others wait until that one is tried again.
      if let first = doors[key]?.waiting.first(where: { _ in true }) {
        handle(.giveUp(failure), for: first)
      }
    }
  }

  private func letAll(throughDoor key: Door.Key) {
    guard let waiting = doors[key]?.waiting else { return }
    doors[key]?.waiting = Line()
    for id in waiting.reversed() { lanes.queue(id, atHead: true) }
    fillSoon()
  }
}
