import Scheduling
import UploadModel

/// The log of this session. When there are many lines, the oldest are dropped.
struct SessionLog: Sendable {
  struct Line: Sendable {
    var at: Instant
    var text: String
    var role: Role
    /// How a file has ended, if the line is about that.
    var end: End?
    /// Whether a message has said the same.
    var isSaid = false
  }

  /// The lines as rows of a list. Each has the number of the line in the session.
  struct Rows: ListRows, Sendable {
    /// The newest one last.
    fileprivate(set) var lines: [Line] = []
    /// How many lines there have been in all.
    fileprivate(set) var version = 0

    private var first: Int { version - lines.count }
    var count: Int { lines.count }
    func id(at position: Int) -> Int { first + position }
    func name(at position: Int) -> String { lines[position].text }
    func target(at position: Int) -> String { "" }
    func position(of id: Int) -> Int? {
      lines.indices.contains(id - first) ? id - first : nil
    }
    func `is`(_ kind: RowKind, at position: Int) -> Bool {
      lines[position].end.flatMap(RowKind.init) == kind
    }
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

  private(set) var rows = Rows()
  /// The lines, the newest one last.
  var lines: [Line] { rows.lines }
  /// What happened lately, without what has only begun; the newest last.
  private(set) var latest: [Gathered] = []
  /// How many of these are kept, and for how many seconds one waits for others of its kind.
  private static let latestLimit = 12, patience = 5.0
  /// How many lines there have been in all.
  var total: Int { rows.version }
  private(set) var list = MarkedList<Int>()

  var glance: ListSummary { list.glance(in: rows) }

  /// The visible line with this number.
  func row(_ index: Int) -> Line? { list.position(of: index, in: rows).map { lines[$0] } }

  mutating func perform(_ step: ListOperation, height: Int) -> Bool {
    list.perform(step, in: rows, height: height)
  }

  /// Keeps the cursor on the screen when the screen changes.
  mutating func fit(to height: Int) { list.move(to: list.cursor, in: rows, height: height) }

  /// `end` says how the file called `name` has ended, if the line is about that.
  mutating func add(
    _ text: String, _ role: Role = .plain, _ end: End? = nil, of name: String = "",
    withoutTarget fileName: String = "", isSaid: Bool = false, at instant: Instant, height: Int
  ) {
    let follows = list.cursor >= list.count(in: rows) - 1
    let place = list.place(in: rows)
    let line = Line(at: instant, text: text, role: role, end: end, isSaid: isSaid)
    rows.version += 1
    rows.lines.append(line)
    gather(Gathered(line: line, end: end, name: name, fileName: fileName))
    // Remove lines in batches, since removing one from the front costs as much as removing many.
    if lines.count > Self.limit + Self.limit / 4 { rows.lines.removeFirst(Self.limit / 4) }
    list.settle(on: follows ? rows.id(at: rows.count - 1) : place, in: rows, height: height)
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
