import Scheduling
import UploadModel

/// What was being sent when it was last looked at. Between two small files of one lane, nothing is sent for a moment: the
/// lines above and below the queue, which would be another for the length of a frame, go on to show this.
struct SentLast: Sendable {
  /// How many files, and to which targets.
  var count: Int
  var targets: [String]
  /// When something was last being sent.
  var at: Instant
}

extension AppState {
  /// Notes what is being sent now. `count` files were before.
  mutating func noteSending(after count: Int) {
    if queue.totals.active > 0 {
      sentLast = SentLast(count: queue.totals.active, targets: queue.activeTargets, at: now)
    } else if count > 0 {
      sentLast?.at = now
    }
  }

  /// What was sent until a moment ago, if nothing is now, and nothing keeps the next file from being sent.
  private var moment: SentLast? {
    guard isBetweenFiles, nextProbe == nil, nextWait == nil,
      !known.isHeldBackByCredentials(target)
    else { return nil }
    return sentLast
  }

  /// Whether something was being sent less than a second ago, and more is left to send.
  var isBetweenFiles: Bool {
    let totals = queue.totals
    guard totals.active == 0, totals.busy > 0, settings.isStarted, let sentLast else {
      return false
    }
    return now - sentLast.at < Following.stay
  }

  /// How many files are being sent, or were until a moment ago.
  var sending: Int { moment?.count ?? queue.totals.active }

  /// The targets that files are being sent to, or were until a moment ago.
  var targetsInUse: Set<String> {
    Set((moment?.targets ?? queue.activeTargets).map { $0.isEmpty ? target : $0 })
  }
}
