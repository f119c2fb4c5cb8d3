/// Whose turn it is.
extension Scheduler {
  /// Puts the files of the next request on a lane, or ahead of one, and returns them; none if nothing can start now.
  package mutating func next(at now: Instant) -> (files: [ItemID], actions: [Action]) {
    var actions: [Action] = []
    while mayStart {
      var best: Candidate?
      var wake: Instant?
      for route in routes.indices where !routes[route].ready.isEmpty {
        switch turn(of: route, at: now) {
        case .candidate(let candidate) where candidate.rank < best?.rank ?? .max: best = candidate
        case .later(let instant): wake = min(wake ?? instant, instant)
        case .candidate, .held: break
        }
      }
      guard let best else {
        if let wake { actions.append(.wake(at: wake)) }
        break
      }
      if let command = best.command {
        actions.append(renew(best.route, with: command))
        continue
      }
      let files = batch(ledBy: best.id, isAlone: best.isAlone)
      return (files, actions + start(files, on: best.route, at: now))
    }
    return ([], actions)
  }

  /// Puts files that were to start but did not back in line.
  package mutating func recordNotStarted(_ files: [ItemID]) -> [Action] {
    files.flatMap { put($0, in: .line) }
  }

  /// The first file of a route that may start.
  private struct Candidate {
    let id: ItemID
    let rank: Int64
    let route: Int
    /// Whether no other file may join it.
    var isAlone = false
    /// The command that has to run first.
    var command: TokenCommand?
  }

  private enum StartDecision {
    case candidate(Candidate)
    /// Nothing starts before this moment.
    case later(Instant)
    /// Nothing starts before something happens.
    case held
  }

  /// The file that may start on a route, if any.
  private func turn(of route: Int, at now: Instant) -> StartDecision {
    guard let first = routes[route].ready.first,
      hasLane(for: routes[route].target) || hasRoomAhead(for: first.id)
    else { return .held }
    var candidate = Candidate(id: first.id, rank: first.rank, route: route)
    if !servers.isEmpty, let origin = routes[route].route.origin, let server = servers[origin] {
      // As the server may not be reached, only one file is risked.
      candidate.isAlone = true
      switch server.breaker.permission(at: now) {
      case .go: break
      case .wait(let until): return until.map { .later($0) } ?? .held
      case .probe:
        if let chosen = chosen(for: server) {
          guard chosen.route == route else { return .held }
          candidate = Candidate(id: chosen.file.id, rank: chosen.rank, route: route, isAlone: true)
        }
      }
    }
    switch permission(on: route, for: candidate.id) {
    case .go: break
    case .wait: return .held
    case .renew: candidate.command = entries[candidate.id]?.file.target.value.tokenCommand
    case .probe:
      candidate.isAlone = true
      if let probe = routes[route].probe {
        guard let entry = entries[probe.id], entry.place == .line else { return .held }
        candidate = Candidate(id: probe.id, rank: entry.rank, route: route, isAlone: true)
      }
    }
    return .candidate(candidate)
  }

  /// The file that the user has chosen to try a server with, if it can start.
  private func chosen(for server: Server) -> Entry? {
    guard let chosen = server.chosen, let entry = entries[chosen], entry.place == .line,
      permission(on: entry.route, for: chosen) != .wait
    else { return nil }
    return entry
  }

  private func permission(on route: Int, for id: ItemID) -> Credentials.Permission {
    if let credentials = routes[route].credentials { return credentials.permission }
    return entries[id]?.file.target.value.tokenCommand == nil ? .go : .renew
  }

  private mutating func start(_ files: [ItemID], on route: Int, at now: Instant) -> [Action] {
    let lane = occupyLane(on: route)
    var actions = files.flatMap { put($0, in: .lane(lane)) }
    if let origin = routes[route].route.origin, let server = servers[origin],
      server.breaker.permission(at: now) == .probe
    {
      servers[origin]?.breaker.recordStarted(at: now)
      servers[origin]?.lane = lane
      servers[origin]?.chosen = nil
      if server.isTold {
        actions.append(.server(origin, .away(server.failure, nextTry: nil)))
      }
    }
    if let first = files.first, routes[route].credentials?.permission == .probe {
      routes[route].credentials?.recordStarted()
      let probe = routes[route].probe
      routes[route].probe = Probe(
        id: probe?.id ?? first, isChosen: probe?.isChosen ?? false, lane: lane)
    }
    return actions
  }
}
