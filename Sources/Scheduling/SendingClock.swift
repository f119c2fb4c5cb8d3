import UploadModel

/// Measures how long sending takes: from the start of the first file to the end of the last, without the times when it
/// stands still. It does if nothing is under way because the queue is stopped or all the files that are left are paused.
/// Waiting for a server or for another attempt counts.
package struct SendingClock: Sendable {
  /// A file that is to be sent, as the clock sees it.
  package enum Phase: Int, CaseIterable, Sendable {
    /// It waits for a lane, or for another attempt.
    case waiting
    case underWay
    /// It waits until the person resumes it.
    case paused
  }

  private enum Pace {
    case counting
    /// All known files have ended, but more may come. This time counts if they do.
    case lull
    case standing
  }

  package private(set) var figures: SendingFigures
  /// How many files are in each phase.
  private var files = Phase.allCases.map { _ in 0 }
  private var isStarted = true
  private var awaitsMore = false
  /// Whether any of the files has begun.
  private var hasBegun = false
  /// Whether the figures start from zero once the next file begins, unless other files are left now.
  private var startsAnew: Bool
  /// The moment up to which time has been counted.
  private var counted = Instant(seconds: 0)

  /// A clock that goes on from what another process has sent, unless it starts anew with the next file.
  package init(after figures: SendingFigures = SendingFigures(), startsAnew: Bool = false) {
    (self.figures, self.startsAnew) = (figures, startsAnew)
  }

  /// Records that a file goes from one phase to another. It has no phase before it is known and after its end. This
  /// method and the next two return whether the clock has stopped just now.
  package mutating func record(from old: Phase?, to new: Phase?, at now: Instant) -> Bool {
    change(at: now) { clock in
      if let old { clock.files[old.rawValue] -= 1 }
      if let new { clock.files[new.rawValue] += 1 }
      guard new == .underWay, !clock.hasBegun else { return }
      if clock.startsAnew { clock.figures = SendingFigures() }
      (clock.hasBegun, clock.startsAnew) = (true, false)
    }
  }

  /// Records whether files may begin. If they may not, the person has stopped the queue.
  package mutating func setStarted(_ isStarted: Bool, at now: Instant) -> Bool {
    change(at: now) { $0.isStarted = isStarted }
  }

  /// Records whether more files may come without the person's doing.
  package mutating func setAwaitsMore(_ awaitsMore: Bool, at now: Instant) -> Bool {
    change(at: now) { $0.awaitsMore = awaitsMore }
  }

  package mutating func recordArrival(of bytes: Int64) { figures.bytes &+= bytes }

  /// Leaves the files that have ended out of the figures, from the next ones on.
  package mutating func startAnew() { startsAnew = true }

  private var pace: Pace {
    if hasFiles(.underWay) { return .counting }
    guard hasBegun, isStarted else { return .standing }
    if hasFiles(.waiting) { return .counting }
    return awaitsMore && !hasFiles(.paused) ? .lull : .standing
  }

  private func hasFiles(_ phase: Phase) -> Bool { files[phase.rawValue] > 0 }

  private mutating func change(at now: Instant, _ body: (inout SendingClock) -> Void) -> Bool {
    let before = pace
    body(&self)
    let after = pace
    if before == .counting || before == .lull && after == .counting {
      figures.seconds += max(0, now - counted)
    }
    if before == .counting || before != after { counted = now }
    if !awaitsMore, files.allSatisfy({ $0 == 0 }) { hasBegun = false }
    return before != .standing && after == .standing
  }
}
