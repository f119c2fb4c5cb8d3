import UploadModel

/// What became of the files of a push or of a session, in numbers. Every summary in words is made of these.
package struct SendingCounts: Hashable, Sendable {
  /// Files that were sent, without the doubtful ones.
  package var sent = 0
  /// Files that were sent, but may not have arrived as they are.
  package var doubtful = 0
  /// Files that the server had already.
  package var there = 0
  /// Files that were skipped, because their names are taken on the server.
  package var taken = 0
  package var failed = 0
  /// Files of which nothing was sent, because of what became of others.
  package var notTried = 0
  /// Files that may have arrived.
  package var unknown = 0
  /// Files that were not sent because the sending was stopped.
  package var cancelled = 0
  /// Files that have yet to be sent.
  package var left = 0
  /// Files that were removed before they were sent.
  package var removed = 0

  package init() {}

  /// What has become of the files that these totals count.
  package init(_ totals: Totals) {
    (doubtful, there, taken) = (totals.doubtful, totals.there, totals.skipped)
    sent = totals.done - there - taken - doubtful
    (notTried, cancelled) = (totals.notTried, totals.cancelled)
    failed = totals.failed - notTried - cancelled
    (unknown, left) = (totals.unknown, totals.busy + totals.paused)
  }

  /// The files that were sent, with the doubtful ones, as scripts and reports count them.
  package var sentInAll: Int { sent + doubtful }
  /// How many files there are.
  package var all: Int {
    sent + doubtful + there + taken + failed + notTried + unknown + cancelled + left + removed
  }

  /// Counts a file that was removed from a queue. If it had been sent by then, it counts like one that is still there.
  mutating func add(_ one: ItemList.Removed) {
    switch one {
    case .sent: sent += 1
    case .doubtful: doubtful += 1
    case .there: there += 1
    case .skipped: taken += 1
    case .unsent: removed += 1
    }
  }

  /// "2 of 3 files sent, 24 B in 12 ms; 1 failed". Without `figures`, time and size are left out. `atOnce` is how many
  /// were sent at once at most, if that is worth saying. If no file counts as sent, they follow the doubtful ones.
  package func words(_ figures: SendingFigures?, atOnce: Int? = nil) -> String {
    if there > 0, there == all {
      return there == 1 ? "the file is there already" : "all \(there) files are there already"
    }
    let words = "\(HumanReadable.grouped(sent)) of \(HumanReadable.count(all, "file")) sent"
    var amount = ""
    if let figures, sentInAll > 0, figures.seconds > 0 {
      amount += ", \(HumanReadable.bytes(figures.bytes))"
      amount += " in \(HumanReadable.duration(figures.seconds))"
    }
    if let atOnce { amount += ", up to \(atOnce) at once" }
    let isOfDoubtful = sent == 0 && doubtful > 0
    let others = [
      (there, "there already"),
      (taken, taken == 1 ? "skipped, its name is taken" : "skipped, their names are taken"),
      (failed, "failed"), (unknown, "unknown"),
      (doubtful, "doubtful" + (isOfDoubtful ? amount : "")), (notTried, "not tried"),
      (cancelled, "cancelled"), (removed, "removed"),
    ]
    return words + (isOfDoubtful ? "" : amount)
      + others.filter { $0.0 > 0 }.map { "; \(HumanReadable.grouped($0.0)) \($0.1)" }.joined()
  }
}

extension Totals {
  /// How the files ended, in words: "3 files sent, 1 failed".
  package var endWords: String {
    let counts = SendingCounts(self)
    let others = [
      (counts.there, "there already"), (counts.taken, "skipped"), (counts.failed, "failed"),
      (counts.unknown, "unknown"), (counts.doubtful, "doubtful"), (counts.notTried, "not tried"),
    ]
    return HumanReadable.count(counts.sent, "file") + " sent"
      + others.filter { $0.0 > 0 }.map { ", \(HumanReadable.grouped($0.0)) \($0.1)" }.joined()
  }
}
