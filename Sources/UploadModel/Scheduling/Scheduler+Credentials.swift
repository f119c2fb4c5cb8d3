/// Credentials: which files may start with them, and which one probes them.
extension Scheduler {
  /// The number of the token in force on a route.
  package func token(on route: Route) -> Int {
    number(of: route).flatMap { routes[$0].credentials?.token } ?? 0
  }

  /// The server took what was sent with a token.
  package mutating func recordAccepted(on route: Route, with token: Int, hasCommand: Bool)
    -> [Action]
  {
    guard let number = number(of: route) else { return [] }
    return change(number, hasCommand: hasCommand) { $0.recordAccepted(with: token) }
  }

  /// The server refused what was sent with a token.
  ///
  /// - Parameters:
  ///   - status: 401 or 403.
  ///   - isSecondTime: whether one of the files was already sent again for this reason.
  ///   - command: what gives the target's token.
  ///   - failure: the failure of the waiting files, if they have to be given up.
  package mutating func recordRefused(
    on route: Route, with token: Int, status: Int, isSecondTime: Bool, command: TokenCommand?,
    _ failure: Failure
  ) -> (Credentials.Consequence, [Action]) {
    guard let number = number(of: route) else { return (.stands, []) }
    var consequence = Credentials.Consequence.stands
    var actions = change(number, hasCommand: command != nil) {
      consequence = $0.recordRefused(status: status, with: token, isSecondTime: isSecondTime)
    }
    switch consequence {
    case .stands, .again: break
    case .close: routes[number].failure = failure
    case .renew: if let command { actions.append(.renew(route, command)) }
    }
    return (consequence, actions)
  }

  /// A command gave a token.
  package mutating func recordRenewed(_ route: Route) -> [Action] {
    guard let number = number(of: route) else { return [] }
    routes[number].failure = nil
    return change(number, hasCommand: true) { $0.recordRenewed() }
  }

  /// A command failed.
  package mutating func recordRenewalFailure(_ route: Route, _ failure: Failure) -> [Action] {
    guard let number = number(of: route) else { return [] }
    let probe = routes[number].probe?.id
    routes[number].failure = failure
    let actions = change(number, hasCommand: true) { $0.recordRenewalFailure() }
    guard waitsForPerson else { return actions }
    // One item shows the failure; the others wait until it is retried.
    let first = probe.flatMap { entries[$0]?.place == .line ? $0 : nil }
    return actions + giveUp([first ?? routes[number].ready.first?.id].compactMap { $0 }, failure)
  }

  /// The user retries all credentials: the first file in line probes.
  mutating func tryCredentials() -> [Action] {
    routes.indices.flatMap { change($0) { $0.tryAgain() } }
  }

  /// The user retries a file's credentials: that file probes.
  mutating func tryCredentials(of route: Int, with id: ItemID) -> [Action] {
    let actions = change(route) { $0.tryAgain() }
    let isTaken = routes[route].probe.map { probe in
      probe.lane != nil || probe.isChosen && entries[probe.id]?.place == .line
    }
    if routes[route].credentials?.isProbed == true, isTaken != true {
      routes[route].probe = Probe(id: id, isChosen: true)
    }
    return actions
  }

  /// The token that a route needs is fetched.
  mutating func renew(_ route: Int, with command: TokenCommand) -> Action {
    if routes[route].credentials == nil {
      routes[route].credentials = Credentials(hasCommand: true)
    }
    routes[route].credentials?.recordRenewing()
    return .renew(routes[route].route, command)
  }

  /// The file chosen as the probe is gone, or goes elsewhere.
  mutating func giveUpProbing(with id: ItemID, on route: Int) -> [Action] {
    guard let probe = routes[route].probe, probe.id == id else { return [] }
    routes[route].probe = nil
    // If the user chose this file, no other takes its place.
    guard probe.isChosen else { return [] }
    return change(route) { $0.recordGivenUp() }
  }

  /// Files that have nothing left to wait for fail together, unless the user may come and help.
  package func giveUps() -> [Action] {
    guard !waitsForPerson else { return [] }
    return routes.indices.flatMap { number -> [Action] in
      let route = routes[number]
      guard route.live > 0, route.underWay == 0, route.credentials?.isClosed == true,
        let failure = route.failure
      else { return [] }
      return giveUp(waiting { $0 == number }, failure)
    }
  }

  /// Changes a route's credentials, and reports if that means that they are refused now, or accepted again.
  private mutating func change(
    _ number: Int, hasCommand: Bool? = nil, _ body: (inout Credentials) -> Void
  ) -> [Action] {
    if routes[number].credentials == nil, let hasCommand {
      routes[number].credentials = Credentials(hasCommand: hasCommand)
    }
    guard var credentials = routes[number].credentials else { return [] }
    let wasClosed = credentials.isClosed
    body(&credentials)
    routes[number].credentials = credentials
    if !credentials.isProbed { routes[number].probe = nil }
    guard credentials.isClosed != wasClosed else { return [] }
    return [.refusal(target: routes[number].route.target, isRefused: !wasClosed)]
  }
}
