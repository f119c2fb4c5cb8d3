import Dispatch
import HTTPTransport
import UploadModel

/// The way from the transport's thread to the engine's queue.
extension UploadEngine {
  /// With at least this many prepared requests left, the transport sends everything it can before it wakes the engine:
  /// a thread that wakes up earlier takes a processor that the server may need. With fewer left, the delay would soon
  /// leave lanes empty.
  private static let manyAhead = 4

  /// Passes news of a task to the engine's queue.
  nonisolated func receive(_ news: TransportNews, of number: Int) {
    receive([(number, news)], canWait: true)
  }

  /// The length in bytes of a reply that the engine's queue can read while it handles news.
  private static let shortReply = 1024

  /// Passes the end of a task to the engine's queue, with the content that the rules find in the reply.
  nonisolated func receive(
    _ end: ExchangeEnd, of number: Int, on route: Route, _ rules: ReplyRules
  ) {
    // Short replies are read when they are judged.
    guard rules.needsContent || end.reply.count > Self.shortReply else {
      return receive(end, nil, of: number, on: route)
    }
    replyQueue.async {
      let text = String(decoding: end.reply.prefix(Reply.limit), as: UTF8.self)
      let content = rules.read(Reply(text: text))
      self.receive(end, content, of: number, on: route)
    }
  }

  /// Passes the end of a task to the engine's queue. After a success, the route's next request begins.
  private nonisolated func receive(
    _ end: ExchangeEnd, _ content: ReplyContent?, of number: Int, on route: Route
  ) {
    let news = TransportNews.ended(end, content)
    guard end.trouble == nil, let status = end.head?.status, (200..<300).contains(status),
      let (next, left) = ahead.takeNext(on: route)
    else { return receive([(number, news)], canWait: false) }
    // The end comes first, because the next request takes the lane that it frees.
    receive(
      [(number, news), (next.task.taskIdentifier, .begun(at: time.now()))],
      canWait: left >= Self.manyAhead)
    next.task.resume()
  }

  /// Passes news to the engine's queue, together with any that arrives in the meantime: with small files, a thread
  /// switch for each item would be expensive. If the news can wait, the transport first sends everything that it can.
  private nonisolated func receive(_ news: [NewsInbox.Item], canWait: Bool) {
    let isFirst = inbox.add(news)
    if !canWait {
      callForNews()
    } else if isFirst {
      session.postpone { [weak self] in self?.callForNews() }
    }
  }

  /// Has the engine's queue handle the inbox, unless that is already scheduled.
  private nonisolated func callForNews() {
    guard inbox.needsCall() else { return }
    onQueue { $0.exchanges.receive($0.inbox.take(), on: $0) }
  }
}

/// Requests that wait for a lane.
extension UploadEngine {
  /// Begins requests that have a free lane but were prepared too late for the transport's thread to begin them.
  func beginThoseAhead() {
    guard scheduler.hasLaneForThoseAhead else { return }
    for next in ahead.all {
      guard let exchange = exchanges[next.task.taskIdentifier],
        scheduler.hasLane(for: exchange.firstItem),
        ahead.remove(where: { $0.task === next.task }).count == 1
      else { continue }
      exchange.begin(at: time.now(), on: self)
      next.task.resume()
    }
  }

  /// Whether a request waits for a lane.
  func isAhead(_ exchange: Exchange) -> Bool { exchange.items.contains(where: isAhead) }

  /// Decides whether requests to a target are prepared ahead, now that one has ended. If it did not end well, sending
  /// the waiting requests would be futile or too early.
  func judgeAhead(after exchange: Exchange, _ end: TransferEnd) {
    guard preparesAhead else { return }
    let destination = exchange.request.destination
    let isGood =
      end.trouble == nil && end.status.map { (200..<300).contains($0) || $0 == 303 } == true
    let now = time.now()
    let mayGoAhead =
      isGood && exchange.url == destination.target.url && destination.needs.oneRequestForEachFile
      && !isLate(exchange, at: now)
    schedule {
      let target = destination.target.name
      if mayGoAhead {
        let seconds = $0.recordRequest(taking: now - exchange.start, to: target)
        $0.setAhead(mostAhead(seconds, for: destination), of: target)
      } else {
        $0.setAhead(0, of: target)
      }
      return []
    }
    if !isGood { takeBack { $0.route == exchange.authorization.route } }
  }

  /// How many requests to a target may wait for each lane if one takes `seconds`.
  private func mostAhead(_ seconds: Double, for destination: SendPlan) -> Int {
    let most = hooks.claimsAhead(seconds)
    // After a crash, claimed files are in doubt. If a second copy does no harm, one for each lane is claimed ahead even
    // on a slow disk.
    return most > 0 || !destination.target.isIdempotent ? most : 1
  }

  /// How long a claimed file may wait for a lane, in seconds. Until it begins, it counts as begun for others: they cannot
  /// edit it, and a crash marks it as interrupted.
  private static let longestAhead = 0.5

  private func isLate(_ exchange: Exchange, at now: Instant) -> Bool {
    hooks.admission != nil && now - exchange.start > Self.longestAhead
  }

  /// Puts claimed files back in line whose lanes do not become free soon.
  func takeBackLate(at now: Instant) {
    let late = ahead.all.filter { next in
      exchanges[next.task.taskIdentifier].map { isLate($0, at: now) } == true
    }
    guard !late.isEmpty else { return }
    for next in late {
      schedule {
        $0.setAhead(0, of: next.route.target)
        return []
      }
    }
    takeBack { next in late.contains { $0.task === next.task } }
  }

  /// Puts some uploads back in line if their requests wait for a lane.
  func takeBack(_ items: [ItemID]) { takeBack { items.contains($0.item) } }

  /// Puts uploads whose requests wait for a lane back in line.
  func takeBack(where isMeant: (RequestsAhead.Request) -> Bool = { _ in true }) {
    exchanges.takeBack(ahead.remove(where: isMeant), on: self)
  }
}
