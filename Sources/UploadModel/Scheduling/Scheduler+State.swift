/// What is known of files, routes, targets, servers and lanes.
extension Scheduler {
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

    /// Whether it will be sent without further action.
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
    /// Its group, if it has one.
    var group: Int?
  }

  /// What the files of a route share.
  struct RouteState: Sendable {
    let route: Route
    /// Its target's number.
    let target: Int
    /// Its files in line.
    var ready = RankedSet()
    /// How many of its files will be sent without further action.
    var live = 0
    /// How many lanes it takes.
    var underWay = 0
    /// Nil until they are needed.
    var credentials: Credentials?
    /// Why the credentials are closed.
    var failure: Failure?
    /// The file that probes the credentials.
    var probe: Probe?
  }

  /// The file that probes the credentials of its route.
  struct Probe: Sendable {
    let id: ItemID
    /// Whether the user has chosen it.
    let isChosen: Bool
    /// The lane that it takes.
    var lane: Int?
  }

  /// The concurrency of a target.
  struct TargetState: Sendable {
    /// The configured number.
    var concurrency: Int
    /// The number that the user has chosen since.
    var wish: Int?
    /// How many lanes it takes.
    var underWay = 0
    /// Whether files are given out ahead.
    var givesAhead = false
    /// How many requests wait for a lane.
    var ahead = 0

    /// The most lanes that it may take.
    var most: Int { max(1, wish ?? concurrency) }
  }

  /// A server that could not be reached.
  struct Server: Sendable {
    var breaker: Breaker
    var failure: Failure
    /// Whether this has been reported.
    var isTold = false
    /// The probe's lane.
    var lane: Int?
    /// The next probe, if the user has chosen one.
    var chosen: ItemID?
  }

  /// One request under way, or ahead.
  struct Lane: Sendable {
    let route: Int
    /// Whether it waits until another request ends.
    var isAhead: Bool
    var files = 0
  }
}
