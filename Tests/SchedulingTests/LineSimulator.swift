import Scheduling
import TestSupport
import UploadModel

/// Files sent to a server over a line, as events in a simulated time. The line's bandwidth is shared evenly, but one
/// connection gets at most a window per round trip. The server works on a limited number of files at once.
struct LineSimulator {
  /// A line and a server.
  struct Conditions {
    var name: String
    /// The round-trip time in seconds.
    var delay: Double
    /// Bits per second.
    var bandwidth: Double
    /// The bytes per second that one connection gets at most, on a line that loses packets.
    var connection = Double.infinity
    var workers = 64
    /// Seconds of work for each file.
    var service: Double
    /// How much of the bandwidth a limit of hoist's own lets through.
    var limit = Double.infinity
    /// Seconds of sending that the buffer in front of the line holds; 0 for a line whose round-trip times are not known.
    var buffer = 0.0
    /// More files at once are refused with this outcome.
    var mostAtOnce = Int.max
    var beyond = ConcurrencyTuner.Outcome.overloaded
    /// The most files within a second. More are refused as too many.
    var mostPerSecond = Int.max
    /// When the number of workers changes, and to what.
    var change: (at: Double, workers: Int)?
    var range = 1...32
  }

  /// What became of a run.
  struct Result {
    var seconds = 0.0
    /// The number of requests under way, on average over time.
    var lanes = 0.0
    var refusals = 0
    /// How often the file that was refused most often was.
    var mostRefusals = 0
    /// The lanes at the end.
    var last = 0
  }

  /// How often the transport looks at what was acknowledged, in seconds.
  private static let interval = 0.1

  private enum Event {
    case arrives(Int)
    case served(Int, ConcurrencyTuner.Outcome)
    case ends(Int, ConcurrencyTuner.Outcome)
    case again(Int)
    case wake
    case look
  }

  private struct Upload {
    let file: Int
    let begin: Double
  }

  private let conditions: Conditions
  private let sizes: [Double]
  /// Decides how many are sent; nil for a fixed number.
  private var tuner: ConcurrencyTuner?
  private let fixed: Int
  private var random: SplitMix64

  private var now = 0.0
  /// The latest first.
  private var events: [(time: Double, event: Event)] = []
  private var uploads: [Upload] = []
  /// What is being sent, and how much each upload will have been able to send by then; the latest first.
  private var sending: [(end: Double, upload: Int)] = []
  /// How many bytes an upload could have sent that has always been sending.
  private var share = 0.0
  private var acknowledged = 0.0
  private var lastEnded: Bool?
  /// When the pace lets the next request begin.
  private var wake = 0.0
  private var waiting: [Int] = []
  private var busy = 0
  private var atServer = 0
  private var accepted: [Double] = []
  private var line: [Int]
  private var refusals: [Int]
  private var connections = 0
  private var underWay = 0

  private init(_ conditions: Conditions, _ sizes: [Int], lanes: Int?, seed: UInt64) {
    self.conditions = conditions
    self.sizes = sizes.map(Double.init)
    fixed = lanes ?? 0
    tuner = lanes == nil ? ConcurrencyTuner(range: conditions.range) : nil
    random = SplitMix64(seed: seed)
    line = Array(sizes.indices.reversed())
    refusals = sizes.map { _ in 0 }
  }

  /// Sends files with this many lanes, or as many as the tuner finds.
  static func run(_ conditions: Conditions, _ sizes: [Int], lanes: Int? = nil, seed: UInt64 = 1)
    -> Result
  {
    var simulator = Self(conditions, sizes, lanes: lanes, seed: seed)
    return simulator.run()
  }

  private var bandwidth: Double { min(conditions.bandwidth / 8, conditions.limit / 8) }
  private var mostOfOne: Double { min(Double(1 << 20) / conditions.delay, conditions.connection) }
  private var lanes: Int { tuner?.lanes ?? fixed }
  private var workers: Int {
    if let change = conditions.change, now >= change.at {
      change.workers
    } else {
      conditions.workers
    }
  }

  private mutating func run() -> Result {
    var (left, used) = (sizes.count, 0.0)
    if tuner != nil { schedule(after: Self.interval, .look) }
    while left > 0 {
      fill()
      let before = now
      used += Double(underWay) * (step() - before)
      if let ended = lastEnded {
        lastEnded = nil
        if ended { left -= 1 }
      }
    }
    return Result(
      seconds: now, lanes: used / now, refusals: refusals.reduce(0, +),
      mostRefusals: refusals.max() ?? 0, last: lanes)
  }

  private mutating func schedule(after delay: Double, _ event: Event) {
    let time = now + delay
    events.insert((time, event), at: Self.place(events.count) { events[$0].time > time })
  }

  /// The first place at which a condition does not hold.
  private static func place(_ count: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func fill() {
    while underWay < lanes, let file = line.last {
      if let next = tuner?.nextBegin(at: Instant(seconds: now)) {
        // The engine asks again then.
        if wake != next.seconds { schedule(after: next.seconds - now + 0.001, .wake) }
        wake = next.seconds
        break
      }
      line.removeLast()
      uploads.append(Upload(file: file, begin: now))
      underWay += 1
      tuner?.recordBegin(at: Instant(seconds: now))
      let isNew = underWay > connections
      connections = max(connections, underWay)
      schedule(after: conditions.delay * (isNew ? 1.5 : 0.5), .arrives(uploads.count - 1))
    }
    if underWay < lanes { tuner?.recordIdleLanes(at: Instant(seconds: now)) }
  }

  /// Goes to the next event, and returns its time.
  private mutating func step() -> Double {
    let rate = sending.isEmpty ? 0 : min(mostOfOne, bandwidth / Double(sending.count))
    let sent = sending.last.map { now + ($0.end - share) / rate } ?? .infinity
    let time = min(sent, events.last?.time ?? .infinity)
    share += rate * (time - now)
    acknowledged += rate * (time - now) * Double(sending.count)
    now = time
    if sent <= time, let upload = sending.popLast()?.upload {
      receive(upload)
    } else if let event = events.popLast()?.event {
      handle(event)
    }
    return time
  }

  /// Reports what was acknowledged.
  private mutating func report() {
    let isFull = Double(sending.count) * mostOfOne > bandwidth
    // Without a buffer, nothing is known of the queue.
    let queue = isFull ? min(conditions.buffer, Double(sending.count << 20) / bandwidth) : 0
    tuner?.recordAcknowledged(
      Int64(acknowledged), roundTrip: conditions.buffer > 0 ? conditions.delay + queue : nil,
      isLimited: isFull && conditions.limit < conditions.bandwidth, underWay: underWay,
      at: Instant(seconds: now))
    acknowledged = 0
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .arrives(let id):
      let end = share + sizes[uploads[id].file]
      sending.insert((end, id), at: Self.place(sending.count) { sending[$0].end > end })
    case .served(let id, let outcome):
      if outcome == .fine {
        busy -= 1
        serve()
      }
      atServer -= 1
      schedule(after: conditions.delay / 2, .ends(id, outcome))
    case .ends(let id, let outcome):
      let upload = uploads[id]
      underWay -= 1
      report()
      tuner?.recordEnd(
        outcome, began: Instant(seconds: upload.begin), underWay: underWay,
        at: Instant(seconds: now))
      lastEnded = outcome == .fine
      guard outcome != .fine else { return }
      refusals[upload.file] += 1
      // As the policy says: 1 s, then twice as long.
      schedule(after: Double(1 << min(refusals[upload.file] - 1, 5)), .again(upload.file))
    case .again(let file): line.append(file)
    case .wake: break
    case .look:
      report()
      schedule(after: Self.interval, .look)
    }
  }

  /// A server's decision once it has a file.
  private mutating func receive(_ id: Int) {
    atServer += 1
    accepted.removeAll { $0 <= now - 1 }
    if atServer > conditions.mostAtOnce {
      schedule(after: 0, .served(id, conditions.beyond))
    } else if accepted.count >= conditions.mostPerSecond {
      schedule(after: 0, .served(id, .rateLimited))
    } else {
      accepted.append(now)
      waiting.append(id)
      serve()
    }
  }

  private mutating func serve() {
    while busy < workers, !waiting.isEmpty {
      let id = waiting.removeFirst()
      busy += 1
      schedule(
        after: conditions.service * Double.random(in: 0.7...1.3, using: &random), .served(id, .fine)
      )
    }
  }
}
