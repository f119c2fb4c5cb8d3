import Foundation
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
    /// How many bytes a connection sends on average before it loses its first packet and gets no more than that.
    var rush = 0.0
    /// What a new connection sends in its first round trip, in bytes. It sends twice as much in the next one, and so on.
    var window = Double.infinity
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
    /// The most lanes at any time.
    var most = 0
  }

  /// How often the transport looks at what was acknowledged, in seconds.
  private static let interval = 0.1
  private static let small = 65_536.0

  private enum Event {
    case arrives(Int)
    case served(Int, ConcurrencyTuner.Outcome)
    case ends(Int, ConcurrencyTuner.Outcome)
    case again(Int)
    case wake
    case look
  }

  private struct Connection {
    /// What it sends in the next round trip.
    var window: Double
    /// What it sends before it loses its first packet.
    var rush: Double
  }

  private struct Upload {
    let file: Int
    let begin: Double
    var connection: Connection
    /// What is left to send.
    var left: Double
    /// The round-trip time when its connection had been made.
    var roundTrip: Double?
  }

  /// Uploads that are being sent at the same rate.
  private struct Sending {
    /// How much each upload will have been able to send by then; the latest first.
    private var ends: [(end: Double, upload: Int)] = []
    /// How many bytes an upload could have sent that has always been sending.
    private var share = 0.0
    var count: Int { ends.count }
    /// The bytes that have been sent and not acknowledged, at most a window of each.
    var inFlight: Double {
      ends.reduce(0) { $0 + min($1.end - share, Double(1 << 20)) }
    }

    mutating func insert(_ upload: Int, bytes: Double) {
      let end = share + bytes
      ends.insert((end, upload), at: LineSimulator.place(ends.count) { ends[$0].end > end })
    }

    /// The seconds until the first of them has sent its bytes.
    func rest(at rate: Double) -> Double { ends.last.map { ($0.end - share) / rate } ?? .infinity }

    mutating func pass(_ seconds: Double, at rate: Double) -> Double {
      share += rate * seconds
      return rate * seconds * Double(count)
    }

    mutating func removeFirst() -> Int? { ends.popLast()?.upload }
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
  /// What is being sent on connections that have lost a packet, and on others.
  private var sending = Sending()
  private var rushing = Sending()
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
  /// Connections that nothing uses now.
  private var connections: [Connection] = []
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
  private var mostOfRushing: Double { Double(1 << 20) / conditions.delay }
  private var mostOfOne: Double { min(mostOfRushing, conditions.connection) }
  /// The bytes per second of each upload that is being sent, on a connection that has lost a packet and on another one.
  private var rates: (sending: Double, rushing: Double) {
    let rate = min(mostOfOne, bandwidth / Double(max(1, sending.count + rushing.count)))
    let left = bandwidth - rate * Double(sending.count)
    return (rate, min(mostOfRushing, left / Double(max(1, rushing.count))))
  }
  private var isFull: Bool {
    let wanted = Double(sending.count) * mostOfOne + Double(rushing.count) * mostOfRushing
    return wanted > bandwidth
  }
  private var lanes: Int { tuner?.lanes ?? fixed }
  private var workers: Int {
    if let change = conditions.change, now >= change.at {
      change.workers
    } else {
      conditions.workers
    }
  }

  private mutating func run() -> Result {
    var (left, used, most) = (sizes.count, 0.0, 0)
    if tuner != nil { schedule(after: Self.interval, .look) }
    while left > 0 {
      fill()
      most = max(most, lanes)
      let before = now
      used += Double(underWay) * (step() - before)
      if let ended = lastEnded {
        lastEnded = nil
        if ended { left -= 1 }
      }
    }
    return Result(
      seconds: now, lanes: used / now, refusals: refusals.reduce(0, +),
      mostRefusals: refusals.max() ?? 0, last: lanes, most: most)
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
      let kept = connections.popLast()
      uploads.append(
        Upload(file: file, begin: now, connection: kept ?? connect(), left: sizes[file]))
      underWay += 1
      tuner?.recordBegin(isAlone: underWay == 1, at: Instant(seconds: now))
      schedule(after: conditions.delay * (kept == nil ? 1.5 : 0.5), .arrives(uploads.count - 1))
    }
    if underWay < lanes { tuner?.recordIdleLanes(at: Instant(seconds: now)) }
  }

  private mutating func connect() -> Connection {
    let rush = conditions.rush > 0 ? -log(Double.random(in: 0.01...1, using: &random)) : 0
    return Connection(window: conditions.window, rush: rush * conditions.rush)
  }

  /// Goes to the next event, and returns its time.
  private mutating func step() -> Double {
    let rates = rates
    let sent = now + sending.rest(at: rates.sending)
    let rushed = now + rushing.rest(at: rates.rushing)
    let time = min(sent, rushed, events.last?.time ?? .infinity)
    acknowledged += sending.pass(time - now, at: rates.sending)
    acknowledged += rushing.pass(time - now, at: rates.rushing)
    now = time
    if sent <= time, let upload = sending.removeFirst() {
      receive(upload)
    } else if rushed <= time, let upload = rushing.removeFirst() {
      send(upload)
    } else if let event = events.popLast()?.event {
      handle(event)
    }
    return time
  }

  /// The round-trip time; nil without a buffer, because then nothing is known of the queue.
  private var roundTrip: Double? {
    guard conditions.buffer > 0 else { return nil }
    guard isFull else { return conditions.delay }
    let queue = (sending.inFlight + rushing.inFlight) / bandwidth
    return conditions.delay + min(conditions.buffer, queue)
  }

  /// Reports what was acknowledged. For a small upload that has ended, only the round-trip time at its beginning is
  /// known.
  private mutating func report(at end: Upload? = nil) {
    let isFull = isFull
    let isSmall = end.map { sizes[$0.file] < Self.small } ?? false
    let known = isSmall ? end?.roundTrip : roundTrip
    tuner?.recordAcknowledged(
      Int64(acknowledged), roundTrip: known,
      isLimited: isFull && conditions.limit < conditions.bandwidth, underWay: underWay,
      at: Instant(seconds: now))
    acknowledged = 0
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .arrives(let id):
      uploads[id].roundTrip = uploads[id].roundTrip ?? roundTrip
      send(id)
    case .served(let id, let outcome):
      if outcome == .fine {
        busy -= 1
        serve()
      }
      atServer -= 1
      schedule(after: conditions.delay / 2, .ends(id, outcome))
    case .ends(let id, let outcome):
      let upload = uploads[id]
      connections.append(upload.connection)
      underWay -= 1
      report(at: upload)
      tuner?.recordEnd(
        outcome, of: Int64(sizes[upload.file]), began: Instant(seconds: upload.begin),
        underWay: underWay, at: Instant(seconds: now))
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

  private mutating func send(_ id: Int) {
    let (connection, left) = (uploads[id].connection, uploads[id].left)
    let most = min(mostOfRushing, bandwidth / Double(underWay)) * conditions.delay
    if connection.window < min(left, most), conditions.rush == 0 || connection.rush > 0 {
      uploads[id].left -= connection.window
      uploads[id].connection.window *= 2
      uploads[id].connection.rush -= connection.window
      acknowledged += connection.window
      schedule(after: conditions.delay, .arrives(id))
    } else if left <= 0 {
      receive(id)
    } else if connection.rush > 0 {
      let rush = min(left, connection.rush)
      uploads[id].left -= rush
      uploads[id].connection.rush -= rush
      rushing.insert(id, bytes: rush)
    } else {
      sending.insert(id, bytes: left)
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
