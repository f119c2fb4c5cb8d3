/// Decides what is sent next: one ordered line of files, and what holds each of them back. Events in, actions
/// out; it does no I/O and reads no clock.
///
/// A file keeps its place in line for as long as it is known: while it is sent, backs off, is paused or has
/// failed. What holds a waiting file back is checked when a lane is free, so there is no second line:
///
/// - the number of lanes, and whether the user lets anything start;
/// - its target's own concurrency;
/// - its server's `Breaker`;
/// - its target's `Credentials`.
///
/// Each route (a target at an origin) keeps its waiting files in order, so that a route that is held back
/// costs one check, not one for each of its files.
package struct Scheduler: Sendable {
  /// A file, as far as scheduling and batching depend on it.
  package struct File: Hashable, Sendable {
    /// Identifies it in the queue.
    package var id: ItemID
    /// Its size in bytes.
    var bytes: Int64
    /// The form field that carries it, if it is not the target's.
    var field: String?
    /// Where it goes.
    package var target: Boxed<Target>
    /// How many attempts it has had.
    var attempts: Int

    /// The file `id`.
    package init(
      id: ItemID, bytes: Int64 = 0, field: String? = nil, target: Boxed<Target>, attempts: Int = 0
    ) {
      self.id = id
      self.bytes = bytes
      self.field = field
      self.target = target
      self.attempts = attempts
    }
  }

  /// What is to be done, in order.
  package enum Action: Hashable, Sendable {
    /// Ask for the next files again at this time; nothing can start before.
    case wake(at: Instant)
    /// Run the command that gives this route's token.
    case renew(Route, TokenCommand)
    /// Fail these waiting files for this reason.
    case giveUp([ItemID], Failure)
    /// Report the reachability of a server.
    case server(Origin, Reachability)
    /// Report whether a target's credentials are refused, so that its files wait.
    case refusal(target: String, isRefused: Bool)
  }

  /// Why a file is out of the line. It keeps its place there.
  package enum HoldReason: Hashable, Sendable {
    /// It comes back by itself after a delay.
    case backOff
    /// The user holds it.
    case held
    /// It is over, and comes back only if the user wants it to.
    case over
  }

  /// Whether further files may start.
  private(set) var isStarted = true
  /// Whether to wait for unreachable servers indefinitely. Otherwise all files for a server fail once its
  /// breaker has opened as often as the target allows attempts.
  let waitsForServers: Bool
  /// Whether files wait for the user if their credentials are refused.
  let waitsForPerson: Bool

  var entries: [ItemID: Entry] = [:]
  /// All files in the order of the line.
  var order = RankedSet()
  var routes: [RouteState] = []
  var targets: [TargetState] = []
  var servers: [Origin: Server] = [:]
  var groups: [Int: [ItemID]] = [:]
  var lastGroup = 0
  /// The most requests under way at once.
  package let laneCount: Int
  var lanes: [Int: Lane] = [:]
  private var lastLane = 0
  private(set) var lanesTaken = 0
  private var routeNumbers: [Route: Int] = [:]
  var targetNumbers: [String: Int] = [:]
  private var lastRoute: (target: Boxed<Target>, number: Int)?

  /// A scheduler without files.
  ///
  /// - Parameters:
  ///   - lanes: the most requests under way at once, from 1.
  ///   - waitsForServers: whether files wait for servers that cannot be reached.
  ///   - waitsForPerson: whether files wait if their credentials are refused, since somebody may come and
  ///     help; by default the same as `waitsForServers`.
  package init(lanes: Int, waitsForServers: Bool = false, waitsForPerson: Bool? = nil) {
    laneCount = max(1, lanes)
    self.waitsForServers = waitsForServers
    self.waitsForPerson = waitsForPerson ?? waitsForServers
  }

  /// Whether asking for the next files may have an answer.
  package var mayStart: Bool {
    isStarted && (lanesTaken < laneCount || targets.contains(where: hasRoomAhead))
      && routes.contains { !$0.ready.isEmpty }
  }

  // MARK: Files

  /// Appends files to the line. A file that is already known is changed, keeps its place, and waits.
  package mutating func add(_ files: [File]) -> [Action] {
    var actions: [Action] = []
    for file in files {
      if entries[file.id] != nil {
        actions += change(file) + queue(file.id, attempts: file.attempts)
        continue
      }
      let number = number(of: file.target)
      let rank = lastRank()
      entries[file.id] = Entry(file: file, route: number, rank: rank, place: .line)
      order.insert(RankedSet.Entry(rank: rank, id: file.id))
      routes[number].ready.insert(RankedSet.Entry(rank: rank, id: file.id))
      routes[number].live += 1
    }
    return actions
  }

  /// Forgets a file.
  package mutating func remove(_ id: ItemID) -> [Action] {
    let actions = put(id, in: .away(.over))
    if let entry = entries.removeValue(forKey: id) { order.remove(entry.rank) }
    return actions
  }

  /// Changes where and how a file is sent. It keeps its place.
  package mutating func change(_ file: File) -> [Action] {
    guard let entry = entries[file.id] else { return [] }
    let old = entry.route
    let new = number(of: file.target)
    if !file.goes(with: entry.file) { dissolveGroup(of: file.id) }
    entries[file.id]?.file = file
    guard new != old else { return [] }
    entries[file.id]?.route = new
    if entry.place == .line {
      routes[old].ready.remove(entry.rank)
      routes[new].ready.insert(RankedSet.Entry(rank: entry.rank, id: file.id))
    }
    guard entry.place.isLive else { return [] }
    routes[new].live += 1
    routes[old].live -= 1
    return giveUpProbing(with: file.id, on: old) + recordUnneeded(old)
  }

  /// A file waits for its turn, at its place in line.
  ///
  /// - Parameter attempts: how many it has had.
  package mutating func queue(_ id: ItemID, attempts: Int) -> [Action] {
    entries[id]?.file.attempts = attempts
    return put(id, in: .line)
  }

  /// A file leaves its lane or the line. It keeps its place.
  package mutating func park(_ id: ItemID, _ absence: HoldReason) -> [Action] {
    put(id, in: .away(absence))
  }

  /// Moves a file to another place and updates everything that depends on it.
  mutating func put(_ id: ItemID, in place: Place) -> [Action] {
    guard let entry = entries[id], entry.place != place else { return [] }
    entries[id]?.place = place
    if entry.place == .line { routes[entry.route].ready.remove(entry.rank) }
    if place == .line {
      routes[entry.route].ready.insert(RankedSet.Entry(rank: entry.rank, id: id))
    }
    if case .lane(let number) = place { lanes[number]?.files += 1 }
    if case .lane(let number) = entry.place { leave(number) }
    if !place.isLive { dissolveGroup(of: id) }
    switch (entry.place.isLive, place.isLive) {
    case (false, true):
      routes[entry.route].live += 1
      return []
    case (true, false):
      routes[entry.route].live -= 1
      return giveUpProbing(with: id, on: entry.route) + recordUnneeded(entry.route)
    case (true, true), (false, false): return []
    }
  }

  /// The number of the route that leads to a target.
  private mutating func number(of target: Boxed<Target>) -> Int {
    if let lastRoute, lastRoute.target.isSame(as: target) { return lastRoute.number }
    let route = Route(to: target.value)
    let number = routeNumbers[route] ?? routes.count
    if number == routes.count {
      let target = targetNumbers[route.target] ?? targets.count
      if target == targets.count { targets.append(TargetState(concurrency: 1)) }
      targetNumbers[route.target] = target
      routes.append(RouteState(route: route, target: target))
      routeNumbers[route] = number
    }
    targets[routes[number].target].concurrency = target.value.concurrency
    lastRoute = (target, number)
    return number
  }

  func number(of route: Route) -> Int? { routeNumbers[route] }

  // MARK: Lanes

  /// Sets the number of concurrent requests to a target, overriding its configuration.
  package mutating func setConcurrency(_ count: Int, of target: String) {
    let number = targetNumbers[target] ?? targets.count
    if number == targets.count { targets.append(TargetState(concurrency: count)) }
    targetNumbers[target] = number
    targets[number].wish = count
  }

  /// Stops or resumes starting files. Resuming also retries credentials.
  package mutating func setStarted(_ isStarted: Bool) -> [Action] {
    self.isStarted = isStarted
    return isStarted ? tryCredentials() : []
  }

  func hasLane(for target: Int) -> Bool {
    lanesTaken < laneCount && targets[target].underWay < targets[target].most
  }

  /// Takes a lane for files of a route, or lets them wait for one.
  mutating func occupyLane(on route: Int) -> Int {
    lastLane += 1
    let isAhead = !hasLane(for: routes[route].target)
    lanes[lastLane] = Lane(route: route, isAhead: isAhead)
    routes[route].underWay += 1
    count(1, isAhead: isAhead, on: route)
    return lastLane
  }

  mutating func count(_ one: Int, isAhead: Bool, on route: Int) {
    let target = routes[route].target
    if isAhead {
      targets[target].ahead += one
      return
    }
    targets[target].underWay += one
    lanesTaken += one
  }

  /// A file leaves its lane. The lane is free when the last one has left.
  private mutating func leave(_ number: Int) {
    guard let lane = lanes[number] else { return }
    guard lane.files <= 1 else {
      lanes[number]?.files -= 1
      return
    }
    lanes[number] = nil
    routes[lane.route].underWay -= 1
    count(-1, isAhead: lane.isAhead, on: lane.route)
    // If its result said nothing about the server or the credentials, the next one may.
    if let origin = routes[lane.route].route.origin, servers[origin]?.lane == number {
      servers[origin]?.lane = nil
      servers[origin]?.breaker.recordUnanswered()
    }
    if routes[lane.route].probe?.lane == number {
      routes[lane.route].probe?.lane = nil
      routes[lane.route].credentials?.recordUnanswered()
    }
  }
}
