import HTTPTransport
import UploadModel

/// Requests that are prepared before a lane is free for them.
///
/// Between a reply and its lane's next request lie two changes of threads and a turn of the engine's queue. With
/// small files that is much of the time. So the transport's thread begins the next request itself, but only after
/// a reply of 2xx: after any other end the requests that wait are taken back, and the scheduler decides anew.
/// Until one begins, its file waits for all that anybody is told, and its attempt does not count.
extension UploadEngine {
  /// A request that waits for a lane.
  struct RequestAhead: Sendable {
    let transfer: Int
    let route: Route
    let exchange: Exchange
  }

  /// What happens to a request, in the order in which it is handled.
  enum News: Sendable {
    /// It waited for a lane and was begun by the transport's thread.
    case begun(at: Instant)
    /// The transport tells something. With an end comes what the target's rules look at in the reply.
    case event(Exchange.Event, ReplyContent? = nil)
  }

  /// What the transport has told and the engine has not handled.
  struct Inbox: Sendable {
    var news: [(transfer: Int, news: News)] = []
    /// Whether the engine's queue has been asked to handle it.
    var isCalled = false
  }

  /// With so many prepared requests left, the transport need not wait for the engine, and sends what it can before it
  /// calls it: a thread that is woken up before that takes a processor that the server may need. With fewer, lanes would
  /// soon be empty.
  static let manyAhead = 4

  /// Takes the next request of a route out, for whoever begins it, and says how many are left.
  nonisolated func takeNext(on route: Route) -> (request: RequestAhead, left: Int)? {
    ahead.withLock { ahead in
      ahead.firstIndex { $0.route == route }.map { (ahead.remove(at: $0), ahead.count) }
    }
  }

  /// Begins requests for which there are lanes: they were prepared too late for the transport's thread.
  func beginThoseAhead() {
    for next in ahead.withLock({ $0 }) {
      guard let id = transfers[next.transfer]?.shares.first?.item.id, scheduler.hasLane(for: id),
        remove(ahead: { $0.transfer == next.transfer }).count == 1
      else { continue }
      recordBegun(next.transfer, at: time.now())
      next.exchange.resume()
    }
  }

  func recordBegun(_ number: Int, at instant: Instant) {
    guard let transfer = transfers[number] else { return }
    transfer.recordBegun(at: instant)
    for id in transfer.items {
      scheduler.recordBegun(id)
      announce(id)
      if jobs[id]?.begin == nil { jobs[id]?.begin = instant }
    }
  }

  /// Tells of an attempt that was made ahead.
  func announce(_ id: ItemID) {
    guard let job = jobs[id], job.isAhead, case .running(let run) = job.machine.state else {
      return
    }
    job.isAhead = false
    tell([(id, .preparing(attempt: run.attempt))])
  }

  /// Decides whether requests to a target are prepared ahead, now that one has ended. Where it has not ended well,
  /// those that wait would go in vain or too early.
  func judgeAhead(after transfer: Transfer, _ end: TransferEnd) {
    guard preparesAhead else { return }
    let target = transfer.request.target
    let isGood = end.trouble == nil && end.status.map { (200..<300).contains($0) } == true
    scheduler.setGivesAhead(
      isGood && transfer.url == target.url && target.sendsOneRequestForEachFile, of: target.name)
    if !isGood { takeBack { $0.route == transfer.authorization.route } }
  }

  /// Puts uploads back in line whose requests wait for a lane.
  func takeBack(where isMeant: (RequestAhead) -> Bool = { _ in true }) {
    var items: [ItemID] = []
    for request in remove(ahead: isMeant) {
      items += transfers.removeValue(forKey: request.transfer)?.items.map { $0 } ?? []
    }
    for id in items { jobs[id]?.task = nil }
    handle(items.map { ($0, .notBegun) })
  }

  /// Takes requests out. Only who has taken one out may begin it or put it back in line.
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
    batch == nil && prepare == nil && ticket == nil && server.create == nil && !asksForDigests
      && !resume.isOn
  }
}

extension ItemState {
  /// Whether nothing of it has begun.
  var isWaitingOrPreparing: Bool {
    switch self {
    case .waiting, .preparing: true
    case .sending, .awaitingReply, .retrying, .paused, .done, .failed: false
    }
  }
}
