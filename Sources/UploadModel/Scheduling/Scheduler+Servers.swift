/// Servers that cannot be reached.
extension Scheduler {
  /// A server answered, or at least spoke.
  package mutating func recordReached(_ origin: Origin) -> [Action] {
    guard let server = servers.removeValue(forKey: origin), server.isTold else { return [] }
    return [.server(origin, .back)]
  }

  /// A file's own server could not be reached.
  ///
  /// - Parameters:
  ///   - id: the file that was sent, alone or with others.
  ///   - failure: why.
  ///   - random: a number in 0..<1.
  package mutating func recordUnreachable(
    by id: ItemID, _ failure: Failure, at now: Instant, random: Double
  ) -> [Action] {
    guard let entry = entries[id], let origin = routes[entry.route].route.origin else { return [] }
    let policy = entry.file.target.value.retry
    var server =
      servers[origin]
      ?? Server(
        breaker: waitsForServers ? Breaker(waitingWith: policy) : Breaker(policy: policy),
        failure: failure)
    server.failure = failure
    guard let until = server.breaker.recordUnreachable(at: now, random: random) else {
      servers[origin] = server
      return []
    }
    server.lane = nil
    if !waitsForServers, server.breaker.openings >= policy.attempts {
      servers[origin] = nil
      let told: [Action] = server.isTold ? [.server(origin, .unneeded)] : []
      return told + giveUp(waiting { self.routes[$0].route.origin == origin }, failure)
    }
    server.isTold = true
    servers[origin] = server
    return [.server(origin, .away(failure, nextTry: until))]
  }

  /// The user wants these files sent now: if a server or a target's credentials hold one back, it
  /// goes ahead of the others as a probe.
  package mutating func tryNow(_ files: [ItemID], at now: Instant) -> [Action] {
    var actions: [Action] = []
    for id in files {
      guard let entry = entries[id] else { continue }
      dissolveGroup(of: id)
      actions += tryCredentials(of: entry.route, with: id)
      guard let origin = routes[entry.route].route.origin, let server = servers[origin] else {
        continue
      }
      servers[origin]?.breaker.tryNow(at: now)
      if server.chosen.flatMap({ entries[$0] })?.place != .line { servers[origin]?.chosen = id }
    }
    return actions
  }

  /// The user wants every server and all credentials tried now.
  package mutating func tryEverything(at now: Instant) -> [Action] {
    for origin in servers.keys { servers[origin]?.breaker.tryNow(at: now) }
    return tryCredentials()
  }

  /// Forgets the trouble with a route's server if nothing is left that would try it.
  mutating func recordUnneeded(_ route: Int) -> [Action] {
    guard !servers.isEmpty, routes[route].live == 0, let origin = routes[route].route.origin,
      !routes.contains(where: { $0.live > 0 && $0.route.origin == origin }),
      let server = servers.removeValue(forKey: origin), server.isTold
    else { return [] }
    return [.server(origin, .unneeded)]
  }

  /// The files that wait or back off on certain routes, in order.
  func waiting(on isConcerned: (Int) -> Bool) -> [ItemID] {
    let concerned = Set(routes.indices.filter(isConcerned))
    return entries.values.filter { entry in
      guard concerned.contains(entry.route) else { return false }
      return entry.place == .line || entry.place == .away(.backOff)
    }.sorted { $0.rank < $1.rank }.map(\.file.id)
  }

  func giveUp(_ files: [ItemID], _ failure: Failure) -> [Action] {
    files.isEmpty ? [] : [.giveUp(files, failure)]
  }
}
