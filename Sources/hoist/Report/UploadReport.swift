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

  /// How fast files were sent, in bytes a second, in each of `parts` equal parts of the period. Each attempt counts
  /// with its mean speed, since the history stores no other speed.
  func speeds(parts: Int) -> [Double] {
    guard let span else { return [] }
    let length = max(span.upperBound.timeIntervalSince(span.lowerBound), 1) / Double(parts)
    var speeds = [Double](repeating: 0, count: parts)
    for entry in measured {
      guard let speed = entry.meanSpeed, let ended = entry.ended else { continue }
      let begin = entry.began.timeIntervalSince(span.lowerBound) / length
      let end = ended.timeIntervalSince(span.lowerBound) / length
      for part in max(0, Int(begin))..<min(parts, max(Int(begin), Int(end)) + 1) {
        let share = min(end, Double(part + 1)) - max(begin, Double(part))
        speeds[part] += speed * max(0, share)
      }
    }
    return speeds
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
    case .failed: "failed"
    case .unknown: "may have arrived"
    case .open: "not finished"
    }
  }
}
