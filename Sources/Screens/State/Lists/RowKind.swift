import ScalarText
import Scheduling
import UploadModel

/// A kind of row that a filter can ask for with a word.
enum RowKind: Hashable, Sendable {
  case waiting, sending, retrying, paused, sent, doubtful, unknown, failed
  /// A day in the form in which it is shown, "today" or "2026-11-20", or the beginning of a date, such as "2026-11".
  case day(String)

  init?(_ word: String) {
    // A year or another number alone is more often part of a name than a date.
    let isDay =
      (7...10).contains(word.utf8.count)
      && zip(word.utf8, "0000-00-00".utf8).allSatisfy {
        $1 == UInt8(ascii: "0") ? $0.isDigit : $0 == $1
      }
    guard let kind = Self.words[word.lowercasedASCII] ?? (isDay ? .day(word) : nil) else {
      return nil
    }
    self = kind
  }

  init(_ kind: ItemState.Kind) {
    self =
      switch kind {
      case .waiting: .waiting
      case .sending: .sending
      case .retrying: .retrying
      case .paused: .paused
      case .sent: .sent
      case .unknown: .unknown
      case .failed: .failed
      }
  }

  /// What has become of a file, according to a line of the log; nil if no word names it.
  init?(_ end: Remark.End) {
    switch end.word {
    case "sent", "there already": self = .sent
    case "doubtful": self = .doubtful
    case "may have arrived": self = .unknown
    case "to be tried again": self = .retrying
    case "failed": self = .failed
    default: return nil
    }
  }

  /// Whether it is the state of a file, and not a day.
  var isState: Bool { if case .day = self { false } else { true } }

  /// Rows that a person should look at.
  static let problems: [RowKind] = [.failed, .unknown, .doubtful]

  /// The words that are worth offering in a list.
  static let examples = [
    "failed", "unknown", "doubtful", "sent", "waiting", "sending", "retrying", "paused", "today",
    "yesterday",
  ]

  static let offered = examples.compactMap { word in RowKind(word).map { (word: word, kind: $0) } }

  /// How many files are of this kind, according to the totals; nil for a day.
  func count(in totals: Totals) -> Int? {
    switch self {
    case .waiting: totals.waiting
    case .sending: totals.active
    case .retrying: totals.retrying
    case .paused: totals.paused
    case .sent: totals.done - totals.doubtful
    case .doubtful: totals.doubtful
    case .unknown: totals.unknown
    case .failed: totals.failed
    case .day: nil
    }
  }

  /// The words for states are those that the rows and the totals show.
  private static let words: [String: RowKind] = [
    "waiting": .waiting, "sending": .sending, "active": .sending, "retrying": .retrying,
    "paused": .paused, "sent": .sent, "done": .sent, "ok": .sent, "unknown": .unknown,
    "doubtful": .doubtful,
    "failed": .failed, "today": .day("today"), "yesterday": .day("yesterday"),
  ]
}

extension AppState {
  /// The words with which a filter finds rows of the visible list, and how many: "failed (89)". While only a part of
  /// the history has been counted, there may be more: "failed (89+)".
  var filterWords: [String] {
    guard pane == .queue || pane == .history else { return [] }
    let counts = pane == .history ? historyExtent.counts : nil
    let isPart = pane == .history && counts == nil && isHistoryPartlyListed
    return RowKind.offered.compactMap { word, kind in
      let count =
        pane == .queue
        ? kind.count(in: queue.totals) ?? 0
        : counts.map { $0[word] ?? 0 } ?? history.rows.all.count { $0.is(kind) }
      return count > 0 ? "\(word) (\(HumanReadable.grouped(count))\(isPart ? "+" : ""))" : nil
    }
  }

  /// Whether the history has files that are not in the list.
  var isHistoryPartlyListed: Bool {
    historyExtent.total.map { $0 > history.rows.count } ?? historyExtent.isCut
  }
}
