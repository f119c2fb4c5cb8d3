import UploadModel

/// The credentials of a route: whether files may start with them, why not, and which file probes them.
struct RouteCredentials: Sendable {
  /// The file that probes the credentials.
  struct Probe: Sendable {
    let id: ItemID
    /// Whether the user has chosen the file.
    let isChosen: Bool
    /// The lane that the file takes.
    var lane: Int?
    /// The files that the user has chosen as well, in order. Each of them probes if the files before it end without a
    /// verdict.
    var next: [ItemID] = []
  }

  /// Nil until they are needed.
  private var state: Credentials?
  /// Why they are closed.
  private(set) var failure: Failure?
  private(set) var probe: Probe?

  /// The number of the token in force.
  var token: Int { state?.token ?? 0 }
  var isClosed: Bool { state?.isClosed == true }

  /// Whether a file may start. If a command gives the token, it has to run before the first one.
  func permission(hasCommand: Bool) -> Credentials.Permission {
    state?.permission ?? (hasCommand ? .renew : .go)
  }

  /// Why files wait for credentials, or go one at a time; nil if they do not.
  var trouble: CredentialTrouble? {
    guard let state else { return nil }
    guard state.isClosed else { return state.isForbidden ? .forbidden : nil }
    return failure.map(CredentialTrouble.init) ?? .refused
  }

  /// Closes credentials with which another process has met with a trouble.
  mutating func close(because trouble: CredentialTrouble, hasCommand: Bool) {
    change(hasCommand: hasCommand, because: trouble.failure) { $0.recordKnownRefused() }
  }

  /// Changes the state, if the credentials are needed: `hasCommand` is known only then. `failure` says why they are
  /// closed if the change closes them.
  mutating func change(
    hasCommand: Bool?, because failure: Failure? = nil, _ body: (inout Credentials) -> Void
  ) {
    guard var state = state ?? hasCommand.map(Credentials.init) else { return }
    let held = trouble?.holdsAll == true
    body(&state)
    self.state = state
    if !state.isProbed { probe = nil }
    if let failure, state.isClosed, !held { self.failure = failure }
  }

  // MARK: The probe

  /// Records that the first of these files starts on a lane. If one file is to decide for all, that is this one, unless
  /// another one was chosen.
  mutating func recordStarted(_ first: ItemID, on lane: Int) {
    guard state?.permission == .probe else { return }
    state?.recordStarted()
    var probe = probe ?? Probe(id: first, isChosen: false)
    probe.lane = lane
    self.probe = probe
  }

  /// Records that a request has left its lane. If it was the probe's, its result may have said nothing about the
  /// credentials: then that of the next one may.
  mutating func recordLeft(_ lane: Int) {
    guard probe?.lane == lane else { return }
    probe?.lane = nil
    state?.recordUnanswered()
  }

  /// Has a file that the user has chosen probe the credentials, if one file decides for all: at once, or after the one
  /// that does so already. `isWaiting` says whether a file is in line.
  mutating func choose(_ id: ItemID, isWaiting: (ItemID) -> Bool) {
    guard state?.isProbed == true else { return }
    if let probe, probe.lane != nil || probe.isChosen && isWaiting(probe.id) {
      if probe.id != id { self.probe?.next.append(id) }
    } else {
      probe = Probe(id: id, isChosen: true)
    }
  }

  /// Records that a file is gone, or goes elsewhere. If the user had chosen it as the probe, another one that the user
  /// has chosen takes its place. Returns whether none is left, so that nobody probes.
  mutating func giveUpProbing(with id: ItemID, isWaiting: (ItemID) -> Bool) -> Bool {
    guard let old = probe, old.id == id else { return false }
    probe = nil
    guard old.isChosen else { return false }
    let rest = old.next.drop { !isWaiting($0) }
    guard let next = rest.first else { return true }
    probe = Probe(id: next, isChosen: true, next: Array(rest.dropFirst()))
    return false
  }
}
