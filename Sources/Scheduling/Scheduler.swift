import UploadModel

/// Decides what is sent next: one ordered line of files, and the conditions that hold each of them back. Events in,
/// actions out; it does no I/O and reads no clock.
///
/// A file keeps its place in line for as long as it is known, even while it is sent, backs off, is paused or has
/// failed. The conditions that hold a waiting file back are checked when a lane is free, so there is no second line:
///
/// - the number of lanes, and whether the user lets anything start;
/// - its target's own concurrency;
/// - its server's `Breaker`, and the wait that its server has asked for;
/// - its target's `Credentials`;
/// - its target's run, which is opened before the target's first file and closed after the last.
///
/// Each route (a target at an origin) keeps its waiting files in order, so that a route that is held back costs one
/// check, not one check for each of its files.
///
/// It cannot be copied: every question that the engine asks it would copy all of it first.
package struct Scheduler: ~Copyable, Sendable {
  /// A file, as far as scheduling and batching depend on it.
  package struct File: Hashable, Sendable {
    package var id: ItemID
    var bytes: Int64
    /// The form field that carries the file, if that is not the target's own field.
    @Rare var field: String?
    /// Where the file goes, shared with the other files that go there.
    package var plan: SendPlan
    /// How many attempts the file has had.
    var attempts: Int
    /// Whether its server, asked before the next attempt, has answered that it does not have the file.
    fileprivate(set) var isKnownMissing = false

    package init(
      id: ItemID, bytes: Int64 = 0, field: String? = nil, plan: SendPlan, attempts: Int = 0
    ) {
      (self.id, self.bytes, self.field) = (id, bytes, field)
      (self.plan, self.attempts) = (plan, attempts)
    }

    /// How many files the file's server can be asked about in one request; 1 if the server need not be asked about this
    /// file.
    fileprivate var mostAsked: Int {
      isKnownMissing ? 1 : plan.mostAsked
    }
  }

  /// What to do, in order.
  package enum Action: Hashable, Sendable {
    /// Ask for the next files again at this time; nothing can start before then.
    case wake(at: Instant)
    /// Run the command that gives this route's token.
    case renew(Route, TokenCommand)
    /// Fail this waiting file: it shows why the others wait.
    case fail(ItemID, Failure)
    /// Give up these waiting files, because of what became of others; in a few words.
    case giveUp([ItemID], because: String)
    case server(Origin, Reachability)
    /// Report why a target's files wait for credentials, or go one at a time; nil if they do no longer.
    case refusal(target: String, CredentialTrouble?)
    /// Report until when a target's pace holds back its files; nil if it does no longer.
    case pace(target: String, until: Instant?)
  }

  /// Why a file does not wait in line. The file keeps its place.
  package enum HoldReason: Hashable, Sendable {
    /// It comes back by itself after a delay.
    case backOff
    /// The user holds it.
    case held
    /// Its upload has ended, and it comes back only if the user wants it to.
    case over
  }

  /// Whether further files may start.
  package private(set) var isStarted = true
  /// Whether to wait for unreachable servers indefinitely. If not, all files for a server fail once its breaker has
  /// opened as many times as the target allows attempts.
  package let waitsForServers: Bool
  /// Whether files wait for the user if their credentials are refused.
  package let waitsForPerson: Bool

  private(set) var entries = ItemTable<Entry>()
  /// All files in the order of the line.
  private(set) var order = RankedSet()
  private(set) var routes: [RouteState] = []
  private(set) var targets: [TargetLanes] = []
  private(set) var servers: [Origin: UnreachableServer] = [:]
  private var waits = ServerWaits()
  private(set) var groups = BatchGroups()
  /// The most requests under way at once.
  package let laneCount: Int
  private(set) var lanes: [Int: Lane] = [:]
  private var lastLane = 0
  private(set) var lanesTaken = 0
  /// The most requests that were under way at once.
  package private(set) var mostTaken = 0
  private(set) var routeNumbers: [Route: Int] = [:]
  private var targetNumbers: [String: Int] = [:]
  private var lastRoute: (plan: SendPlan, number: Int)?
  /// The targets that refused the credentials of another process, until the first of their files comes.
  private var refusedBefore: [String: CredentialTrouble] = [:]

  /// A scheduler without files. `waitsForPerson` is by default the same as `waitsForServers`.
  package init(lanes: Int, waitsForServers: Bool = false, waitsForPerson: Bool? = nil) {
    laneCount = max(1, lanes)
    self.waitsForServers = waitsForServers
    self.waitsForPerson = waitsForPerson ?? waitsForServers
  }

  /// Whether `next` may find files that can start.
  package var mayStart: Bool {
    isStarted
      && (lanesTaken < laneCount || targets.indices.contains { hasRoomAhead(ofTargetAt: $0) })
      && routes.contains { !$0.ready.isEmpty }
  }

  /// Lets files wait from the start whose targets refused the credentials of the process before this one. If the user
  /// wants, or has changed them, they are tried.
  package mutating func recordRefusedBefore(_ troubles: [String: CredentialTrouble]) {
    refusedBefore = troubles.filter(\.value.holdsAll)
  }

  // MARK: Files

  /// Appends files to the line. A file that is already known is updated, keeps its place, and waits.
  package mutating func add(_ files: [File]) -> [Action] {
    var actions: [Action] = []
    for file in files {
      if entries[file.id] != nil {
        actions += change(file) + queue(file.id, attempts: file.attempts)
        continue
      }
      let entry = Entry(
        file: file, route: number(of: file.plan), rank: lastRank(), place: .line)
      entries[file.id] = entry
      order.insert(entry.ranked)
      routes[entry.route].add(entry)
    }
    return actions
  }

  package mutating func remove(_ id: ItemID) -> [Action] {
    let actions = put(id, in: .away(.over))
    if let entry = entries.removeValue(forKey: id) { order.remove(entry.rank) }
    return actions
  }

  /// Changes where and how a file is sent. It keeps its place.
  package mutating func change(_ file: File) -> [Action] {
    guard var entry = entries[file.id] else { return [] }
    let old = entry.route
    let new = number(of: file.plan)
    if !file.goes(with: entry.file) { groups.dissolve(with: file.id) }
    entries[file.id]?.file = file
    guard new != old else { return [] }
    entries[file.id]?.route = new
    routes[old].remove(entry)
    entry.route = new
    routes[new].add(entry)
    return entry.place.isLive ? giveUpProbing(with: file.id, on: old) + recordUnneeded(old) : []
  }

  /// Puts a file back at its place in line, after this many attempts.
  package mutating func queue(_ id: ItemID, attempts: Int) -> [Action] {
    entries[id]?.file.attempts = attempts
    return put(id, in: .line)
  }

  /// Takes a file off its lane or out of the line. It keeps its place.
  package mutating func park(_ id: ItemID, _ absence: HoldReason) -> [Action] {
    put(id, in: .away(absence))
  }

  /// Moves a file to another place and updates everything that depends on it.
  private mutating func put(_ id: ItemID, in place: Place) -> [Action] {
    guard var entry = entries[id], entry.place != place else { return [] }
    let old = entry.place
    entries[id]?.place = place
    routes[entry.route].remove(entry)
    entry.place = place
    routes[entry.route].add(entry)
    if case .lane(let number) = place { lanes[number]?.files += 1 }
    if case .lane(let number) = old { leave(number) }
    guard !place.isLive else { return [] }
    groups.dissolve(with: id)
    return old.isLive ? giveUpProbing(with: id, on: entry.route) + recordUnneeded(entry.route) : []
  }

  /// The number of the route that leads to a target.
  private mutating func number(of plan: SendPlan) -> Int {
    if let lastRoute, lastRoute.plan === plan { return lastRoute.number }
    let route = plan.route
    let number = routeNumbers[route] ?? routes.count
    if number == routes.count {
      routes.append(RouteState(route: route, target: self.number(ofTarget: route.target)))
      routeNumbers[route] = number
      if let trouble = refusedBefore.removeValue(forKey: route.target) {
        routes[number].credentials.close(
          because: trouble, hasCommand: plan.target.tokenCommand != nil)
      }
    }
    targets[routes[number].target].configured = plan.target.concurrency
    lastRoute = (plan, number)
    return number
  }

  private mutating func number(ofTarget name: String) -> Int {
    if let number = targetNumbers[name] { return number }
    targets.append(TargetLanes(name: name))
    targetNumbers[name] = targets.count - 1
    return targets.count - 1
  }

  // MARK: Lanes

  /// Sets the number of concurrent requests to a target, overriding its configuration. Returns the number that it gets
  /// now, if that is found.
  @discardableResult
  package mutating func setConcurrency(_ count: Concurrency, of target: String) -> Int? {
    let number = number(ofTarget: target)
    targets[number].wish = count
    return targets[number].tuner?.lanes
  }

  /// Stops or resumes giving out files of a target, except `key`.
  package mutating func setShut(_ isShut: Bool, of target: String, except key: ItemID? = nil) {
    guard let number = targetNumbers[target] else { return }
    (targets[number].isShut, targets[number].key) = (isShut, key)
  }

  /// Whether no file of a target waits, is under way or is held by the user.
  package func isIdle(_ target: String) -> Bool {
    guard let number = targetNumbers[target] else { return true }
    return routes.allSatisfy { $0.target != number || $0.live == 0 && $0.held == 0 }
  }

  /// The files of a target that wait or back off, in order.
  package func waiting(for target: String) -> [ItemID] {
    guard let number = targetNumbers[target] else { return [] }
    return waiting { routes[$0].target == number }
  }

  /// Stops or resumes starting files. Resuming also retries credentials.
  package mutating func setStarted(_ isStarted: Bool) -> [Action] {
    self.isStarted = isStarted
    return isStarted ? tryCredentials() : []
  }

  func hasLane(for target: Int) -> Bool {
    lanesTaken < laneCount && targets[target].underWay < targets[target].most
  }

  /// Takes a lane for a request on a route, or lets the request wait for a lane if none is free.
  private mutating func occupyLane(on route: Int, isAhead: Bool) -> Int {
    lastLane += 1
    lanes[lastLane] = Lane(route: route, isAhead: isAhead)
    routes[route].underWay += 1
    count(1, isAhead: isAhead, on: route)
    return lastLane
  }

  private mutating func count(_ one: Int, isAhead: Bool, on route: Int) {
    targets[routes[route].target].count(one, isAhead: isAhead)
    guard !isAhead else { return }
    lanesTaken += one
    mostTaken = max(mostTaken, lanesTaken)
  }

  /// Takes a file off its lane. The lane is free once its last file has left.
  private mutating func leave(_ number: Int) {
    guard let lane = lanes[number] else { return }
    guard lane.files <= 1 else {
      lanes[number]?.files -= 1
      return
    }
    lanes[number] = nil
    routes[lane.route].underWay -= 1
    count(-1 - lane.more, isAhead: lane.isAhead, on: lane.route)
    // If this request's result said nothing about the server or the credentials, the result of the next request may.
    if let origin = routes[lane.route].route.origin { servers[origin]?.recordLeft(number) }
    routes[lane.route].credentials.recordLeft(number)
  }
}

/// Files that are sent in several requests at once.
extension Scheduler {
  /// Takes another lane for a file that already has a lane, if another is free. Returns whether it took one.
  ///
  /// Call it when `next` has given out all files that can start.
  package mutating func takeLane(beside id: ItemID, at now: Instant) -> Bool {
    guard isStarted, case .lane(let number)? = entries[id]?.place, let lane = lanes[number],
      !lane.isAhead, case let route = routes[lane.route], hasLane(for: route.target),
      targets[route.target].ahead == 0,
      targets[route.target].nextBegin(at: now) == nil,
      route.credentials.permission(hasCommand: false) == .go,
      waits.until(route.route.origin, at: now) == nil,
      route.route.origin.map({ servers[$0] == nil }) ?? true
    else { return false }
    lanes[number]?.more += 1
    count(1, isAhead: false, on: lane.route)
    targets[route.target].recordBegin(at: now)
    return true
  }

  /// Gives back all lanes of a file except the number that it still needs. Returns whether any were given back.
  package mutating func giveBackLanes(of id: ItemID, but needed: Int) -> Bool {
    let more = max(0, needed - 1)
    guard case .lane(let number)? = entries[id]?.place, let lane = lanes[number], lane.more > more
    else { return false }
    count(more - lane.more, isAhead: false, on: lane.route)
    lanes[number]?.more = more
    return true
  }
}

/// Targets for which the number of lanes is found.
extension Scheduler {
  /// Whether the number of lanes for a file's target is found.
  package func isTuned(for id: ItemID) -> Bool {
    guard let number = target(of: id) else { return false }
    return targets[number].isTuned
  }

  /// Records what happened to a request of a file, and what the server answered. Returns the target and its new number
  /// of lanes, if that has changed.
  package mutating func tune(
    for id: ItemID, because why: String? = nil, at now: Instant,
    _ event: (inout ConcurrencyTuner, _ underWay: Int) -> Void
  ) -> (target: String, lanes: Int, isFewer: Bool)? {
    guard let number = target(of: id), targets[number].isTuned else { return nil }
    let (before, underWay) = (targets[number].most, targets[number].underWay)
    targets[number].tune(because: why, at: now) { event(&$0, underWay) }
    let lanes = targets[number].most
    return lanes == before ? nil : (targets[number].name, lanes, lanes < before)
  }

  /// Why a target has fewer lanes than before, if its server's answers are the reason.
  package func laneFall(of target: String) -> LaneFall? {
    targetNumbers[target].flatMap { targets[$0].fall }
  }

  /// Records which targets have free lanes now that everything that can start has started. Returns the targets whose
  /// number of lanes has changed.
  package mutating func recordIdleLanes(at now: Instant) -> [(target: String, lanes: Int)] {
    var changed: [(target: String, lanes: Int)] = []
    // If all lanes of the process are taken, files may be waiting for one: this target then lacks lanes, not files.
    guard lanesTaken < laneCount else { return [] }
    for number in targets.indices
    where targets[number].isTuned && targets[number].hasIdleLanes {
      let before = targets[number].most
      targets[number].tune { $0.recordIdleLanes(at: now) }
      let lanes = targets[number].most
      if lanes != before { changed.append((targets[number].name, lanes)) }
    }
    return changed
  }

  /// Reports until when paces hold back files that could begin otherwise. Call it when `next` has given out all files
  /// that can start.
  package mutating func reportPaces(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for number in targets.indices where targets[number].mayBeHeld {
      let isWaiting =
        isStarted && hasLane(for: number)
        && routes.contains { $0.target == number && !$0.ready.isEmpty }
      let until = isWaiting ? targets[number].nextBegin(at: now) : nil
      guard targets[number].noteHold(until: until, at: now) else { continue }
      actions.append(.pace(target: targets[number].name, until: until))
    }
    return actions
  }

  private func target(of id: ItemID) -> Int? { entries[id].map { routes[$0.route].target } }
}

/// The state of files, routes, targets, servers and lanes.
extension Scheduler {
  /// Where a file is.
  enum Place: Hashable, Sendable {
    /// In line. Goes to `lane` when the file starts, and to `away` when it is parked.
    case line
    /// On this lane, being sent. Goes to `line` when the file is queued again or did not start after all, and to `away`
    /// when its upload ends.
    case lane(Int)
    /// Not in line. Goes to `line` when the file is queued. A file that backs off can also go to `lane`, together with
    /// the other files of its group.
    case away(HoldReason)

    /// Whether the file will be sent without further action.
    var isLive: Bool {
      switch self {
      case .line, .lane, .away(.backOff): true
      case .away(.held), .away(.over): false
      }
    }

    /// Whether the file waits or backs off.
    var isAvailable: Bool { self == .line || self == .away(.backOff) }
  }

  /// A file in the scheduler. There can be hundreds of thousands, so an entry takes as little room as possible.
  struct Entry: Sendable {
    var file: File
    private var routeNumber: Int32
    var rank: Int64
    var place: Place

    init(file: File, route: Int, rank: Int64, place: Place) {
      (self.file, self.rank, self.place) = (file, rank, place)
      routeNumber = Int32(clamping: route)
    }

    var route: Int {
      get { Int(routeNumber) }
      set { routeNumber = Int32(clamping: newValue) }
    }

    var ranked: RankedSet.Entry { RankedSet.Entry(rank: rank, id: file.id) }
  }

  /// What the files of a route share.
  struct RouteState: Sendable {
    let route: Route
    /// The number of the route's target.
    let target: Int
    /// The route's files in line.
    var ready = RankedSet()
    /// How many of the route's files will be sent without further action.
    var live = 0
    /// How many of the route's files the user holds.
    var held = 0
    /// How many lanes it takes.
    var underWay = 0
    var credentials = RouteCredentials()

    mutating func add(_ entry: Entry) {
      if entry.place == .line { ready.insert(entry.ranked) }
      if entry.place == .away(.held) { held += 1 }
      if entry.place.isLive { live += 1 }
    }

    mutating func remove(_ entry: Entry) {
      if entry.place == .line { ready.remove(entry.rank) }
      if entry.place == .away(.held) { held -= 1 }
      if entry.place.isLive { live -= 1 }
    }
  }

  /// One request, under way or prepared ahead.
  struct Lane: Sendable {
    let route: Int
    /// Whether the request waits until another request ends.
    var isAhead: Bool
    var files = 0
    /// How many more lanes its file takes, if the file is sent in several requests at once.
    var more = 0
  }
}

/// Which file is next.
extension Scheduler {
  /// Puts the files of the next request on a lane, or gives them out before a lane is free, and returns them. Returns
  /// no files if nothing can start now.
  package mutating func next(at now: Instant) -> (files: [ItemID], actions: [Action]) {
    var actions: [Action] = []
    waits.prune(at: now)
    while mayStart {
      var best: Candidate?
      var wake: Instant?
      for route in routes.indices where !routes[route].ready.isEmpty {
        switch decision(on: route, at: now) {
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

  /// Puts files that did not start after all back in line.
  package mutating func recordNotStarted(_ files: [ItemID]) -> [Action] {
    files.flatMap { put($0, in: .line) }
  }

  /// The first file of a route that may start.
  private struct Candidate {
    let id: ItemID
    let rank: Int64
    let route: Int
    /// Whether no other file may join the request.
    var isAlone = false
    /// The command that must run first.
    var command: TokenCommand?
  }

  private enum StartDecision {
    case candidate(Candidate)
    /// Nothing starts before this moment.
    case later(Instant)
    /// Nothing starts until something else changes, such as a lane becoming free.
    case held
  }

  /// The file that may start on a route, if any.
  private func decision(on route: Int, at now: Instant) -> StartDecision {
    guard let first = first(of: route), takesLane(first.id) || hasRoomAhead(for: first.id) else {
      return .held
    }
    if let next = targets[routes[route].target].nextBegin(at: now) { return .later(next) }
    var candidate = Candidate(
      id: first.id, rank: first.rank, route: route,
      isAlone: targets[routes[route].target].isShut)
    if let until = waits.until(routes[route].route.origin, at: now) { return .later(until) }
    if !servers.isEmpty, let origin = routes[route].route.origin, let server = servers[origin] {
      // The server may still be unreachable, so risk only one file.
      candidate.isAlone = true
      switch server.permission(at: now) {
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
    case .renew: candidate.command = entries[candidate.id]?.file.plan.target.tokenCommand
    case .probe:
      candidate.isAlone = true
      if let probe = routes[route].credentials.probe {
        guard let entry = entries[probe.id], entry.place == .line else { return .held }
        candidate = Candidate(id: probe.id, rank: entry.rank, route: route, isAlone: true)
      }
    }
    return .candidate(candidate)
  }

  /// The first file that waits on a route. If its target is shut, only the file that may open it counts.
  private func first(of route: Int) -> RankedSet.Entry? {
    let target = routes[route].target
    guard targets[target].isShut else { return routes[route].ready.first }
    guard let key = targets[target].key, let entry = entries[key], entry.place == .line,
      entry.route == route
    else { return nil }
    return entry.ranked
  }

  /// The file that the user has chosen to try a server with, if it can start.
  private func chosen(for server: UnreachableServer) -> Entry? {
    guard let chosen = server.chosen, let entry = entries[chosen], entry.place == .line,
      first(of: entry.route)?.id == chosen || !targets[routes[entry.route].target].isShut,
      permission(on: entry.route, for: chosen) != .wait
    else { return nil }
    return entry
  }

  private func permission(on route: Int, for id: ItemID) -> Credentials.Permission {
    routes[route].credentials.permission(
      hasCommand: entries[id]?.file.plan.target.tokenCommand != nil)
  }

  private mutating func start(_ files: [ItemID], on route: Int, at now: Instant) -> [Action] {
    let lane = occupyLane(on: route, isAhead: files.first.map { !takesLane($0) } ?? false)
    targets[routes[route].target].recordBegin(at: now)
    var actions = files.flatMap { put($0, in: .lane(lane)) }
    if let origin = routes[route].route.origin, let server = servers[origin],
      servers[origin]?.recordStarted(on: lane, at: now) == true, server.isTold
    {
      actions.append(.server(origin, .away(server.failure, nextTry: nil)))
    }
    if let first = files.first { routes[route].credentials.recordStarted(first, on: lane) }
    return actions
  }
}

/// The order of the line.
extension Scheduler {
  /// The initial distance between the ranks of neighbours.
  private static let gap: Int64 = 1 << 32

  /// The rank for a file that comes last.
  private mutating func lastRank() -> Int64 {
    guard let last = order.last else { return 0 }
    if last.rank < .max - Self.gap { return last.rank + Self.gap }
    spread()
    return (order.last?.rank ?? 0) + Self.gap
  }

  /// Moves a file to the place before `other`, or to the end of the line if `other` is nil.
  package mutating func move(_ id: ItemID, before other: ItemID?) {
    guard entries[id] != nil, id != other, let rank = rank(of: id, before: other),
      var entry = entries[id]
    else { return }
    entries[id]?.rank = rank
    order.remove(entry.rank)
    routes[entry.route].remove(entry)
    entry.rank = rank
    order.insert(entry.ranked)
    routes[entry.route].add(entry)
  }

  /// The rank that puts a file before another file, or last; nil if the file is already there.
  private mutating func rank(of id: ItemID, before other: ItemID?) -> Int64? {
    guard let other, let next = entries[other]?.rank else {
      return order.last?.id == id ? nil : lastRank()
    }
    if let previous = order.entry(before: next) {
      if previous.id == id { return nil }
      if next - previous.rank > 1 { return previous.rank + (next - previous.rank) / 2 }
    } else if next >= .min + Self.gap {
      return next - Self.gap
    }
    spread()
    return self.rank(of: id, before: other)
  }

  /// Puts files in this order, within the places that they now occupy.
  package mutating func arrange(_ order: [ItemID]) {
    var named: Set<ItemID> = []
    let known = order.filter { entries[$0] != nil && named.insert($0).inserted }
    let ranks = known.compactMap { entries[$0]?.rank }.sorted()
    for (id, rank) in zip(known, ranks) { entries[id]?.rank = rank }
    rebuild()
  }

  /// Restores the gaps between the ranks of all neighbours.
  private mutating func spread() {
    for (index, entry) in order.entries().enumerated() {
      entries[entry.id]?.rank = Int64(index) * Self.gap
    }
    rebuild()
  }

  /// Sorts everything by the files' current ranks.
  private mutating func rebuild() {
    let sorted = entries.values.map(\.ranked).sorted { $0.rank < $1.rank }
    order = RankedSet(sorted: sorted)
    var ready = [[RankedSet.Entry]](repeating: [], count: routes.count)
    for ranked in sorted {
      if let entry = entries[ranked.id], entry.place == .line { ready[entry.route].append(ranked) }
    }
    for route in routes.indices { routes[route].ready = RankedSet(sorted: ready[route]) }
  }
}

/// Files that are given out before a lane is free for them, a few for each lane, so that their requests are ready
/// in time.
extension Scheduler {
  /// The most bytes of a file that is given out ahead. With larger files this does not pay, since a lane spends its
  /// time sending.
  private static let mostBytes: Int64 = 1 << 20

  /// Sets how many requests to a target are given out ahead of each lane.
  package mutating func setAhead(_ count: Int, of target: String) {
    guard let number = targetNumbers[target] else { return }
    targets[number].setAhead(count)
  }

  /// Records how long a request to a target took, in seconds. Returns how long they take on average.
  package mutating func recordRequest(taking seconds: Double, to target: String) -> Double {
    guard let number = targetNumbers[target] else { return seconds }
    return targets[number].recordRequest(taking: seconds)
  }

  /// Whether a lane is free for a file that was given out ahead.
  package var hasLaneForThoseAhead: Bool {
    targets.indices.contains { targets[$0].ahead > 0 && hasLane(for: $0) }
  }

  /// Whether a file was given out and must wait for a lane.
  package func isAhead(_ id: ItemID) -> Bool { laneAhead(of: id) != nil }

  /// Whether there is now a lane for a file that was given out ahead.
  package func hasLane(for id: ItemID) -> Bool {
    laneAhead(of: id).map { hasLane(for: routes[$0.lane.route].target) } ?? false
  }

  /// Records that a file that was given out ahead takes a lane.
  package mutating func recordBegun(_ id: ItemID) {
    guard let (number, lane) = laneAhead(of: id) else { return }
    lanes[number]?.isAhead = false
    count(-1, isAhead: true, on: lane.route)
    count(1, isAhead: false, on: lane.route)
  }

  private func laneAhead(of id: ItemID) -> (number: Int, lane: Lane)? {
    guard case .lane(let number)? = entries[id]?.place, let lane = lanes[number], lane.isAhead
    else { return nil }
    return (number, lane)
  }

  /// Whether a file that is given out now takes a lane. Those that were given out before it come first: they may be
  /// claimed already, while its claim would keep the lane waiting for the disk.
  private func takesLane(_ id: ItemID) -> Bool {
    guard let target = target(of: id) else { return false }
    return hasLane(for: target) && (targets[target].ahead == 0 || !mayGoAhead(id))
  }

  private func hasRoomAhead(for id: ItemID) -> Bool {
    mayGoAhead(id) && target(of: id).map { hasRoomAhead(ofTargetAt: $0) } == true
  }

  private func mayGoAhead(_ id: ItemID) -> Bool {
    guard let entry = entries[id] else { return false }
    return targets[routes[entry.route].target].aheadOfEach > 0
      && entry.file.bytes <= Self.mostBytes
  }

  private func hasRoomAhead(ofTargetAt index: Int) -> Bool {
    let all = targets.indices.reduce(0) { $0 + targets[$1].ahead }
    return targets[index].hasRoomAhead(
      of: laneCount, free: laneCount - lanesTaken, others: all - targets[index].ahead)
  }
}

/// Batching: which files go in one request.
extension Scheduler {
  /// How far down the line to look for files of the same batch.
  private static let lookAhead = 1000

  /// Fixes a group of files that are sent together and with no other files.
  package mutating func group(_ members: [ItemID]) {
    for id in members { groups.dissolve(with: id) }
    if members.allSatisfy({ entries[$0]?.place.isLive == true }) { groups.add(members) }
  }

  /// The batch led by `id`, which is next.
  mutating func batch(ledBy id: ItemID, isAlone: Bool) -> [ItemID] {
    guard let entry = entries[id] else { return [id] }
    if let members = groups[id] {
      if members.allSatisfy({ entries[$0]?.place.isAvailable == true }) { return members }
      groups.dissolve(with: id)
      return [id]
    }
    guard !isAlone else { return [id] }
    if entry.file.mostAsked > 1 {
      return plan(ledBy: entry, by: BatchRule(maxFiles: entry.file.mostAsked, maxBytes: .max))
    }
    guard let rule = entry.file.plan.target.batch else { return [id] }
    let members = plan(ledBy: entry, by: rule)
    if members.count > 1 { group(members) }
    return members
  }

  private func plan(ledBy first: Entry, by rule: BatchRule) -> [ItemID] {
    let others = routes[first.route].ready.entries(after: first.rank, limit: Self.lookAhead)
    let (entries, groups) = (entries, groups)
    let free = others.lazy.compactMap { entries[$0.id] }.filter { groups[$0.file.id] == nil }
    return Batch.plan(first.file, before: free.map(\.file), by: rule)
  }

  /// How many files, including this one, the server can be asked about in one request before any of them is sent.
  package func mostAsked(with id: ItemID) -> Int { entries[id]?.file.mostAsked ?? 1 }

  package func isKnownMissing(_ id: ItemID) -> Bool { entries[id]?.file.isKnownMissing == true }

  /// Records whether a file's server has said that it does not have the file. Each attempt asks again, so forget this
  /// once an attempt begins.
  package mutating func setKnownMissing(_ isKnownMissing: Bool, of id: ItemID) {
    entries[id]?.file.isKnownMissing = isKnownMissing
  }
}

/// Servers that cannot be reached.
extension Scheduler {
  /// Whether the last attempt to reach a server failed.
  package func isDoubted(_ origin: Origin) -> Bool { servers[origin] != nil }

  /// Records that a server answered, or took something.
  package mutating func recordReached(_ origin: Origin) -> [Action] {
    forget(origin, .back)
  }

  /// Forgets the trouble with a server. Reports how it ended if it was reported.
  private mutating func forget(_ origin: Origin, _ end: Reachability) -> [Action] {
    servers.removeValue(forKey: origin)?.isTold == true ? [.server(origin, end)] : []
  }

  /// Records that the file, sent alone or with others, could not reach its own server. `random` is in 0..<1.
  package mutating func recordUnreachable(
    by id: ItemID, _ failure: Failure, at now: Instant, random: Double
  ) -> [Action] {
    guard let entry = entries[id], let origin = routes[entry.route].route.origin else { return [] }
    let policy = entry.file.plan.target.retry
    var server =
      servers[origin]
      ?? UnreachableServer(failure, policy: policy, isPatient: waitsForServers)
    let until = server.recordUnreachable(failure, at: now, random: random)
    if until != nil, !waitsForServers, server.openings >= policy.attempts {
      return forget(origin, .unneeded)
        + giveUp(waiting { routes[$0].route.origin == origin }, because: failure)
    }
    servers[origin] = server
    return until.map { [.server(origin, .away(failure, nextTry: $0))] } ?? []
  }

  /// Lets these files be sent now, as the user wants. A file that its server or its target's credentials hold back goes
  /// ahead of the others as a probe.
  package mutating func tryNow(_ files: [ItemID], at now: Instant) -> [Action] {
    var actions: [Action] = []
    for id in files {
      guard let entry = entries[id] else { continue }
      groups.dissolve(with: id)
      actions += tryCredentials(of: entry.route, with: id)
      targets[routes[entry.route].target].tune { $0.tryNow(at: now) }
      if let origin = routes[entry.route].route.origin { actions += endWait(of: origin, at: now) }
      if let origin = routes[entry.route].route.origin {
        servers[origin]?.tryNow(at: now)
        servers[origin]?.choose(id) { entries[$0]?.place == .line }
      }
    }
    return actions
  }

  /// Lets every server and all credentials be tried now, as the user wants.
  package mutating func tryEverything(at now: Instant) -> [Action] {
    let ended = waits.removeAll().map { origin, failure in
      Action.server(origin, .asksToWait(failure, until: now))
    }
    for origin in servers.keys { servers[origin]?.tryNow(at: now) }
    for number in targets.indices { targets[number].tune { $0.tryNow(at: now) } }
    refusedBefore = [:]
    return ended + tryCredentials()
  }

  /// Forgets the trouble with a route's server if no file is left that would try the server.
  private mutating func recordUnneeded(_ route: Int) -> [Action] {
    guard !servers.isEmpty, routes[route].live == 0, let origin = routes[route].route.origin,
      !routes.contains(where: { $0.live > 0 && $0.route.origin == origin })
    else { return [] }
    return forget(origin, .unneeded)
  }

  /// The files that wait or back off on certain routes, in order.
  func waiting(on isConcerned: (Int) -> Bool) -> [ItemID] {
    let concerned = Set(routes.indices.filter(isConcerned))
    return entries.values.filter { concerned.contains($0.route) && $0.place.isAvailable }
      .sorted { $0.rank < $1.rank }.map(\.file.id)
  }

  func giveUp(_ files: [ItemID], because failure: Failure) -> [Action] {
    files.isEmpty ? [] : [.giveUp(files, because: failure.obstacle)]
  }
}

/// Servers that ask to wait.
extension Scheduler {
  /// Records that servers have asked, by a failure that says how long, not to be asked again before a moment.
  package mutating func recordWait(
    of origins: Set<Origin>, until: Instant, _ failure: Failure, of item: ItemID? = nil
  ) -> [Action] {
    origins.filter { waits.record($0, until: until, failure) }
      .map { .server($0, .asksToWait(failure, until: until, by: item)) }
  }

  /// Sends to a server although it has asked to wait, as the user wants.
  private mutating func endWait(of origin: Origin, at now: Instant) -> [Action] {
    waits.remove(origin).map { [.server(origin, .asksToWait($0, until: now))] } ?? []
  }

  /// The actions that fail the files whose targets do not allow waits as long as those that their servers ask for.
  private func tooLongWaits(at now: Instant) -> [Action] {
    guard !waits.isEmpty else { return [] }
    return routes.indices.flatMap { number -> [Action] in
      guard let first = routes[number].ready.first,
        let policy = entries[first.id]?.file.plan.target.retry,
        let failure = waits.failure(
          for: routes[number].route.origin,
          longerThan: policy.longestWait(isPatient: waitsForServers), at: now)
      else { return [] }
      return giveUp(waiting { $0 == number }, because: failure)
    }
  }
}

/// Credentials: which files may start with them, and which one probes them.
extension Scheduler {
  /// The number of the token in force on a route.
  package func token(on route: Route) -> Int {
    routeNumbers[route].map { routes[$0].credentials.token } ?? 0
  }

  /// Records that the server accepted an upload that was sent with a token.
  package mutating func recordAccepted(on route: Route, with token: Int, hasCommand: Bool)
    -> [Action]
  {
    guard let number = routeNumbers[route] else { return [] }
    return change(number, hasCommand: hasCommand) { $0.recordAccepted(with: token) }
  }

  /// Records that the server answered 401 or 403 to an upload of these files that was sent with a token. `isSecondTime`
  /// says whether one of them was already sent again for this reason. `failure` says why the waiting files do not start,
  /// if the credentials are closed.
  package mutating func recordRefused(
    _ files: [ItemID], on route: Route, with token: Int, status: Int, isSecondTime: Bool,
    command: TokenCommand?, _ failure: Failure
  ) -> (Credentials.Consequence, [Action]) {
    guard let number = routeNumbers[route], let first = files.first else { return (.stands, []) }
    var consequence = Credentials.Consequence.stands
    var actions = change(number, hasCommand: command != nil, because: failure) {
      consequence = $0.recordRefused(
        first, status: status, with: token, isSecondTime: isSecondTime)
    }
    if consequence == .renew, let command { actions.append(.renew(route, command)) }
    return (consequence, actions)
  }

  /// Records that a route's command gave a token.
  package mutating func recordRenewed(_ route: Route, isNew: Bool = true) -> [Action] {
    guard let number = routeNumbers[route] else { return [] }
    return change(number, hasCommand: true) { $0.recordRenewed(isNew: isNew) }
  }

  /// Records that a route's command failed.
  package mutating func recordRenewalFailure(_ route: Route, _ failure: Failure) -> [Action] {
    guard let number = routeNumbers[route] else { return [] }
    let probe = routes[number].credentials.probe?.id
    let actions = change(number, hasCommand: true, because: failure) { $0.recordRenewalFailure() }
    // One file shows the failure. The others wait until it is retried, or are given up.
    let chosen = probe.flatMap { entries[$0]?.place == .line ? $0 : nil }
    guard let first = chosen ?? routes[number].ready.first?.id else { return actions }
    return actions + [.fail(first, failure)]
  }

  /// Retries all refused credentials. The first file in line probes them.
  private mutating func tryCredentials() -> [Action] {
    routes.indices.flatMap { change($0) { $0.tryAgain() } }
  }

  /// Retries the credentials of a route, with a file that the user has chosen as the probe.
  private mutating func tryCredentials(of route: Int, with id: ItemID) -> [Action] {
    let actions = change(route) { $0.tryAgain() }
    routes[route].credentials.choose(id) { entries[$0]?.place == .line }
    return actions
  }

  /// Marks a route's token as being fetched, and returns the action that fetches it.
  mutating func renew(_ route: Int, with command: TokenCommand) -> Action {
    routes[route].credentials.change(hasCommand: true) { $0.recordRenewing() }
    return .renew(routes[route].route, command)
  }

  /// Records that a file is gone, or goes elsewhere. If it was chosen as the probe, another file takes its place.
  private mutating func giveUpProbing(with id: ItemID, on route: Int) -> [Action] {
    let isLast = routes[route].credentials.giveUpProbing(with: id) {
      entries[$0]?.place == .line && entries[$0]?.route == route
    }
    return isLast ? change(route) { $0.recordGivenUp() } : []
  }

  /// The actions that fail all files with nothing left to wait for. Refused credentials are not among the reasons if
  /// the user may come and help.
  package func giveUps(at now: Instant) -> [Action] {
    guard !waitsForPerson else { return tooLongWaits(at: now) }
    return tooLongWaits(at: now)
      + routes.indices.flatMap { number -> [Action] in
        let route = routes[number]
        guard route.live > 0, route.underWay == 0, route.credentials.isClosed,
          let failure = route.credentials.failure
        else { return [] }
        return giveUp(waiting { $0 == number }, because: failure)
      }
  }

  /// Changes the state of a route's credentials. Reports what is new for its files: that they wait, for `failure`, or
  /// go one at a time, or no longer.
  private mutating func change(
    _ number: Int, hasCommand: Bool? = nil, because failure: Failure? = nil,
    _ body: (inout Credentials) -> Void
  ) -> [Action] {
    let before = routes[number].credentials.trouble
    routes[number].credentials.change(hasCommand: hasCommand, because: failure, body)
    let trouble = routes[number].credentials.trouble
    return trouble == before ? [] : [.refusal(target: routes[number].route.target, trouble)]
  }
}
