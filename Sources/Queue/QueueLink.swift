import Dispatch
import Foundation
import Scheduling
import UploadModel

/// A session's end of its queue's socket. The session that sends the queue reports through it to the other sessions.
/// Without a socket, those see only when an upload begins and ends.
@MainActor
final class QueueLink {
  /// Called with orders from other sessions, if this session is the sender.
  var onOrder: (SenderOrder, @escaping SenderServer.Answer) -> Void = { _, _ in }
  /// Called with the number of sessions that would take over, when it changes, if this session is the sender.
  var onSuccessors: (Int) -> Void = { _ in }
  /// The speeds as measured so far, if this session is the sender.
  var speeds: () -> Speeds? = { nil }
  var onNews: ([SenderNews]) -> Void = { _ in }
  /// Called when the sender is lost, with the news that resets what it had reported.
  var onLost: ([SenderNews]) -> Void = { _ in }
  /// What the sender has reported so far.
  private(set) var status = SenderStatus()

  private let queue: String
  private let environment: [String: String]
  private var server: SenderServer?
  private var listener: SenderListener?
  private var isWaiting = false
  private var triesInVain = 0
  /// After this many failed tries, the link stops looking for a sender until the queue changes.
  private static let mostTries = 40
  /// The seconds between two tries.
  private static let retryDelay = 0.25

  init(queue: String, environment: [String: String]) {
    self.queue = queue
    self.environment = environment
  }

  var isListening: Bool { listener != nil }

  /// The process number of the sender that the link listens to.
  var process: Int32? { listener?.process }

  /// Reports to other sessions from now on. Only the holder of the queue's lock may do so.
  func serve() {
    stop()
    server = try? SenderServer(at: SocketPlace(queue: queue, environment: environment))
    server?.onOrder = { [weak self] in self?.onOrder($0, $1) }
    server?.onSuccessors = { [weak self] in self?.onSuccessors($0) }
    server?.measured = { [weak self] in self?.speeds().map { [SenderNews.speeds($0)] } ?? [] }
  }

  func send(_ news: [SenderNews]) { server?.send(news) }

  /// Listens to the sender of the queue as soon as there is one that answers.
  func listen() {
    triesInVain = 0
    tryToListen()
  }

  /// Sends an order to the sender. Returns false if there is no sender to take it.
  func order(_ order: SenderOrder) -> Bool {
    guard let listener else { return false }
    listener.send(order)
    return true
  }

  /// Stops serving or listening, and forgets what the sender has reported.
  func stop() {
    server?.stop()
    server = nil
    triesInVain = Self.mostTries
    listener?.stop()
    lose()
  }

  /// Receives the last news of a sender that has gone, and stops.
  func finish() {
    listener?.receiveRest()
    stop()
  }

  private func tryToListen() {
    guard listener == nil, server == nil, !isWaiting else { return }
    listener = try? SenderListener(
      at: SocketPlace(queue: queue, environment: environment), asSuccessor: true)
    // A sender that is about to go may still take a connection.
    if listener?.isOpen == false { listener = nil }
    guard let listener else { return tryLater() }
    listener.onNews = { [weak self] news in
      guard let self else { return }
      triesInVain = 0
      for news in news { status.record(news) }
      onNews(news)
    }
    listener.onEnd = { [weak self] in
      self?.lose()
      self?.tryLater()
    }
  }

  private func lose() {
    guard listener != nil else { return }
    listener = nil
    let ends = status.ends
    status = SenderStatus()
    onLost(ends)
  }

  private func tryLater() {
    triesInVain += 1
    guard triesInVain < Self.mostTries, !isWaiting else { return }
    isWaiting = true
    onMain(after: Self.retryDelay) { [weak self] in
      self?.isWaiting = false
      self?.tryToListen()
    }
  }
}

extension QueueLink: QueueObserver {
  /// Sends other sessions what is not in the queue's file.
  func receive(_ news: [QueueNews]) {
    guard let server else { return }
    server.send(
      news.flatMap { news -> [SenderNews] in
        switch news {
        case .changed(let changes, _): changes.map { .item(id: $0, state: $1) }
        // Only the offset is passed on: a resume point may contain secrets.
        case .resumePoint(let id, let point?) where point.start > 0:
          [.resumed(id: id, at: point.start)]
        case .reachability(let server, let news): [.server(address: server, news: news)]
        case .refusal(let target, let trouble): [.refusal(target: target, trouble)]
        case .pace(let target, let until): [.pace(target: target, until: until)]
        case .figures(let figures): [.figures(figures)]
        case .lanes(let count, let target, let fall): [.lanes(count, target: target, fall: fall)]
        case .run(let target, let news): [.run(target: target, news)]
        default: []
        }
      })
  }
}
