import MultipartForm
import Testing

@testable import Scheduling
@testable import UploadModel

/// What is shown while many files of different sizes are sent, beside what then comes true.
@Suite("The time left and the percentage, in simulated queues")
struct TimeLeftTests {
  /// Files in their order, and what sends them.
  struct Course: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// How many files of which size follow each other, and to which target.
    var files: [(count: Int, size: Int64, target: String)]
    /// Files at once to each target.
    var lanes = 2
    /// Seconds that each request takes besides its bytes.
    var delay: Double
    /// Bytes per second of each target, shared by its lanes.
    var speeds: [String: Double]
    var limit: Int64?
    /// Whether the server takes a file at once, so that the delay is that of its reply.
    var takesFilesAtOnce = false
    /// Within which factor of the truth the figure has to be, and in which part of the time.
    var factor = 2.0
    var share = 0.7
  }

  private static let courses = [
    Course(
      testDescription: "2,000 notes, then 8 MB", files: [(2000, 9, "t"), (1, 8_000_000, "t")],
      delay: 0.057, speeds: ["t": 2e6]),
    Course(
      testDescription: "8 MB, then 2,000 notes", files: [(1, 8_000_000, "t"), (2000, 9, "t")],
      delay: 0.057, speeds: ["t": 2e6]),
    Course(
      testDescription: "20 MB under a limit, then 2,000 notes",
      files: [(1, 20_000_000, "t"), (2000, 9, "t")], delay: 0.04, speeds: ["t": 5e5],
      limit: 500_000),
    Course(
      testDescription: "one at a time: 20 MB, then 2,000 notes",
      files: [(1, 20_000_000, "t"), (2000, 9, "t")], lanes: 1, delay: 0.04, speeds: ["t": 5e5],
      share: 0.6),
    Course(
      testDescription: "ten files of 15 MB under a limit, then 1,990 small ones",
      files: [(10, 15_000_000, "t"), (1990, 12_000, "t")], lanes: 4, delay: 0.04,
      speeds: ["t": 6e6], limit: 6_000_000, share: 0.8),
    Course(
      testDescription: "equal files", files: [(40, 4_000_000, "t")], lanes: 4, delay: 0.1,
      speeds: ["t": 3e6], share: 0.9),
    Course(
      testDescription: "equal notes", files: [(3000, 900, "t")], lanes: 4, delay: 0.08,
      speeds: ["t": 3e6], share: 0.9),
    Course(
      testDescription: "notes whose replies take long", files: [(60, 900, "t")], delay: 3,
      speeds: ["t": 3e6], share: 0.8),
    Course(
      testDescription: "notes whose replies take a second", files: [(400, 900, "t")], delay: 1.03,
      speeds: ["t": 3e6], takesFilesAtOnce: true, factor: 1.1, share: 0.98),
    Course(
      testDescription: "notes whose replies take 1.7 seconds", files: [(400, 900, "t")],
      lanes: 4, delay: 1.7, speeds: ["t": 3e6], takesFilesAtOnce: true, factor: 1.1, share: 0.96),
    Course(
      testDescription: "notes whose replies take a quarter of a minute", files: [(40, 900, "t")],
      delay: 15, speeds: ["t": 3e6], takesFilesAtOnce: true, factor: 1.1, share: 0.9),
    Course(
      testDescription: "a quick target beside a slow one",
      files: [(20, 4_000_000, "quick"), (1500, 200, "slow")], delay: 0.1,
      speeds: ["quick": 4e6, "slow": 1e4], share: 0.9),
  ]

  /// A file under way: how much of its delay and of its bytes is left.
  private struct Upload {
    var index: Int
    var delay: Double
    var sent = 0.0
  }

  /// What was shown at a moment.
  struct Sight {
    var time: Double
    var left: Double?
    var percent: Int
  }

  /// Sends the files, and returns what is shown each second, and when the last has ended.
  private static func run(_ course: Course) -> (sights: [Sight], end: Double) {
    var progress = SendingProgress()
    progress.isComplete = true
    var items: [UploadItem] = []
    for group in course.files {
      for _ in 0..<group.count {
        let id = Int64(items.count + 1)
        items.append(
          UploadItem(
            id: ItemID(id), target: group.target, location: FileLocation("/f\(id)"),
            size: group.size, state: .waiting))
      }
    }
    items.forEach { progress.add($0) }
    var lines: [String: [Int]] = [:]
    for index in items.indices.reversed() { lines[items[index].target, default: []].append(index) }
    var uploads: [String: [Upload]] = [:]
    var sights: [Sight] = []
    var (tick, now) = (0, Instant(seconds: 100))
    func set(_ index: Int, _ state: ItemState) {
      let old = items[index]
      guard old.state != state else { return }
      items[index].state = state
      progress.record(items[index], from: old, at: now)
    }
    let step = 0.02
    // Windows that look on hear of the last of several states of a file, ten times a second.
    var pending: [Int: ItemState] = [:]
    while lines.values.contains(where: { !$0.isEmpty })
      || uploads.values.contains(where: { !$0.isEmpty })
    {
      for target in course.speeds.keys.sorted() {
        var (line, going) = (lines[target] ?? [], uploads[target] ?? [])
        while going.count < course.lanes, let next = line.popLast() {
          going.append(Upload(index: next, delay: course.delay))
          pending[next] = .sending(attempt: 1, sent: 0, total: items[next].size)
        }
        let moving = going.count { $0.delay <= 0 && $0.sent < Double(items[$0.index].size) }
        for place in going.indices {
          // The time that a step has left after the delay is for bytes.
          let time = step - max(0, min(step, going[place].delay))
          going[place].delay -= step
          let index = going[place].index
          let size = Double(items[index].size)
          if time > 0 {
            going[place].sent += (course.speeds[target] ?? 0) * time / Double(max(1, moving))
          }
          guard going[place].delay <= 0, going[place].sent >= size else {
            pending[index] =
              course.takesFilesAtOnce
              ? .awaitingReply(attempt: 1, since: now)
              : .sending(
                attempt: 1, sent: Int64(min(size, going[place].sent)), total: items[index].size)
            continue
          }
          pending[index] = .done(Receipt(status: 201))
        }
        going.removeAll { upload in
          guard case .done = pending[upload.index] else { return false }
          return true
        }
        (lines[target], uploads[target]) = (line, going)
      }
      tick += 1
      now = Instant(seconds: 100 + Double(tick) * step)
      guard tick % 5 == 0 else { continue }
      for (index, state) in pending.sorted(by: { $0.key < $1.key }) { set(index, state) }
      pending = [:]
      progress.settle(at: now)
      guard tick % 50 == 0, progress.totals.busy > 0 else { continue }
      sights.append(
        Sight(
          time: now - Instant(seconds: 100),
          left: progress.speeds.totalETA(
            of: progress.totals, limit: course.limit, at: now),
          percent: progress.totals.percent))
    }
    return (sights, now - Instant(seconds: 100))
  }

  @Test("The time left is about the truth", arguments: courses)
  func timeLeft(of course: Course) {
    let (sights, end) = Self.run(course)
    let good = sights.count { sight in
      guard let left = sight.left else { return false }
      // The last few seconds are hard to tell.
      let truth = end - sight.time
      return abs(left - truth) < 3
        || (truth / course.factor...truth * course.factor).contains(left)
    }
    let shown = sights.map { "\(Int($0.time)): \($0.left.map { "\(Int($0))" } ?? "—")" }
    #expect(
      Double(good) >= course.share * Double(sights.count),
      "\(good) of \(sights.count), \(Int(end)) s: \(shown)")
    for sight in sights {
      guard let left = sight.left else { continue }
      let truth = end - sight.time
      #expect(left < 3 * truth + 10, "after \(sight.time) of \(end) s")
      if course.takesFilesAtOnce {
        #expect(left > truth / 2 - 3, "after \(sight.time) of \(end) s")
      }
    }
  }

  @Test("The percentage moves as long as something is sent, and does not fall", arguments: courses)
  func percentage(of course: Course) {
    let (sights, end) = Self.run(course)
    for (before, after) in zip(sights, sights.dropFirst()) {
      #expect(before.percent <= after.percent)
    }
    // In each quarter of the time.
    for quarter in 0..<4 {
      let (from, to) = (Double(quarter) / 4 * end, Double(quarter + 1) / 4 * end)
      let some = sights.filter { (from...to).contains($0.time) }
      let (first, last) = (some.first?.percent ?? 0, some.last?.percent ?? 0)
      #expect(last > first + 4, "\(first)% to \(last)% from \(from) to \(to) s")
    }
  }

  @Test(
    "A server that is away does not hide the time that the others take, whether it took files before",
    arguments: [0, 20])
  func probes(after sent: Int64) throws {
    var progress = SendingProgress()
    progress.isComplete = true
    var item = UploadItem(
      id: ItemID(0), target: "steady", location: FileLocation("/0"), size: 100_000_000,
      state: .waiting)
    var notes = (1...100).map {
      UploadItem(
        id: ItemID($0), target: "away", location: FileLocation("/\($0)"), size: 9, state: .waiting)
    }
    ([item] + notes).forEach { progress.add($0) }
    func set(_ item: inout UploadItem, _ state: ItemState, at now: Instant) {
      let old = item
      item.state = state
      progress.record(item, from: old, at: now)
    }
    func note(_ id: Int64, _ state: ItemState, at now: Instant) {
      set(&notes[Int(id) - 1], state, at: now)
    }
    for second in Int64(0)..<90 {
      let now = Instant(seconds: Double(second))
      set(
        &item, .sending(attempt: 1, sent: second * 1_000_000, total: 100_000_000), at: now)
      if second < sent {
        // At first, it takes a note each second.
        note(second + 1, .sending(attempt: 1, sent: 0, total: 9), at: now)
        if second > 0 { note(second, .done(Receipt(status: 201)), at: now) }
      } else if second == sent {
        if sent > 0 { note(second, .done(Receipt(status: 201)), at: now) }
      } else if second % 20 == 5 {
        note(100, .preparing(attempt: 1), at: now)
      } else if second % 20 == 15 {
        let refused = Failure(.connectionRefused(""), attempts: 1)
        note(
          100, second < 40 ? .waiting : .retrying(refused, next: 2, of: 5, at: now + 10), at: now)
      }
      progress.settle(at: now)
      guard second > max(sent + 3, 5) else { continue }
      let left = try #require(
        progress.speeds.totalETA(of: progress.totals, at: now), "after \(second) s")
      #expect(abs(left - Double(100 - second)) < 5, "after \(second) s")
    }
    // It is back, and counts again: a note takes a second.
    for second in Int64(0)..<6 {
      let now = Instant(seconds: 90 + Double(second))
      set(
        &item, .sending(attempt: 1, sent: 90_000_000 + second * 1_000_000, total: 100_000_000),
        at: now)
      note(60 + second, .sending(attempt: 1, sent: 0, total: 9), at: now)
      if second > 0 { note(59 + second, .done(Receipt(status: 201)), at: now) }
      progress.settle(at: now)
    }
    let left = try #require(
      progress.speeds.totalETA(of: progress.totals, at: Instant(seconds: 95)))
    let truth = Double(progress.totals.busy)
    #expect((truth / 2...truth * 2).contains(left), "\(left), not \(truth)")
  }

  @Test("A pace at which nothing is done gives no time left")
  func standstill() {
    var pace = WorkPace(ofRequests: true, at: Instant(seconds: 0))
    pace.count(1, at: Instant(seconds: 0))
    pace.record(1000, at: Instant(seconds: 0.1))
    for time in [0.1, 0.7, 1.4] { pace.count(1, at: Instant(seconds: time)) }
    #expect(pace.seconds(for: 1000, at: Instant(seconds: 1.4)) == nil)
  }

  @Test(
    "A pace at times that no clock shows cannot have been measured", arguments: [-1e300, 1e300])
  func unsound(_ time: Double) {
    #expect(!WorkPace(ofRequests: true, at: Instant(seconds: time)).isSound)
    var pace = WorkPace(ofRequests: true, at: Instant(seconds: 1))
    pace.count(1, at: Instant(seconds: 1))
    #expect(pace.isSound)
    pace.count(1, at: Instant(seconds: abs(time)))
    #expect(!pace.isSound)
  }
}
