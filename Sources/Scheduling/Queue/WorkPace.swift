import UploadModel

/// How fast the files of a group are sent, in work per second. Only the time in which any of them is under way counts:
/// files that wait behind others are no slower for that.
///
/// Requests that were begun together are often answered together. So their pace is measured from one answer to another,
/// and what is done within a moment counts as done at once. Bytes mostly flow evenly: the last few seconds tell their
/// pace.
struct WorkPace: Hashable, Sendable, Codable {
  /// Gaps between two files count if they are shorter than this, in seconds.
  private static let moment = 1.0
  /// After this many seconds without files under way, the target counts as held up.
  private static let gap = 3.0
  /// Seconds in which what is done counts as done at once.
  private static let grain = 0.2
  /// What is done in this many seconds at the beginning does not count: buffers on the way fill, and a limit has an
  /// allowance.
  private static let leadIn = 0.5
  /// Replies take some time, so an even pace stays the same until nothing has been done for this many seconds.
  private static let quiet = 2.0
  /// The pace is even if this many steps were no further apart than a second.
  private static let evenSteps = 3
  /// Otherwise, it is that of this many seconds, or of as many more as this many steps take.
  private static let window = 4.0, leastSteps = 4
  /// A pace from a single step is credible if that took this many seconds: what comes before a first request took little
  /// of them.
  private static let longStep = 3.0
  /// Thirty years in seconds: no computer has been running for longer.
  private static let longest = 1e9

  /// The work that had been done by an instant of the clock, and when the step that ended then began.
  private struct Step: Hashable, Codable {
    var beginning: Instant
    var end: Instant
    var work: Int64
  }

  /// Whether most of the work is that of requests.
  private let isOfRequests: Bool
  /// How many files are under way.
  private(set) var active = 0
  /// When any of them was last under way.
  private var last: Instant
  /// For how many seconds any was under way until then. The steps go by this clock.
  private var clock = Instant(seconds: 0)
  /// Whether anything has been done since files were last put under way. A server that is away is tried now and then.
  private var getsThrough = false
  /// The work that has been done.
  private var work: Int64 = 0
  private var estimate = ThroughputEstimate(start: Instant(seconds: 0))
  /// When measuring began.
  private var start = Instant(seconds: 0)
  /// The last steps, and what had been done before them.
  private var steps = [Step(beginning: Instant(seconds: 0), end: Instant(seconds: 0), work: 0)]

  init(ofRequests isOfRequests: Bool, at now: Instant) {
    (self.isOfRequests, last) = (isOfRequests, now)
  }

  /// Whether it can have come about by measuring. One that another process has sent may be anything.
  var isSound: Bool {
    active >= 0 && work >= 0 && !steps.isEmpty && estimate.isSound
      && ([clock, last, start] + steps.flatMap { [$0.beginning, $0.end] })
        .allSatisfy { (0...Self.longest).contains($0.seconds) }
      && zip(steps, steps.dropFirst()).allSatisfy { $0.end <= $1.end && $0.work <= $1.work }
      && steps.allSatisfy { (0...work).contains($0.work) && $0.end <= clock }
  }

  /// Counts files that are under way now, or no longer.
  mutating func count(_ step: Int, at now: Instant) {
    goOn(to: now)
    active = max(0, active + step)
  }

  /// Forgets a file that is under way.
  mutating func leave() { active = max(0, active - 1) }

  /// Records work that has been done.
  mutating func record(_ done: Int64, at now: Instant) {
    goOn(to: now)
    guard done > 0 else { return }
    getsThrough = true
    let (sum, isTooMuch) = work.addingReportingOverflow(done)
    if isTooMuch { return }
    work = sum
    if clock - start < Self.leadIn {
      steps = [Step(beginning: clock, end: clock, work: work)]
    } else if let step = steps.last, steps.count > 1, clock - step.beginning < Self.grain {
      steps[steps.count - 1] = Step(beginning: step.beginning, end: clock, work: work)
    } else {
      steps.append(Step(beginning: clock, end: clock, work: work))
      let old = steps.dropFirst().dropLast(Self.leastSteps)
        .prefix { clock - $0.end >= Self.window }.count
      steps.removeFirst(old)
    }
  }

  private mutating func goOn(to now: Instant) {
    if !isInUse(at: now) { getsThrough = false }
    guard now > last else { return }
    if active > 0 || now - last < Self.moment { clock = clock + (now - last) }
    last = now
  }

  /// Ends a batch of records.
  mutating func settle() { estimate.record(total: work, at: clock) }

  /// Discards what was measured.
  mutating func startOver() {
    (start, estimate) = (clock, estimate.restarted(at: clock))
    steps = [Step(beginning: clock, end: clock, work: work)]
  }

  /// Whether any file has been under way lately.
  func isInUse(at now: Instant) -> Bool { active > 0 || now - last < Self.gap }

  /// Whether any has been under way lately, and something was done.
  func isGoing(at now: Instant) -> Bool { getsThrough && isInUse(at: now) }

  /// Seconds until this much more work is done; nil while there is too little to go by, and if nothing is done.
  func seconds(for work: Double, at now: Instant) -> Double? {
    guard let latest = steps.last else { return nil }
    // A reply to the last file under way is waited for; then the clock stands still.
    let end = active > 0 && now > last ? clock + (now - last) : clock
    let gaps = zip(steps, steps.dropFirst()).map { $1.end - $0.end }
    let isEven = (gaps.suffix(Self.evenSteps) + [end - latest.end - Self.quiet])
      .allSatisfy { $0 <= Self.moment }
    if !isOfRequests, isEven {
      return estimate.eta(
        remaining: Int64(work), at: end - latest.end > Self.quiet ? end : clock)
    }
    return seconds(for: work, gaps, waited: end - latest.end)
  }

  /// The same, by the steps between which there were these gaps. The next step is about as far away as the last ones
  /// were from each other. If it takes longer, the pace falls.
  private func seconds(for work: Double, _ gaps: [Double], waited: Double) -> Double? {
    let time = gaps.reduce(0, +)
    guard time >= (gaps.count > 1 ? Self.leadIn : Self.longStep), let first = steps.first,
      let latest = steps.last
    else { return nil }
    let isLate = waited > max(Self.moment, 1.5 * (gaps.max() ?? 0))
    let speed = Double(latest.work &- first.work) / (isLate ? time + waited : time)
    guard speed > ThroughputEstimate.leastSpeed else { return nil }
    return max(0, work / speed - (isLate ? 0 : waited))
  }
}
