import HTTPTransport
import UploadModel

/// Requests that are prepared before a lane is free for them.
///
/// Two thread switches and a turn of the engine's queue lie between a reply and its lane's next request. With
/// small files that is much of the time. So the transport's thread begins the next request itself, but only after
/// a 2xx reply: after any other end the waiting requests are taken back, and the scheduler decides anew.
/// Until its request begins, a file is reported as waiting, and the attempt does not count.
extension UploadEngine {
  /// A request that waits for a lane.
  struct RequestAhead: Sendable {
    let route: Route
    let task: UploadTask
  }

  /// What happens to a request.
  enum News: Sendable {
    /// The transport's thread began it after it had waited for a lane.
    case begun(at: Instant)
    /// How many bytes of the body the other side has acknowledged. The number falls when the body starts over on
    /// another connection.
    case acknowledged(Int64)
    /// The server ignores `Expect: 100-continue`.
    case expectIgnored
    /// An interim reply's head.
    case informed(ReplyHead)
    /// The final reply's head.
    case responded(ReplyHead)
    /// The request is over, with what the target's rules read in the reply.
    case ended(ExchangeEnd, ReplyContent?)
  }

  /// What the transport has reported and the engine has not handled yet.
  struct Inbox: Sendable {
    var news: [(transfer: Int, news: News)] = []
    /// Whether the engine's queue has been told to handle it.
    var isCalled = false
  }

  /// With at least this many prepared requests left, the transport sends what it can before it wakes the engine: a
  /// thread that wakes up earlier takes a processor that the server may need. With fewer, lanes would soon be empty.
  static let manyAhead = 4

  /// Removes the next request of a route and returns it, with the number of requests left. The caller begins it.
  nonisolated func takeNext(on route: Route) -> (request: RequestAhead, left: Int)? {
    ahead.withLock { ahead in
      ahead.firstIndex { $0.route == route }.map { (ahead.remove(at: $0), ahead.count) }
    }
  }

  /// Begins requests that have a free lane but were prepared too late for the transport's thread to begin them.
  func beginThoseAhead() {
    for next in ahead.withLock({ $0 }) {
      guard let transfer = transfers[next.task.taskIdentifier],
        let id = transfer.shares.first?.item.id, scheduler.hasLane(for: id),
        remove(ahead: { $0.task === next.task }).count == 1
      else { continue }
      recordBegun(transfer, at: time.now())
      next.task.resume()
    }
  }

  /// Whether a request waits for a lane.
  func isAhead(_ transfer: Transfer) -> Bool { transfer.items.contains(where: scheduler.isAhead) }

  func recordBegun(_ transfer: Transfer, at instant: Instant) {
    transfer.recordBegun(at: instant)
    for id in transfer.items {
      recordBegun(id)
      if jobs[id]?.begin == nil { jobs[id]?.begin = instant }
    }
  }

  /// Reports that an attempt that was prepared ahead begins, and gives it a lane.
  func recordBegun(_ id: ItemID) {
    guard scheduler.isAhead(id), case .running(let run)? = jobs[id]?.machine.state else { return }
    scheduler.recordBegun(id)
    tell([(id, .preparing(attempt: run.attempt))])
  }

  /// Decides whether requests to a target are prepared ahead, now that one has ended. If it has not ended well,
  /// those that wait would be futile or too early.
  func judgeAhead(after transfer: Transfer, _ end: TransferEnd) {
    guard preparesAhead else { return }
    let target = transfer.request.target
    let isGood = end.trouble == nil && end.status.map { (200..<300).contains($0) } == true
    scheduler.setGivesAhead(
      isGood && transfer.url == target.url && target.sendsOneRequestForEachFile, of: target.name)
    if !isGood { takeBack { $0.route == transfer.authorization.route } }
  }

  /// Puts uploads whose requests wait for a lane back in line.
  func takeBack(where isMeant: (RequestAhead) -> Bool = { _ in true }) {
    var items: [ItemID] = []
    for request in remove(ahead: isMeant) {
      items += transfers.removeValue(forKey: request.task.taskIdentifier)?.items.map { $0 } ?? []
    }
    for id in items { jobs[id]?.tasks = [] }
    handle(items.map { ($0, .notBegun) })
  }

  /// Removes requests and returns them. Only the caller may begin them or put them back in line.
  @discardableResult
  func remove(ahead isMeant: (RequestAhead) -> Bool) -> [RequestAhead] {
    ahead.withLock { ahead in
      defer { ahead.removeAll(where: isMeant) }
      return ahead.filter(isMeant)
    }
  }
}

extension Target {
  fileprivate var sendsOneRequestForEachFile: Bool {
    // A signature would become stale while its request waits.
    sigV4 == nil && batch == nil && prepare == nil && ticket == nil && server.create == nil
      && digests.isEmpty
      && !resume.isOn
  }
}

extension ItemState {
  /// Whether nothing has been sent yet.
  var isWaitingOrPreparing: Bool {
    switch self {
    case .waiting, .preparing: true
    case .sending, .awaitingReply, .retrying, .paused, .done, .failed: false
    }
  }
}
