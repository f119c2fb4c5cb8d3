import Scheduling
import UploadModel

/// The log of this session. When there are many lines, the oldest are dropped.
struct SessionLog: Sendable {
  struct Line: Sendable {
    var at: Instant
    var text: String
    var role: Role
    /// Whether a message has said the same.
    var isSaid = false
  }

  typealias End = Remark.End

  /// A line, or many of the same kind that came one soon after the other.
  struct Gathered: Sendable {
    /// The latest of them.
    var line: Line
    var end: End?
    var count = 1
    /// What the latest file is called, and its name without its target.
    var name = "", fileName = ""

    var text: String {
      guard count > 1, let end else { return line.text }
      let number = HumanReadable.grouped(count)
      return "\(number) \(end.word)" + (end.reason.map { ": \($0)" } ?? ", last \(name)")
    }

    /// The same where there is little room, with `name` as that of the only file. Failures need no sign.
    func brief(_ name: String) -> (sign: Unicode.Scalar?, words: String)? {
      guard let end, let reason = end.reason else { return nil }
      let words = count > 1 ? "\(HumanReadable.grouped(count)) × \(reason)" : "\(name): \(reason)"
      return (end.hasFailed ? nil : end.sign.unicodeScalars.first, words)
    }
  }

  static let limit = 1000

  /// The lines, the newest one last.
  private(set) var lines: [Line] = []
  /// What happened lately, without what has only begun; the newest last.
  private(set) var latest: [Gathered] = []
  /// How many of these are kept, and for how many seconds one waits for others of its kind.
  private static let latestLimit = 12, patience = 5.0
  /// How many lines there have been in all.
  private(set) var total = 0
  var list = ListState()

  var glance: ListSummary { ListSummary(window: list, count: lines.count) }

  /// Moves the cursor; the log has no marks and no search.
  mutating func perform(_ step: ListOperation, height: Int) -> Bool {
    switch step {
    case .key(let name): return list.move(name, of: lines.count, height: height)
    case .row(let row): list.move(to: row, of: lines.count, height: height)
    case .filter, .find, .next, .endRange, .forgetOtherMarks: return false
    }
    return true
  }

  /// `end` says how the file called `name` has ended, if the line is about that.
  mutating func add(
    _ text: String, _ role: Role = .plain, _ end: End? = nil, of name: String = "",
    withoutTarget fileName: String = "", isSaid: Bool = false, at instant: Instant, height: Int
  ) {
    let follows = list.cursor >= lines.count - 1
    let line = Line(at: instant, text: text, role: role, isSaid: isSaid)
    total += 1
    lines.append(line)
    gather(Gathered(line: line, end: end, name: name, fileName: fileName))
    // Remove lines in batches, since removing one from the front costs as much as removing many.
    if lines.count > Self.limit + Self.limit / 4 { lines.removeFirst(Self.limit / 4) }
    list.move(to: follows ? lines.count - 1 : list.cursor, of: lines.count, height: height)
  }
}

extension SessionLog {
  /// Adds a line to what happened lately.
  private mutating func gather(_ event: Gathered) {
    if event.line.role == .dim { return }
    var group = event
    let place = latest.lastIndex {
      event.end != nil && $0.end == event.end && event.line.at - $0.line.at <= Self.patience
    }
    if let place { group.count += latest.remove(at: place).count }
    latest.append(group)
    if latest.count > Self.latestLimit { latest.removeFirst() }
  }
}

extension AppState {
  mutating func record(
    _ text: String, _ role: Role = .plain, _ end: SessionLog.End? = nil, of name: String = "",
    withoutTarget fileName: String = "", isSaid: Bool = false
  ) {
    log.add(
      text, role, end, of: name, withoutTarget: fileName, isSaid: isSaid, at: now,
      height: layout.rows.count)
  }

  /// When something was: "22:15:03", "yesterday 22:15:03", "3 days ago 22:15:03".
  func moment(_ instant: Instant) -> String {
    let days = daysAgo(instant)
    let day = days == 0 ? "" : days == 1 ? "yesterday " : "\(days) days ago "
    return day + clock(instant)
  }

  /// The same in a few characters: "22:15" within a day, "3 d ago" before that.
  func briefMoment(_ instant: Instant) -> String {
    now - instant < 86_400 ? String(clock(instant).dropLast(3)) : "\(daysAgo(instant)) d ago"
  }

  /// How many midnights there were since an instant.
  private func daysAgo(_ instant: Instant) -> Int {
    let days = [now, instant].map { (($0.seconds + options.midnight) / 86_400).rounded(.down) }
    return max(0, Int(days[0] - days[1]))
  }

  /// The time of day at an instant: "22:15:03".
  func clock(_ instant: Instant) -> String {
    let seconds = Int((instant.seconds + options.midnight).rounded(.down))
    let day = ((seconds % 86_400) + 86_400) % 86_400
    return [day / 3600, day / 60 % 60, day % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
