/// Decides when the requests before and after the files of a target are sent. Events in, actions out; it does no I/O.
///
/// ```
///          a file's turn            answered            no file left
///  closed ──────────────► opening ──────────► open ───────────────────► ending
///    ▲                      │ refused          ▲  │ a file has failed     │ │
///    ├──────────────────────┘   a file's turn, │  ▼                       │ │ refused
///    │                              or again   kept ◄─────────────────────┼─┘
///    └────────────────────────────────────────────── answered, or unknown ┘
/// ```
package struct RunMachine: Sendable {
  /// Where the run stands.
  package enum State: Hashable, Sendable {
    /// There is none. Goes to `opening`, or `open` if there is no first request, on a file's turn.
    case closed
    /// The first request is under way, or waits for another attempt. Goes to `open` or `closed`.
    case opening
    /// Files are sent. Goes to `ending`, `kept` or `closed` once no file is left.
    case open
    /// It waits for its failed files, or for a person. Goes to `open` on a file's turn, or once nothing is wrong.
    case kept
    /// The last request is under way. Goes to `closed`, or to `kept` if it was refused.
    case ending(Ending)
  }

  /// How a run ends.
  package enum Ending: Hashable, Sendable {
    /// By the request after the last file.
    case close
    /// By the one that discards it.
    case abort
  }

  /// What can happen.
  package enum Event: Sendable {
    /// A file may start.
    case turn
    /// The first request was answered, with these values.
    case opened([String: String], isFromAway: Bool)
    /// The first request was refused or not sent.
    case notOpened
    /// A file is over.
    case ended(ItemID, isThere: Bool)
    /// A failed file is sent again, or no longer wanted.
    case forgot(ItemID)
    /// No file waits or is under way.
    case idle(hasFailed: Bool = false)
    /// The last request was answered well.
    case done
    /// The last request was not taken.
    case refused(Failure)
    /// The last request may have been taken.
    case unknown(Failure)
    /// A person asks for another attempt.
    case again
  }

  /// What is to be done, in order.
  package enum Action: Hashable, Sendable {
    /// Write this down; nil if the run is over.
    case keep(RunPoint?)
    /// Send the request that ends the run.
    case send(Ending)
    /// Report this.
    case tell(RunNews)
  }

  /// Where the run stands.
  package private(set) var state = State.closed
  /// What is known of it; nil if there is none.
  package private(set) var point: RunPoint?
  /// The files that have failed.
  private var failed: Set<ItemID> = []

  /// No run yet.
  package init() {}

  /// A run that an earlier process has begun.
  ///
  /// - Parameter failed: its files that have failed.
  /// - Returns: the machine, and what is to be done at once.
  package static func resuming(
    _ point: RunPoint, failed: Set<ItemID>
  ) -> (machine: RunMachine, actions: [Action]) {
    var machine = RunMachine()
    let failure = Failure(.outcomeUnknown("hoist ended before the reply"))
    switch point.phase {
    case .opening: return (machine, [.keep(nil)])
    case .closing, .aborting:
      let ending = point.phase == .closing ? Ending.close : .abort
      return (machine, [.keep(nil), .tell(.unknown(ending, failure, point))])
    case .open:
      (machine.state, machine.point, machine.failed) = (.open, point, failed)
      return (machine, [])
    }
  }

  /// Handles an event. Those that make no sense in the current state are ignored.
  package mutating func handle(_ event: Event, _ rules: RunRules) -> [Action] {
    switch (state, event) {
    case (.closed, .turn):
      failed = []
      state = rules.open == nil ? .open : .opening
      return keep(RunPoint(rules.open == nil ? .open : .opening))
    case (.kept, .turn):
      state = .open
      return []
    case (.opening, .opened(let values, let isFromAway)):
      guard var point else { return [] }
      (point.phase, point.values, point.isFromAway) = (.open, values, isFromAway)
      state = .open
      return keep(point) + [.tell(.opened(point))]
    case (.opening, .notOpened): return end()

    case (.open, .ended(let id, let isThere)), (.kept, .ended(let id, let isThere)):
      guard isThere else {
        failed.insert(id)
        return []
      }
      failed.remove(id)
      guard var point, !point.hasFiles else { return [] }
      point.hasFiles = true
      return keep(point)
    case (.open, .forgot(let id)):
      failed.remove(id)
      return []
    case (.kept, .forgot(let id)):
      // After the last one, what kept it open is gone.
      if failed.remove(id) != nil, failed.isEmpty { state = .open }
      return []

    case (.open, .idle(let hasFailed)): return finish(rules, hasFailed: hasFailed)
    case (.kept, .again):
      if failed.isEmpty { state = .open }
      return []
    case (.ending(let ending), .done):
      let ended = point
      return end() + [.tell(.ended(ending, ended ?? RunPoint(.closing)))]
    case (.ending(let ending), .unknown(let failure)):
      let ended = point
      return end() + [.tell(.unknown(ending, failure, ended ?? RunPoint(.closing)))]
    case (.ending(let ending), .refused(let failure)):
      guard var point else { return [] }
      point.phase = .open
      state = .kept
      return keep(point) + [.tell(.refused(ending, failure, point))]

    case (.closed, _), (.opening, _), (.open, _), (.kept, _), (.ending, _): return []
    }
  }

  private mutating func keep(_ point: RunPoint?) -> [Action] {
    self.point = point
    return [.keep(point)]
  }

  private mutating func end() -> [Action] {
    (state, failed) = (.closed, [])
    return keep(nil)
  }

  /// Ends a run that has no file left, or keeps it open.
  private mutating func finish(_ rules: RunRules, hasFailed: Bool) -> [Action] {
    guard var point else { return [] }
    let isWhole = failed.isEmpty && !hasFailed
    guard let close = rules.close else { return end() + [.tell(.ended(nil, point))] }
    var ending: Ending?
    if isWhole {
      // Nothing is published that holds nothing, because its files were taken back.
      ending = point.hasFiles ? .close : close.abort == nil ? nil : .abort
    } else {
      switch close.onFailure {
      case .keep: break
      case .close: ending = .close
      case .abort: ending = close.abort == nil ? nil : .abort
      }
    }
    guard let ending else {
      state = .kept
      return [.tell(.kept(isEmpty: isWhole, point))]
    }
    point.phase = ending == .close ? .closing : .aborting
    state = .ending(ending)
    return keep(point) + [.send(ending)]
  }
}

/// What has become of a run.
package enum RunNews: Hashable, Sendable {
  /// It has begun.
  case opened(RunPoint)
  /// It could not begin, so that no file of the target is sent.
  case notOpened(Failure)
  /// It is over; nil if no request ends it.
  case ended(RunMachine.Ending?, RunPoint)
  /// It stays open since a file failed, or since it has no files.
  case kept(isEmpty: Bool, RunPoint)
  /// The sending was stopped, and it stays open.
  case stopped(RunPoint)
  /// It stays open since its last request was refused.
  case refused(RunMachine.Ending, Failure, RunPoint)
  /// Nobody knows whether the server has taken its last request.
  case unknown(RunMachine.Ending, Failure, RunPoint)
  /// There was none: no file has got that far.
  case none

  /// What it is called in JSON and logs.
  package var event: String {
    switch self {
    case .opened: "opened"
    case .notOpened: "open_failed"
    case .ended(.abort, _): "aborted"
    case .ended, .none: "closed"
    case .kept, .stopped: "left_open"
    case .refused(.close, _, _), .unknown(.close, _, _): "close_failed"
    case .refused(.abort, _, _), .unknown(.abort, _, _): "abort_failed"
    }
  }

  /// Whether it is worth a person's attention.
  package var isTrouble: Bool {
    switch self {
    case .opened, .none, .ended(.close, _), .ended(nil, _): false
    case .ended(.abort, _), .notOpened, .kept, .stopped, .refused, .unknown: true
    }
  }

  /// What is known of the run.
  package var point: RunPoint? {
    switch self {
    case .opened(let point), .ended(_, let point), .kept(_, let point), .stopped(let point),
      .refused(_, _, let point), .unknown(_, _, let point):
      point
    case .notOpened, .none: nil
    }
  }

  /// Why something went wrong; nil if no request did.
  package var failure: Failure? {
    switch self {
    case .notOpened(let failure), .refused(_, let failure, _), .unknown(_, let failure, _): failure
    case .opened, .ended, .kept, .stopped, .none: nil
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
    let byHand = "close or delete it at the server"
    switch self {
    case .opened(let point): return "opened\(point.words)"
    case .notOpened(let failure): return "not opened, so nothing is sent: \(told(failure))"
    case .ended(.close, let point): return "closed\(point.words)"
    case .ended(.abort, let point): return "aborted, since not all files arrived\(point.words)"
    case .ended(nil, let point): return "complete\(point.words)"
    case .kept(isEmpty: true, let point): return "left open without files\(point.words); \(byHand)"
    case .kept(isEmpty: false, let point):
      return "left open, since not all files arrived\(point.words); "
        + (isLasting ? "retry or remove those that failed, and it is closed" : byHand)
    case .stopped(let point):
      return "left open, since the upload was stopped\(point.words)"
        + (isLasting ? "" : "; \(byHand)")
    case .refused(let ending, let failure, let point):
      return "not \(ending == .close ? "closed" : "aborted")\(point.words): \(told(failure)); "
        + (isLasting ? "R tries it again" : byHand)
    case .unknown(let ending, let failure, let point):
      return "perhaps \(ending == .close ? "closed" : "aborted")\(point.words): \(told(failure)); "
        + "see at the server, since hoist does not try it again"
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
