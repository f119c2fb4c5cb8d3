import FileDiscovery
import Foundation
import Screens
import UploadModel
import UploadStore

/// What the history says about a period: which files were sent, how fast, and what failed.
struct UploadReport {
  /// A file and its target, with the attempts to send it.
  struct File {
    var latest: HistoryEntry
    /// The earlier attempts, the most recent first.
    var earlier: [HistoryEntry] = []
  }

  /// The files, in the order of their latest attempts.
  private(set) var files: [File] = []
  /// The attempts whose speed the history knows.
  private(set) var measured: [HistoryEntry] = []
  /// From the beginning of the first attempt to the end of the last; nil without attempts.
  private(set) var span: Range<Date>?
  /// The bytes of the files that arrived.
  private(set) var bytes: Int64 = 0

  /// A report of these attempts. Those that have not ended count as if they ended now.
  init(_ entries: [HistoryEntry], now: Date) {
    var places: [[UInt8]: Int] = [:]
    for entry in entries.reversed() {
      if let place = places[entry.file] {
        files[place].earlier.append(entry)
      } else {
        places[entry.file] = files.count
        files.append(File(latest: entry))
      }
      if entry.outcome == .done { bytes &+= entry.size }
      if entry.meanSpeed != nil { measured.append(entry) }
      let end = max(entry.ended ?? now, entry.began)
      span = min(span?.lowerBound ?? entry.began, entry.began)..<max(span?.upperBound ?? end, end)
    }
    files.reverse()
  }

  /// How many files ended in each way, without the ways in which no file ended. Each file counts once.
  var counts: [(end: HistoryRow.End, count: Int)] {
    HistoryRow.End.allCases.map { end in (end, files.count { $0.latest.end == end }) }
      .filter { $0.count > 0 }
  }

  /// Why files failed, the most frequent reason first.
  var reasons: [FailureGroup<File>] {
    FailureGroup.gathered(
      files.lazy.filter { [.failed, .unknown].contains($0.latest.end) }.map {
        ($0.latest.failureReason, $0)
      })
  }

  /// What was sent in a part of the period, and for how long anything was.
  struct Part {
    var bytes = 0.0
    var seconds = 0.0

    /// Bytes per second on average while anything was sent.
    var speed: Double { seconds > 0 ? bytes / seconds : 0 }
  }

  /// What was sent in each of `count` equal parts of the period. Each attempt counts with its mean speed, since the
  /// history stores no other speed.
  func parts(_ count: Int) -> [Part] {
    var parts = [Part](repeating: Part(), count: count)
    guard let span else { return parts }
    let length = max(span.upperBound.timeIntervalSince(span.lowerBound), 1) / Double(count)
    /// How many seconds of a stretch of time are in each part.
    func spread(_ stretch: Range<Double>, _ body: (inout Part, Double) -> Void) {
      let (begin, end) = (stretch.lowerBound / length, stretch.upperBound / length)
      for index in max(0, Int(begin))..<min(count, max(Int(begin), Int(end)) + 1) {
        let share = min(end, Double(index + 1)) - max(begin, Double(index))
        if share > 0 { body(&parts[index], share * length) }
      }
    }
    var stretches: [Range<Double>] = []
    for entry in measured {
      guard let speed = entry.meanSpeed, let ended = entry.ended else { continue }
      let stretch =
        entry.began.timeIntervalSince(span.lowerBound)..<ended.timeIntervalSince(span.lowerBound)
      stretches.append(stretch)
      spread(stretch) { $0.bytes += speed * $1 }
    }
    // Time in which several attempts were under way counts once.
    var last = 0.0
    for stretch in stretches.sorted(by: { $0.lowerBound < $1.lowerBound })
    where stretch.upperBound > last {
      spread(max(last, stretch.lowerBound)..<stretch.upperBound) { $0.seconds += $1 }
      last = stretch.upperBound
    }
    return parts
  }
}

extension HistoryEntry {
  /// A key for the file and its target. Each upload from standard input or the like is a file of its own.
  fileprivate var file: [UInt8] {
    let isInput = SpooledInput.isInput(recordedAs: location)
    return Array("\(target)\u{0}\(isInput ? "\(item)" : "")\u{0}".utf8) + location.bytes
  }

  /// How many bytes a second the attempt sent, if the history knows.
  var meanSpeed: Double? {
    guard let ended, let bytes else { return nil }
    return ThroughputEstimate.mean(of: bytes &- (start ?? 0), in: ended.timeIntervalSince(began))
  }
}

extension HistoryRow.End {
  var words: String {
    switch self {
    case .sent: "sent"
    case .doubtful: "sent, but doubtful"
    case .skipped: "skipped, the name is taken"
    case .failed: "failed"
    case .unknown: "may have arrived"
    case .open: "not finished"
    }
  }
}
