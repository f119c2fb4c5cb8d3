import UploadModel

/// What has become of a run.
package struct RunNews: Hashable, Sendable, Codable {
  package enum Kind: Hashable, Sendable, Codable {
    /// The run has begun.
    case opened
    /// hoist ended before it knew whether the server had taken the first request. The run begins anew.
    case mayBeOpen
    /// The run could not begin, so no file of the target is sent.
    case notOpened
    /// The run is over, ended by this request; nil if no request ends it.
    case ended(RunMachine.Ending?)
    /// The run stays open since a file failed, or since it has no files.
    case kept(isEmpty: Bool)
    /// Sending was stopped, and the run stays open.
    case stopped
    /// The run stays open since its last request was refused.
    case refused(RunMachine.Ending)
    /// It is unknown whether the server accepted the last request of the run.
    case unknown(RunMachine.Ending)
    /// There was no run, since no file was started.
    case none
  }

  package let kind: Kind
  /// What is known of the run.
  package fileprivate(set) var point: RunPoint?
  /// Why a request of the run failed; nil if no request failed.
  package fileprivate(set) var failure: Failure?

  package init(_ kind: Kind, _ point: RunPoint? = nil, because failure: Failure? = nil) {
    (self.kind, self.point, self.failure) = (kind, point, failure)
  }

  /// The name of the news in JSON and logs.
  package var event: String {
    switch kind {
    case .opened: "opened"
    case .notOpened, .mayBeOpen: "open_failed"
    case .ended(.abort): "aborted"
    case .ended, .none: "closed"
    case .kept, .stopped: "left_open"
    case .refused(.close), .unknown(.close): "close_failed"
    case .refused(.abort), .unknown(.abort): "abort_failed"
    }
  }

  /// Whether the news is worth a person's attention.
  package var isTrouble: Bool {
    switch kind {
    case .opened, .none, .ended(.close), .ended(nil): false
    case .ended(.abort), .mayBeOpen, .notOpened, .kept, .stopped, .refused, .unknown: true
    }
  }

  /// Whether files can still go into the run: it is open, or no request ends it.
  package var takesMore: Bool {
    switch kind {
    case .kept, .stopped, .refused(.close), .ended(nil): true
    case .opened, .mayBeOpen, .notOpened, .ended, .refused(.abort), .unknown, .none: false
    }
  }

  /// What has happened, for people; `isLasting` says whether the run outlasts the process, as in the queue.
  package func words(isLasting: Bool) -> String {
    let run = point?.words ?? ""
    let why = failure?.headlineOrLead ?? ""
    let said = failure?.reply.message.map { ", the server said: \(SafeText.line($0))" } ?? ""
    let byHand = "close or delete it on the server"
    switch kind {
    case .opened: return "opened\(run)"
    case .mayBeOpen:
      return
        "perhaps opened before hoist ended, and now started again; check the server for an empty one"
    case .notOpened: return "not opened, so nothing is sent: \(why)\(said)"
    case .ended(.close): return "closed\(run)"
    case .ended(.abort): return "aborted, since not all files arrived\(run)"
    case .ended(nil): return "complete\(run)"
    case .kept(isEmpty: true): return "left open without files\(run); \(byHand)"
    case .kept(isEmpty: false):
      return "left open, since not all files arrived\(run); "
        + (isLasting ? "retry or remove the failed files to have it closed" : byHand)
    case .stopped:
      return "left open, since the upload was stopped\(run)" + (isLasting ? "" : "; \(byHand)")
    case .refused(let ending):
      return "not \(ending == .close ? "closed" : "aborted")\(run): \(why)\(said); "
        + (isLasting ? "R on the screen tries again" : byHand)
    case .unknown(let ending):
      return "perhaps \(ending == .close ? "closed" : "aborted")\(run): \(why)\(said); "
        + "check the server, since hoist does not try again"
    case .none: return ""
    }
  }
}

extension Secrets {
  /// The news without secrets that the server repeats.
  package func hidden(in news: RunNews) -> RunNews {
    var news = news
    if let values = news.point?.values { news.point?.values = values.mapValues { hidden(in: $0) } }
    news.failure = news.failure.map { hidden(in: $0) }
    return news
  }
}
