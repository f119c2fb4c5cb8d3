import UploadModel

/// Decides when to send the requests that come before and after the files of a target. Events in, actions out; it does
/// no I/O.
///
/// ```
///          a file starts            answered            no file left
///  closed ──────────────► opening ──────────► open ───────────────────► ending
///    ▲                      │ refused          ▲  │ a file has failed     │ │
///    ├──────────────────────┘   a file starts, │  ▼                       │ │ refused
///    │                              or again   kept ◄─────────────────────┼─┘
///    └────────────────────────────────────────────── answered, or unknown ┘
/// ```
package struct RunMachine: Sendable {
  /// Where the run stands.
  package enum State: Hashable, Sendable {
    /// No run has begun. When a file starts, goes to `opening`, or to `open` if there is no first request.
    case closed
    /// The first request is under way, or waits for another attempt. Goes to `open` or `closed`.
    case opening
    /// Files are sent. Goes to `ending`, `kept` or `closed` once no file is left.
    case open
    /// The run waits for its failed files, or for a person. Goes to `open` when a file starts, or once no failed file is
    /// left.
    case kept
    /// The last request is under way. Goes to `closed`, or to `kept` if it was refused.
    case ending(Ending)
  }

  package enum Ending: Hashable, Sendable, Codable {
    /// The run ends by the request after the last file.
    case close
    /// The run ends by the request that discards it.
    case abort
  }

  package enum Event: Sendable {
    /// A file may start.
    case fileStarts
    /// The first request was answered, with these values.
    case opened([String: String], isFromAway: Bool)
    /// The first request was refused or not sent.
    case notOpened
    /// A file's upload has ended; `isThere` says whether the server has the file.
    case ended(ItemID, isThere: Bool)
    /// The server has a file and is working on it.
    case accepted
    /// A failed file is sent again, or is no longer wanted.
    case forgot(ItemID)
    /// No file is waiting or under way.
    case idle(hasFailed: Bool = false)
    /// The last request succeeded.
    case done
    /// The last request was refused.
    case refused(Failure)
    /// It is unknown whether the last request was accepted.
    case unknown(Failure)
    /// A person asks for another attempt.
    case again
  }

  /// What to do, in order.
  package enum Action: Hashable, Sendable {
    /// Save this state of the run; nil if the run is over.
    case keep(RunPoint?)
    case send(Ending)
    /// Report this.
    case report(RunNews)
  }

  package private(set) var state = State.closed
  /// What is known of the run; nil before it begins and after it ends.
  package private(set) var point: RunPoint?
  /// The files that have failed.
  private var failed: Set<ItemID> = []

  package init() {}

  /// A run that an earlier process has begun, some files of which have failed, and what to do at once.
  package static func resuming(
    _ point: RunPoint, failed: Set<ItemID>
  ) -> (machine: RunMachine, actions: [Action]) {
    var machine = RunMachine()
    let failure = Failure(.outcomeUnknown("hoist ended before the reply"))
    switch point.phase {
    case .opening: return (machine, [.keep(nil), .report(RunNews(.mayBeOpen, point))])
    case .closing, .aborting:
      let ending = point.phase == .closing ? Ending.close : .abort
      return (machine, [.keep(nil), .report(RunNews(.unknown(ending), point, because: failure))])
    case .open:
      machine.state = .open
      machine.point = point
      machine.failed = failed
      return (machine, [])
    }
  }

  /// Handles an event. Events that make no sense in the current state are ignored.
  package mutating func handle(_ event: Event, _ rules: RunRules) -> [Action] {
    switch (state, event) {
    case (.closed, .fileStarts):
      // Without a first request, the run is open at once.
      guard rules.open != nil else {
        state = .open
        return keep(RunPoint(.open))
      }
      state = .opening
      return keep(RunPoint(.opening))
    case (.kept, .fileStarts):
      state = .open
      return []
    case (.opening, .opened(let values, let isFromAway)):
      guard var point else { return [] }
      point.phase = .open
      point.values = values
      point.isFromAway = isFromAway
      state = .open
      return keep(point) + [.report(RunNews(.opened, point))]
    case (.opening, .notOpened): return end(nil)

    case (.open, .ended(let id, let isThere)), (.kept, .ended(let id, let isThere)):
      guard isThere else {
        failed.insert(id)
        return noteDoubt()
      }
      failed.remove(id)
      guard var point, !point.hasFiles else { return [] }
      point.hasFiles = true
      return keep(point)
    case (.open, .accepted), (.kept, .accepted): return noteDoubt()
    case (.open, .forgot(let id)), (.kept, .forgot(let id)):
      // Once no failed file is left, the run has nothing left to wait for.
      if failed.remove(id) != nil, failed.isEmpty { state = .open }
      return []

    case (.open, .idle(let hasFailed)): return finish(rules, hasFailed: hasFailed)
    case (.kept, .again):
      if failed.isEmpty { state = .open }
      return []
    case (.ending(let ending), .done): return end(RunNews(.ended(ending), point))
    case (.ending(let ending), .unknown(let failure)):
      return end(RunNews(.unknown(ending), point, because: failure))
    case (.ending(let ending), .refused(let failure)):
      guard var point else { return [] }
      point.phase = .open
      state = .kept
      return keep(point) + [.report(RunNews(.refused(ending), point, because: failure))]

    case (.closed, _), (.opening, _), (.open, _), (.kept, _), (.ending, _): return []
    }
  }

  private mutating func keep(_ point: RunPoint?) -> [Action] {
    self.point = point
    return [.keep(point)]
  }

  private mutating func end(_ news: RunNews?) -> [Action] {
    state = .closed
    failed = []
    let actions = keep(nil)
    guard let news else { return actions }
    return actions + [.report(news)]
  }

  /// Notes that the run may have files at the server, although no file is known to be there.
  private mutating func noteDoubt() -> [Action] {
    guard var point, point.mayHaveFiles != true else { return [] }
    point.mayHaveFiles = true
    return keep(point)
  }

  /// Ends a run that has no file left, or keeps it open.
  private mutating func finish(_ rules: RunRules, hasFailed: Bool) -> [Action] {
    guard var point else { return [] }
    guard let close = rules.close else { return end(RunNews(.ended(nil), point)) }
    let isWhole = failed.isEmpty && !hasFailed
    guard let ending = Self.ending(of: point, isWhole: isWhole, close) else {
      state = .kept
      return [.report(RunNews(.kept(isEmpty: isWhole), point))]
    }
    state = .ending(ending)
    point.phase = ending == .close ? .closing : .aborting
    return keep(point) + [.send(ending)]
  }

  /// How a run that has no file left ends; nil if it stays open. It is whole if no file has failed.
  private static func ending(
    of point: RunPoint, isWhole: Bool, _ close: RunRules.Closing
  ) -> Ending? {
    let abort: Ending? = close.abort == nil ? nil : .abort
    if isWhole {
      // A run that is empty because its files were withdrawn is not published, and a run that may have files is not
      // discarded.
      if point.hasFiles { return .close }
      return point.mayHaveFiles == true ? nil : abort
    }
    switch close.onFailure {
    case .keep: return nil
    case .close: return .close
    case .abort: return abort
    }
  }
}
