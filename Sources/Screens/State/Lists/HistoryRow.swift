import ScalarText
import UploadModel

/// A file that was sent, or could not be sent, in this session or an earlier one.
package struct HistoryRow: PaneRow {
  /// An identifier that no other row has.
  package var id: String
  /// The name that the file was sent with.
  package var name: String
  package var target: String
  /// The file's size in bytes.
  package var size: Int64
  /// When the attempt began: "2026-11-20 22:15".
  package var time: String
  /// The day when the attempt began, in as few words as possible: "today", "yesterday", "2026-11-20".
  package var day: String
  /// When the attempt began, by the screen's clock; nil if that is not known.
  package var instant: Instant?
  /// How an attempt ended. The raw value is the class of its marks on the page of a report.
  package enum End: String, Hashable, Sendable, CaseIterable {
    case sent
    /// The file was sent, but the server's reply seems to say no, or the file has grown since it was read.
    case doubtful
    /// The file was not sent, because its name is taken on the server.
    case skipped
    case failed
    /// The file may have arrived; only a look at the server can tell.
    case unknown
    /// The attempt has not ended: it is under way, or was stopped and will begin anew.
    case open
  }

  package var end: End
  /// Whether the latest attempt failed, and hoist makes another one.
  package private(set) var isTriedAgain = false
  /// Whether the file is under way now.
  package private(set) var isUnderWay = false
  /// The number of the attempt at this file, from 1; 0 if none was made.
  package var attempt: Int
  /// How the attempt ended, in a few words: "201 Created", "file is missing".
  package var outcome: String
  /// The status, if the outcome begins with it and its standard phrase.
  package var status: Int?
  /// Why it failed, in a sentence or two; empty if there is nothing to say.
  package var message: String
  /// The file's URL, if the server named one.
  package var url: String?
  /// The URL that deletes the file when it is opened, if the server named one.
  package var deletionURL: String?
  package var path: String
  package var reply: Reply
  /// How far the attempt got, if the file was sent in pieces.
  package var pieces: PieceCount?
  /// Everything that is needed to send the file again as it was; nil if it is not known.
  package var record: ItemRecord?
  /// Whether the file may be on the server: an attempt's outcome is unknown, and the latest attempt did not send it.
  package var mayHaveArrived: Bool
  /// Descriptions of the earlier attempts at the same file, the latest first.
  private(set) var earlier: [String] = []

  package init(
    id: String, name: String, target: String, size: Int64, time: String, day: String? = nil,
    at instant: Instant? = nil, end: End, attempt: Int = 1, outcome: String, message: String = "",
    url: String? = nil, path: String, reply: Reply = Reply()
  ) {
    self.id = id
    self.name = name
    self.target = target
    self.size = size
    self.time = time
    self.day = day ?? String(decoding: time.utf8.prefix(10), as: UTF8.self)
    self.instant = instant
    self.end = end
    mayHaveArrived = end == .unknown
    self.attempt = attempt
    self.outcome = outcome
    self.message = message
    self.url = url
    self.path = path
    self.reply = reply
  }

  /// The orders in which the history can be shown.
  enum Order: String, CaseIterable {
    case time = "newest first"
    case name = "by name"
    case failed = "failures first"

    var words: String { rawValue }

    /// Puts rows, which are given latest first, in this order. Those that it does not tell apart stay latest first.
    ///
    /// They are given in the order in which they were recorded. A file that was sent without the queue is recorded at
    /// its end, so its beginning may be before that of rows further down, but none of those that are still to be read
    /// began after the last row that was recorded at its beginning.
    func sorted(_ rows: [HistoryRow]) -> [HistoryRow] {
      switch self {
      case .time: rows.sorted { $0.beginning > $1.beginning }
      case .name: rows.sorted { $0.name < $1.name }
      case .failed: rows.sorted { $0.end.rank < $1.end.rank }
      }
    }
  }

  /// The latest attempt at each file for each target, with the earlier ones added. `rows` come with the latest
  /// first.
  static func grouped(_ rows: [HistoryRow]) -> [HistoryRow] {
    var groups: [HistoryRow] = []
    var places: [String: Int] = [:]
    for row in rows {
      let file = row.file
      guard let place = places[file] else {
        places[file] = groups.count
        groups.append(row)
        // The cursor and the marks stay with a file that is sent again.
        groups[groups.count - 1].id = file
        continue
      }
      if ![.sent, .doubtful].contains(groups[place].end), row.mayHaveArrived {
        groups[place].mayHaveArrived = true
      }
      groups[place].earlier.append("\(row.time)  try \(row.attempt)  \(row.outcome)")
    }
    return groups
  }

  /// The file, its target and the name that it was sent with. A file that was sent under two names counts as two.
  var file: String {
    let name = record.map { "\($0.folder)\($0.fileName)" } ?? ""
    return "\(target)\u{0}\(path)\u{0}\(name)"
  }

  /// Says how it goes on with a file whose latest attempt has ended without success, or is still under way, and which
  /// is now in this state in the queue.
  package mutating func goOn(as state: ItemState, word: String) {
    guard !state.isFinished, end == .open || end == .failed else { return }
    if end == .failed {
      // Only a person lets a paused file go on.
      guard state != .paused else { return }
      (end, isTriedAgain, message) = (.open, true, state.failure?.account ?? message)
    }
    isUnderWay = state.isActive
    guard case .retrying(let failure, let next, let limit, _) = state else {
      outcome = word
      return
    }
    let cause = failure.status.map(String.init) ?? failure.headline
    outcome = "\(cause) · retry \(ItemState.attempt(next, of: limit, signs: "/"))"
  }

  /// Its sign and how it is painted.
  var look: (sign: Unicode.Scalar?, role: Role) {
    isUnderWay ? ("…", .accent) : isTriedAgain ? ("↻", .warning) : end.look
  }

  /// Whether the file, sent again, may be stored twice.
  var mayBeThere: Bool { mayHaveArrived || end == .doubtful }

  /// The time of day: "22:15".
  var clock: String { String(decoding: time.utf8.suffix(5), as: UTF8.self) }

  func `is`(_ kind: RowKind) -> Bool {
    switch (kind, end) {
    case (.sent, .sent), (.doubtful, .doubtful), (.failed, .failed), (.unknown, .unknown):
      true
    case (.retrying, .open): isTriedAgain
    case (.day(let day), _): self.day == day || time.hasPrefix(scalars: day)
    default: false
    }
  }

  /// When the attempt began, in as few columns as can be: "today 22:15", "11-20 22:15", or a date of long ago without
  /// its time. Below a row of the same day, the time of day is enough.
  func shortTime(below above: HistoryRow?, at now: Instant) -> String {
    if day == above?.day { return clock }
    if day == "today" { return "\(day) \(clock)" }
    let date = String(decoding: time.utf8.prefix(10), as: UTF8.self)
    if let instant, now - instant > Self.halfAYear { return date }
    return "\(String(decoding: date.utf8.dropFirst(5), as: UTF8.self)) \(clock)"
  }

  private static let halfAYear = 180.0 * 24 * 3600

  /// How it ended, from the fullest words to the shortest, with what the server said.
  private var outcomes: [String] {
    let brief = status.map(String.init)
    if end == .unknown {
      let unclear = "may have arrived"
      return [outcome] + (brief.map { ["\($0), \(unclear)"] } ?? []) + [unclear]
    }
    guard end == .failed, let said = reply.message else { return [outcome] }
    return ["\(outcome) · \(said)"] + (brief.map { ["\($0) · \(said)"] } ?? []) + [outcome]
  }

  /// How it ended, in `width` columns.
  func outcome(fitting width: Int) -> String {
    let forms = outcomes
    // What the server said is worth more, even if cut, than the phrase for its status. The beginning says more than the
    // end.
    let isSaid = end == .failed && forms.count > 2
    if let whole = forms.first(where: { Glyphs.width(Glyphs.of($0, ascii: false)) <= width }),
      whole != outcome || !isSaid
    {
      return whole
    }
    let words = isSaid ? forms[1] : end == .unknown ? forms[forms.count - 1] : outcome
    return TextFitting.end(Glyphs.of(words, ascii: false), to: width, ascii: false).map(\.text)
      .joined()
  }
}

extension HistoryRow {
  /// When the attempt began. Where that is not known, rows stay as they were recorded, after the others.
  fileprivate var beginning: Instant { instant ?? Instant(seconds: -.infinity) }
}

extension HistoryRow.End {
  /// Its rank in the order with failures first.
  fileprivate var rank: Int {
    switch self {
    case .failed: 0
    case .unknown: 1
    case .doubtful: 2
    case .sent, .skipped, .open: 3
    }
  }

  var look: (sign: Unicode.Scalar?, role: Role) {
    switch self {
    case .sent: ("✓", .good)
    case .doubtful: ("!", .warning)
    case .skipped: ("·", .warning)
    case .failed: ("✗", .bad)
    case .unknown: ("?", .warning)
    case .open: (nil, .dim)
    }
  }
}
