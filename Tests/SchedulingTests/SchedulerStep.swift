/// One event, with the answers that it must get.
struct SchedulerStep: Hashable, Sendable {
  /// Files have numbers. From 100 on, they are large.
  enum Event: Hashable, Sendable {
    case add([Int64], StoryTarget)
    /// Everything starts that can.
    case go
    /// This many of the target's files are given out ahead of each lane.
    case giveAhead(Int, StoryTarget)
    /// A file that was given out ahead takes its lane.
    case begun([Int64])
    /// An upload in pieces asks for one more lane, or gives back all but this many.
    case takeLane(Int64), giveBackLanes(Int64, but: Int)
    case over([Int64]), backOff([Int64]), hold([Int64]), remove([Int64])
    /// They wait again.
    case wait([Int64])
    /// The server was not reached; the file waits again, or is over.
    case unreachable([Int64]), lost([Int64])
    /// The server answered, and the file is over.
    case reached([Int64])
    /// It asked to wait for this many seconds, and the file backs off.
    case asked(Int64, toWait: Double)
    /// It took the file, or answered 401.
    case accepted([Int64]), refused([Int64])
    /// The target's command gave a token, or failed.
    case token(StoryTarget), noToken(StoryTarget)
    /// The process before this one has found the target's credentials to be refused.
    case refusedBefore(StoryTarget)
    /// The user tries files, or everything, again.
    case retry([Int64]), tryEverything
    /// The files go to this target from now on.
    case redirect([Int64], StoryTarget)
    /// The file stands before another one from now on; last if that is `nil`.
    case move(Int64, before: Int64?)
    case arrange([Int64])
    /// The files go in one request.
    case tie([Int64])
    /// The user gives a target this many lanes.
    case lanes(Int, StoryTarget)
    case stop, start
    /// Seconds go by.
    case later(Double)
  }

  /// What a scheduler has done, in the order in which it does it.
  enum Answer: Hashable, Sendable {
    case request([Int64], isAhead: Bool)
    /// It wants to be asked again after this many seconds.
    case wake(after: Int)
    /// It wants the target's token. A target is `nil` here if no story has it.
    case renew(StoryTarget?)
    case fail(Int64, String)
    case giveUp([Int64])
    /// The target's server is away, and is tried again after this many seconds, or now.
    case away(StoryTarget?, next: Int?)
    case back(StoryTarget?), unneeded(StoryTarget?)
    /// The target's server has asked to wait for this many seconds.
    case asksToWait(StoryTarget?, seconds: Int)
    /// The target's pace holds its files back for this many seconds, or does no longer.
    case paced(StoryTarget?, seconds: Int?)
    /// The target's credentials are refused, or tried again.
    case shut(StoryTarget?), tried(StoryTarget?)
    /// Whether an upload in pieces got another lane.
    case lane(Bool)
  }

  let event: Event
  /// `nil` where the answer does not matter.
  var answers: [Answer]?

  private init(_ event: Event, _ answers: [Answer]? = nil) {
    (self.event, self.answers) = (event, answers)
  }

  func gives(_ answers: Answer...) -> Self { Self(event, answers) }
  var givesNothing: Self { Self(event, []) }
}

extension SchedulerStep {
  static func add(_ files: Int64..., to target: StoryTarget) -> Self { Self(.add(files, target)) }
  static let go = Self(.go)
  /// Everything starts that can: these requests, with what else is done meanwhile.
  static func starts(_ answers: Answer...) -> Self { Self(.go, answers) }
  /// The same, for one file in each request.
  static func starts(inOrder files: [Int64]) -> Self {
    Self(.go, files.map { .request([$0], isAhead: false) })
  }
  static let startsNothing = Self(.go, [])
  static func giveAhead(_ target: StoryTarget) -> Self { giveAhead(1, target) }
  static func giveAhead(_ count: Int, _ target: StoryTarget) -> Self {
    Self(.giveAhead(count, target))
  }
  static func begun(_ files: Int64...) -> Self { Self(.begun(files)) }
  static func takesLane(_ file: Int64) -> Self { Self(.takeLane(file), [.lane(true)]) }
  static func getsNoLane(_ file: Int64) -> Self { Self(.takeLane(file), [.lane(false)]) }
  static func giveBackLanes(_ file: Int64, but count: Int) -> Self {
    Self(.giveBackLanes(file, but: count))
  }
  static func over(_ files: Int64...) -> Self { Self(.over(files)) }
  static func backOff(_ files: Int64...) -> Self { Self(.backOff(files)) }
  static func hold(_ files: Int64...) -> Self { Self(.hold(files)) }
  static func remove(_ files: Int64...) -> Self { Self(.remove(files)) }
  static func wait(_ files: Int64...) -> Self { Self(.wait(files)) }
  static func unreachable(_ files: Int64...) -> Self { Self(.unreachable(files)) }
  static func lost(_ files: Int64...) -> Self { Self(.lost(files)) }
  static func reached(_ files: Int64...) -> Self { Self(.reached(files)) }
  static func asked(_ file: Int64, toWait seconds: Double) -> Self {
    Self(.asked(file, toWait: seconds))
  }
  static func accepted(_ files: Int64...) -> Self { Self(.accepted(files)) }
  static func refused(_ files: Int64...) -> Self { Self(.refused(files)) }
  static func token(_ target: StoryTarget) -> Self { Self(.token(target)) }
  static func noToken(_ target: StoryTarget) -> Self { Self(.noToken(target)) }
  static func refusedBefore(_ target: StoryTarget) -> Self { Self(.refusedBefore(target)) }
  static func retry(_ files: Int64...) -> Self { Self(.retry(files)) }
  static let tryEverything = Self(.tryEverything)
  static func redirect(_ files: Int64..., to target: StoryTarget) -> Self {
    Self(.redirect(files, target))
  }
  static func move(_ file: Int64, before next: Int64) -> Self { Self(.move(file, before: next)) }
  static func moveLast(_ file: Int64) -> Self { Self(.move(file, before: nil)) }
  static func arrange(_ files: Int64...) -> Self { Self(.arrange(files)) }
  static func tie(_ files: Int64...) -> Self { Self(.tie(files)) }
  static func lanes(_ count: Int, of target: StoryTarget) -> Self { Self(.lanes(count, target)) }
  static let stop = Self(.stop)
  static let start = Self(.start)
  static func later(_ seconds: Double) -> Self { Self(.later(seconds)) }
}

/// `1` is a request with file 1, `[2, 3]` one with two files.
extension SchedulerStep.Answer: ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
  init(integerLiteral file: Int64) { self = .request([file], isAhead: false) }
  init(arrayLiteral files: Int64...) { self = .request(files, isAhead: false) }

  /// A request that is given out ahead.
  static func ahead(_ files: Int64...) -> Self { .request(files, isAhead: true) }
  /// The server is tried now.
  static func probed(_ target: StoryTarget) -> Self { .away(target, next: nil) }
}
