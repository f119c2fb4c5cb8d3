/// What has become of a run.
package enum RunNews: Hashable, Sendable {
  /// The run has begun.
  case opened(RunPoint)
  /// hoist ended before it knew whether the server had taken the first request. The run begins anew.
  case mayBeOpen(RunPoint)
  /// The run could not begin, so no file of the target is sent.
  case notOpened(Failure)
  /// The run is over, ended by this request; nil if no request ends it.
  case ended(RunMachine.Ending?, RunPoint)
  /// The run stays open since a file failed, or since it has no files.
  case kept(isEmpty: Bool, RunPoint)
  /// Sending was stopped, and the run stays open.
  case stopped(RunPoint)
  /// The run stays open since its last request was refused.
  case refused(RunMachine.Ending, Failure, RunPoint)
  /// It is unknown whether the server accepted the last request of the run.
  case unknown(RunMachine.Ending, Failure, RunPoint)
  /// There was no run, since no file's turn came.
  case none

  /// The name of the news in JSON and logs.
  package var event: String {
    switch self {
    case .opened: "opened"
    case .notOpened, .mayBeOpen: "open_failed"
    case .ended(.abort, _): "aborted"
    case .ended, .none: "closed"
    case .kept, .stopped: "left_open"
    case .refused(.close, _, _), .unknown(.close, _, _): "close_failed"
    case .refused(.abort, _, _), .unknown(.abort, _, _): "abort_failed"
    }
  }

  /// Whether the news is worth a person's attention.
  package var isTrouble: Bool {
    switch self {
    case .opened, .none, .ended(.close, _), .ended(nil, _): false
    case .ended(.abort, _), .mayBeOpen, .notOpened, .kept, .stopped, .refused, .unknown: true
    }
  }

  /// Whether files can still go into the run: it is open, or no request ends it.
  package var takesMore: Bool {
    switch self {
    case .kept, .stopped, .refused(.close, _, _), .ended(nil, _): true
    case .opened, .mayBeOpen, .notOpened, .ended, .refused(.abort, _, _), .unknown, .none: false
    }
  }

  /// What is known of the run.
  package var point: RunPoint? {
    switch self {
    case .opened(let point), .mayBeOpen(let point), .ended(_, let point), .kept(_, let point),
      .stopped(let point),
      .refused(_, _, let point), .unknown(_, _, let point):
      point
    case .notOpened, .none: nil
    }
  }

  /// Why a request of the run failed; nil if no request failed.
  package var failure: Failure? {
    switch self {
    case .notOpened(let failure), .refused(_, let failure, _), .unknown(_, let failure, _): failure
    case .opened, .mayBeOpen, .ended, .kept, .stopped, .none: nil
    }
  }

  /// What has happened, for people.
  ///
  /// - Parameter isLasting: whether the run outlasts the process, as in the queue.
  package func words(isLasting: Bool) -> String {
    func told(_ failure: Failure) -> String {
      failure.headline
        + (failure.reply.message.map { ", the server said: \(SafeText.line($0))" } ?? "")
    }
    let byHand = "close or delete it on the server"
    switch self {
    case .opened(let point): return "opened\(point.words)"
    case .mayBeOpen:
      return
        "perhaps opened before hoist ended, and now started again; check the server for an empty one"
    case .notOpened(let failure): return "not opened, so nothing is sent: \(told(failure))"
    case .ended(.close, let point): return "closed\(point.words)"
    case .ended(.abort, let point): return "aborted, since not all files arrived\(point.words)"
    case .ended(nil, let point): return "complete\(point.words)"
    case .kept(isEmpty: true, let point): return "left open without files\(point.words); \(byHand)"
    case .kept(isEmpty: false, let point):
      return "left open, since not all files arrived\(point.words); "
        + (isLasting ? "retry or remove the failed files to have it closed" : byHand)
    case .stopped(let point):
      return "left open, since the upload was stopped\(point.words)"
        + (isLasting ? "" : "; \(byHand)")
    case .refused(let ending, let failure, let point):
      return "not \(ending == .close ? "closed" : "aborted")\(point.words): \(told(failure)); "
        + (isLasting ? "R on the screen tries again" : byHand)
    case .unknown(let ending, let failure, let point):
      return "perhaps \(ending == .close ? "closed" : "aborted")\(point.words): \(told(failure)); "
        + "check on the server, since hoist does not try again"
    case .none: return ""
    }
  }
}

extension Secrets {
  /// The news without secrets that the server repeats.
  package func hidden(in news: RunNews) -> RunNews {
    func hidden(_ point: RunPoint) -> RunPoint {
      var point = point
      point.values = point.values.mapValues { self.hidden(in: $0) }
      return point
    }
    return switch news {
    case .opened(let point): .opened(hidden(point))
    case .mayBeOpen(let point): .mayBeOpen(hidden(point))
    case .notOpened(let failure): .notOpened(self.hidden(in: failure))
    case .ended(let ending, let point): .ended(ending, hidden(point))
    case .kept(let isEmpty, let point): .kept(isEmpty: isEmpty, hidden(point))
    case .stopped(let point): .stopped(hidden(point))
    case .refused(let ending, let failure, let point):
      .refused(ending, self.hidden(in: failure), hidden(point))
    case .unknown(let ending, let failure, let point):
      .unknown(ending, self.hidden(in: failure), hidden(point))
    case .none: .none
    }
  }
}
