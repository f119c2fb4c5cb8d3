/// Decides who is sent next: one ordered line of files, and what may hold each of them back. Events in,
/// actions out; it touches nothing and knows no clock.
///
/// A file has one place in line, which it keeps for as long as it is known: while it is sent, backs off,
/// is held by the person or has failed. What holds a waiting file back is looked up when a lane is free,
/// so nobody waits in a second line:
///
/// - the number of lanes, and whether the person lets anything begin;
/// - its target's own concurrency;
/// - its server's `Breaker`;
/// - its target's `Credentials`.
///
/// Each route (a target at an origin) keeps its waiting files in order, so that a route that is held
/// back costs one look and not one for each of its files.
public struct Scheduler: Sendable {
  /// A file, as far as its turn and its company depend on it.
  public struct File: Hashable, Sendable {
    /// Its name in the queue.
    public var id: ItemID
    /// Its size in bytes.
    public var bytes: Int64
    /// The form field that carries it, where it is not the target's.
    public var field: String?
    /// Where it goes.
    public var target: Boxed<Target>
    /// How many attempts it has behind it.
    public var attempts: Int

    /// The file `id`.
    public init(
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
  public enum Action: Hashable, Sendable {
    /// Ask for the next files again at this moment, for nothing can start before.
    case wake(at: Instant)
    /// Run the command that gives this route's token.
    case renew(Route, TokenCommand)
    /// These files need not wait any longer: they fail, for this reason.
    case giveUp([ItemID], Failure)
    /// Tell what is known of a server.
    case server(Origin, Reachability)
    /// Tell whether a target's credentials are refused, so that what goes there waits.
    case refusal(target: String, isRefused: Bool)
  }

  /// Why a file is out of the line. It keeps its place there.
  public enum HoldReason: Hashable, Sendable {
    /// It comes back by itself after a delay.
    case backOff
    /// The person holds it.
    case held
    /// It is over, and comes back only if the person wants it to.
    case over
  }

  /// Where a file is.
  enum Place: Hashable, Sendable {
    /// In line. Goes to `lane` when it starts, to `away` when it is parked.
    case line
    /// On this lane: it is being sent. Goes to `line` when it is queued again or did not start after
    /// all, to `away` when it ends.
    case lane(Int)
    /// Out of the line. Goes to `line` when it is queued; out of a back-off also to `lane`, together
    /// with the rest of its group.
    case away(HoldReason)

    /// Whether it will be sent unless somebody says otherwise.
    var isLive: Bool {
      switch self {
      case .line, .lane, .away(.backOff): true
      case .away(.held), .away(.over): false
      }
    }
  }

  struct Entry: Sendable {
    var file: File
    var route: Int
    var rank: Int64
    var place: Place
    /// With whom it goes, once that is settled.
    var group: Int?
  }

  /// What is shared by the files of a route.
  struct RouteState: Sendable {
    let route: Route
    /// Its target's number.
    let target: Int
    /// Its files in line.
    var ready = RankedSet()
    /// How many of its files will be sent unless somebody says otherwise.
    var live = 0
    /// How many lanes it takes.
    var underWay = 0
    /// Nil as long as there was no need of any.
    var credentials: Credentials?
    /// Why they are closed.
    var failure: Failure?
    /// Who shows whether they are good.
    var probe: Probe?
  }

  /// The file that goes ahead of all others of its route.
  struct Probe: Sendable {
    let id: ItemID
    /// Whether the person has chosen it.
    let isChosen: Bool
    /// The lane that it takes.
    var lane: Int?
  }

  /// How much of a target is sent at once.
  struct TargetState: Sendable {
    /// What its configuration says.
    var concurrency: Int
    /// What the person has said since.
    var wish: Int?
    /// How many lanes it takes.
    var underWay = 0

    var isFull: Bool { underWay >= max(1, wish ?? concurrency) }
  }

  /// A server that could not be reached.
  struct Server: Sendable {
    var breaker: Breaker
    var failure: Failure
    /// Whether somebody was told.
    var isTold = false
    /// The probe's lane.
    var lane: Int?
    /// Who shall be the next probe, by the person's wish.
    var chosen: ItemID?
  }

  /// One request under way.
  struct Lane: Sendable {
    let route: Int
    var files = 0
  }

  /// Whether further files begin.
  public private(set) var isStarted = true
  /// Whether a server that cannot be reached is waited for, however long. Otherwise all that waits for it
  /// is given up once its breaker has opened as often as the target allows attempts.
  public let waitsForServers: Bool

  var entries: [ItemID: Entry] = [:]
  /// All files in the order of the line.
  var order = RankedSet()
  var routes: [RouteState] = []
  var targets: [TargetState] = []
  var servers: [Origin: Server] = [:]
  var groups: [Int: [ItemID]] = [:]
  var lastGroup = 0
  private(set) var laneCount: Int
  private var lanes: [Int: Lane] = [:]
  private var lastLane = 0
  private var routeNumbers: [Route: Int] = [:]
  private var targetNumbers: [String: Int] = [:]
  private var lastRoute: (target: Boxed<Target>, number: Int)?

  /// A scheduler without files.
  ///
  /// - Parameters:
  ///   - lanes: how many requests are under way at once, from 1.
  ///   - waitsForServers: whether servers that cannot be reached are waited for.
  public init(lanes: Int, waitsForServers: Bool = false) {
    laneCount = max(1, lanes)
    self.waitsForServers = waitsForServers
  }

  /// Whether asking for the next files may have an answer.
  public var mayStart: Bool {
    isStarted && lanes.count < laneCount && routes.contains { !$0.ready.isEmpty }
  }

  // MARK: Files

  /// Puts files at the end of the line. One that is known already is changed where it stands, and waits.
  public mutating func add(_ files: [File]) -> [Action] {
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
  public mutating func remove(_ id: ItemID) -> [Action] {
    let actions = put(id, in: .away(.over))
    if let entry = entries.removeValue(forKey: id) { order.remove(entry.rank) }
    return actions
  }

  /// Changes where and how a file shall be sent. It keeps its place.
  public mutating func change(_ file: File) -> [Action] {
    guard let entry = entries[file.id] else { return [] }
    let old = entry.route
    let new = number(of: file.target)
    if Batch.Kind(of: file) != Batch.Kind(of: entry.file) { dissolveGroup(of: file.id) }
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
  /// - Parameter attempts: how many it has behind it.
  public mutating func queue(_ id: ItemID, attempts: Int) -> [Action] {
    entries[id]?.file.attempts = attempts
    return put(id, in: .line)
  }

  /// A file leaves its lane or the line. It keeps its place.
  public mutating func park(_ id: ItemID, _ absence: HoldReason) -> [Action] {
    put(id, in: .away(absence))
  }

  /// Puts a file in another place, and keeps in step what depends on it.
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

  /// Changes how many requests are under way at once. None is broken off for it.
  public mutating func setLanes(_ count: Int) { laneCount = max(1, count) }

  /// Changes how many requests to a target are under way at once, whatever its configuration says.
  public mutating func setConcurrency(_ count: Int, of target: String) {
    let number = targetNumbers[target] ?? targets.count
    if number == targets.count { targets.append(TargetState(concurrency: count)) }
    targetNumbers[target] = number
    targets[number].wish = count
  }

  /// Holds or lets go the start of further files. Whoever says "go on" means those as well that wait for
  /// better credentials.
  public mutating func setStarted(_ isStarted: Bool) -> [Action] {
    self.isStarted = isStarted
    return isStarted ? tryCredentials() : []
  }

  var hasFreeLane: Bool { lanes.count < laneCount }

  /// Takes a lane for files of a route.
  mutating func occupyLane(on route: Int) -> Int {
    lastLane += 1
    lanes[lastLane] = Lane(route: route)
    routes[route].underWay += 1
    targets[routes[route].target].underWay += 1
    return lastLane
  }

  /// One file leaves a lane. It is free when the last one has left.
  private mutating func leave(_ number: Int) {
    guard let lane = lanes[number] else { return }
    guard lane.files <= 1 else {
      lanes[number]?.files -= 1
      return
    }
    lanes[number] = nil
    routes[lane.route].underWay -= 1
    targets[routes[lane.route].target].underWay -= 1
    // Where its end has said nothing of the server or the credentials, the next one may.
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
