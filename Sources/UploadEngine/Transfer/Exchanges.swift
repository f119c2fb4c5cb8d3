import Foundation
import HTTPTransport
import UploadModel

/// The requests under way. It begins them, passes on to them what the transport reports, and breaks off those that
/// stall.
///
/// It owns what all requests share: the limits on their rate, and which servers ignore `Expect`. It does not know why a
/// request is made.
final class Exchanges {
  private(set) var underWay: [Int: Exchange] = [:]
  /// Servers that did not answer `Expect: 100-continue`. It is not sent to them again.
  private var ignoringExpect: Set<Origin> = []
  /// The limits of targets that have their own, by the targets' names.
  private var targetLimits: [String: BandwidthLimit] = [:]
  private let totalLimit: BandwidthLimit
  private var watchdog: TimeSource.Timer?
  /// News that has not been passed on yet.
  private var news: ArraySlice<NewsInbox.Item> = []
  /// Whether an attempt goes on before the rest of the news is passed on.
  private var isInterrupted = false

  /// - Parameter totalLimit: the limit on the rate of all requests together.
  init(totalLimit: BandwidthLimit) { self.totalLimit = totalLimit }

  /// Whether a request to a URL may ask the server before it sends the body.
  func mayExpect(at url: URL) -> Bool {
    ignoringExpect.isEmpty || Origin(url).map(ignoringExpect.contains) == false
  }

  /// Begins a request, or lets it wait for a lane if it was prepared ahead. `body` is its body, if that has already
  /// been made.
  func begin(
    _ request: UploadRequest, _ body: (any ExchangeBody)? = nil, to url: URL, attempt: Int,
    _ authorization: Authorization,
    cookies: CookieJar, isAhead: Bool, observer: any ExchangeObserver,
    on engine: isolated UploadEngine
  ) -> Exchange {
    var asked = request.exchange
    asked.limits = limits(for: request.destination.target, engine.session)
    asked.cookies = cookies
    if let body {
      asked.body = body
    } else if isAhead {
      asked.body = UploadBody(form: request.body).readAhead()
    }
    let route = authorization.route
    let task = engine.session.task(
      asked, delegate: TransferListener(engine, route, request.destination.target.response))
    let exchange = Exchange(
      attempt: attempt, authorization: authorization, task: task, request: request, url: url,
      start: engine.time.now(), observer: observer)
    underWay[task.taskIdentifier] = exchange
    startWatching(on: engine)
    if isAhead {
      engine.ahead.append(
        RequestsAhead.Request(item: exchange.firstItem, route: route, task: task))
      // If lanes are empty, this one must not wait until all those claimed with it are prepared.
      engine.beginThoseAhead()
    } else {
      task.resume()
    }
    return exchange
  }

  private func limits(for target: Target, _ session: UploadSession) -> [BandwidthLimit] {
    guard let rate = target.rateLimit else { return [totalLimit] }
    let limit = targetLimits[target.name] ?? session.makeLimit()
    targetLimits[target.name] = limit
    limit.set(rate)
    return [totalLimit, limit]
  }

  /// Passes news on to the requests that it is about, in order.
  func receive(_ items: [NewsInbox.Item], on engine: isolated UploadEngine) {
    news += items
    if !isInterrupted { handleNews(on: engine) }
  }

  private func handleNews(on engine: isolated UploadEngine) {
    isInterrupted = false
    while let (number, next) = news.popFirst() {
      handle(next, of: number, on: engine)
      guard case .ended = next, !news.isEmpty else { continue }
      // The attempt goes on first: what it frees or takes back decides what the rest means.
      isInterrupted = true
      return engine.onQueue { $0.exchanges.handleNews(on: $0) }
    }
  }

  private func handle(_ news: TransportNews, of number: Int, on engine: isolated UploadEngine) {
    guard let exchange = underWay[number] else { return }
    let now = engine.time.now()
    let before = exchange.acknowledged
    exchange.note(news, at: now, on: engine)
    switch news {
    case .acknowledged:
      tune(engine, by: exchange.acknowledged - before, of: exchange, at: now)
    case .expectIgnored: if let origin = exchange.origin { ignoringExpect.insert(origin) }
    case .ended(let end, let content):
      underWay[number] = nil
      if engine.isAhead(exchange) {
        engine.ahead.remove { $0.task === exchange.task }
        exchange.takeBack(on: engine)
      } else {
        let end = exchange.noteEnd(end, content, at: now)
        if let load = end.load {
          // The tuner also lowers the number by itself, where fewer lanes are as good as more.
          let why = load == .fine ? nil : end.outcomeWords
          engine.tune(for: exchange.firstItem, because: why, at: now) {
            tuner, underWay in
            tuner.recordEnd(
              load, of: exchange.acknowledged, began: exchange.start, underWay: underWay, at: now)
          }
        }
        exchange.finish(with: end)
      }
    default: break
    }
  }

  private func tune(
    _ engine: isolated UploadEngine, by bytes: Int64, of exchange: Exchange, at now: Instant
  ) {
    guard engine.isTuned(for: exchange.firstItem) else { return }
    let progress = exchange.task.transferProgress
    engine.tune(for: exchange.firstItem, at: now) { tuner, underWay in
      tuner.recordAcknowledged(
        bytes, roundTrip: progress.roundTrip, isLimited: progress.isHeldBack, underWay: underWay,
        at: now)
    }
  }

  /// Takes back requests that wait for a lane. Only the caller of `RequestsAhead.remove` may do that.
  func takeBack(_ requests: [RequestsAhead.Request], on engine: isolated UploadEngine) {
    for request in requests {
      underWay.removeValue(forKey: request.task.taskIdentifier)?.takeBack(on: engine)
    }
  }

  /// The request with this number, if it is under way.
  subscript(number: Int) -> Exchange? { underWay[number] }

  // MARK: Time-outs

  private func startWatching(on engine: isolated UploadEngine) {
    guard watchdog == nil else { return }
    watchdog = engine.after(StallWatch.interval) { $0.exchanges.lookForStalls(on: $0) }
  }

  /// Breaks off requests that stall, or whose deadline has passed.
  private func lookForStalls(on engine: isolated UploadEngine) {
    watchdog = nil
    // Watching does not stop as soon as a request ends, since with small files another begins at once.
    guard !underWay.isEmpty else { return }
    startWatching(on: engine)
    let now = engine.time.now()
    engine.takeBackLate(at: now)
    for exchange in underWay.values where exchange.trouble == nil && !engine.isAhead(exchange) {
      let deadline = exchange.request.target.deadline ?? .infinity
      let late = exchange.items.filter { id in
        engine.beginning(of: id).map { now - $0 > deadline } == true
      }
      if let stall = exchange.stall(at: now) {
        exchange.breakOff(because: stall)
      } else if !late.isEmpty {
        let cause = Failure.Cause.outOfTime(seconds: deadline)
        for id in late { exchange.record(of: id) { $0.cause = cause } }
        exchange.breakOff(because: cause)
      }
    }
  }
}
