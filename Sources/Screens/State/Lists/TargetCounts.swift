import Scheduling
import UploadModel

/// How many files go to a target, and what became of them: those of the queue, and those that have left it since they
/// were sent.
struct TargetCounts: Hashable, Sendable {
  var all = 0
  /// Without those that are doubtful.
  var sent = 0
  var doubtful = 0
  var failed = 0
  var unknown = 0

  var hasProblems: Bool { failed + unknown + doubtful > 0 }

  mutating func add(_ state: ItemState) {
    all += 1
    switch state.kind {
    case .sent where state.receipt?.isDoubtful == true: doubtful += 1
    case .sent: if state.receipt?.skipped == nil { sent += 1 }
    case .failed: failed += 1
    case .unknown: unknown += 1
    case .waiting, .sending, .retrying, .paused: break
    }
  }

  mutating func add(_ other: TargetCounts) {
    all += other.all
    sent += other.sent
    doubtful += other.doubtful
    failed += other.failed
    unknown += other.unknown
  }

  /// The longest words that these files can have once all have ended, in at most `width` columns.
  func widest(fitting width: Int = .max) -> String {
    var counts = self
    counts.sent = all
    return counts.words(fitting: width)
  }

  /// Such as "12 of 40 sent, 3 failed"; with little room "3 failed" or, if all is well, "12 of 40". Empty if there are
  /// no files.
  func words(fitting width: Int) -> String {
    guard all > 0 else { return "" }
    let far = "\(HumanReadable.grouped(sent)) of \(HumanReadable.grouped(all))"
    let others = [(failed, "failed"), (unknown, "unknown"), (doubtful, "doubtful")]
      .filter { $0.0 > 0 }
      .map { "\(HumanReadable.grouped($0.0)) \($0.1)" }
    let whole = ([far] + others).joined(separator: ", ")
    let forms = [
      (["\(far) sent"] + others).joined(separator: ", "), whole, others.joined(separator: ", "),
    ]
    return forms.first { !$0.isEmpty && $0.count <= width } ?? others.first ?? far
  }
}

extension ItemList {
  /// Changes with the items and what became of them.
  struct Version: Equatable, Sendable {
    var rows: Int
    var kinds: Int
  }

  var stateVersion: Version { Version(rows: version, kinds: kindsVersion) }

  /// The files for each target, by its name.
  var countsByTarget: [String: TargetCounts] {
    let gone = removedAsSent.mapValues { TargetCounts(all: $0, sent: $0) }
    return rows.reduce(into: gone) { counts, row in
      counts[row.item.target, default: TargetCounts()].add(row.item.state)
    }
  }
}

extension AppState {
  /// The files that go to a target. Those that name none go to the chosen one.
  func counts(of target: String) -> TargetCounts {
    let all = targetCounts.value(for: queue.stateVersion) { _ in queue.countsByTarget }
    return [target, target == self.target ? "" : nil].reduce(into: TargetCounts()) { sum, name in
      if let count = name.flatMap({ all[$0] }) { sum.add(count) }
    }
  }
}
