import UploadModel

/// The log of this session. When there are many lines, the oldest are dropped.
struct SessionLog: Sendable {
  struct Line: Sendable {
    var at: Instant
    var text: String
    var role: Role
  }

  static let limit = 1000

  /// The lines, the newest one last.
  private(set) var lines: [Line] = []
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

  mutating func add(_ text: String, _ role: Role = .plain, at instant: Instant, height: Int) {
    let follows = list.cursor >= lines.count - 1
    total += 1
    lines.append(Line(at: instant, text: text, role: role))
    // Remove lines in batches, since removing one from the front costs as much as removing many.
    if lines.count > Self.limit + Self.limit / 4 { lines.removeFirst(Self.limit / 4) }
    list.move(to: follows ? lines.count - 1 : list.cursor, of: lines.count, height: height)
  }
}

extension AppState {
  mutating func record(_ text: String, _ role: Role = .plain) {
    log.add(text, role, at: now, height: layout.rows.count)
  }

  /// Logs a change of an item's state, if it is worth a line.
  mutating func record(_ item: UploadItem, became new: ItemState) {
    switch new {
    case .done(let receipt):
      record("\(item.fileName): \(receipt.words)", receipt.isDoubtful ? .warning : .good)
    case .failed(let failure): record("\(item.fileName): \(failure.line)", .bad)
    case .retrying(let failure, let next, let limit, let instant):
      let wait = HumanReadable.seconds(max(0, instant - now))
      record("\(item.fileName): \(failure.line); try \(next) of \(limit) in \(wait)", .warning)
    case .preparing(let attempt):
      record("\(item.fileName): \(attempt > 1 ? "try \(attempt)" : "begun")", .dim)
    case .processing(let processing): record("\(item.fileName): \(processing.words)", .dim)
    case .waiting, .sending, .awaitingReply, .paused: break
    }
  }

  /// Notes where an item can resume, and logs that place when an attempt begins.
  mutating func record(_ point: ResumePoint?, of id: ItemID) {
    guard let item = queue.setResumePoint(id, point), let point, point.isAtStart,
      let words = point.words
    else { return }
    record("\(item.fileName): \(words)")
  }

  /// The time of day at an instant: "22:15:03".
  func clock(_ instant: Instant) -> String {
    let seconds = Int((instant.seconds + options.midnight).rounded(.down))
    let day = ((seconds % 86_400) + 86_400) % 86_400
    return [day / 3600, day / 60 % 60, day % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
