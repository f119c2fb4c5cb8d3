import Dispatch
import Foundation

/// Receives news from a queue's sender, and sends it orders. Runs on the main queue.
@MainActor
package final class SenderListener {
  /// Called with the news, in order.
  package var onNews: ([SenderNews]) -> Void = { _ in }
  /// Called once, when the sender closes the connection or sends something invalid.
  package var onEnd: () -> Void = {}
  /// The sender's process ID, once it has greeted.
  package var process: Int32? { connection.peer }

  /// Whether the connection has not ended, which it may do at once.
  package var isOpen: Bool { connection.isOpen }

  private let connection: LinkConnection
  private var news: [SenderNews] = []

  /// Connects to the sender at `place`; fails if none answers, or if a process of another user does. `asSuccessor` says
  /// that this process sends the queue once that one has ended.
  package init(at place: SocketPlace, asSuccessor: Bool = false) throws(LinkError) {
    try place.check()
    let address = try place.address()
    let descriptor = try LocalSocket.make()
    guard LocalSocket.call(connect, descriptor, address) == 0 else {
      let reason = errno
      close(descriptor)
      throw LinkError("no sender answers at \(place.path)", errno: reason)
    }
    guard LocalSocket.isOwn(descriptor) else {
      close(descriptor)
      throw LinkError("the process at \(place.path) belongs to another user")
    }
    connection = LinkConnection(descriptor)
    connection.onLine = { [weak self] in self?.handle($0) ?? false }
    connection.onEnd = { [weak self] in
      self?.deliver()
      self?.onEnd()
    }
    connection.begin(asSuccessor: asSuccessor)
    // A sender that is just ending may hang up before it is greeted, and nobody would be told of that end.
    guard connection.isOpen else { throw LinkError("no sender answers at \(place.path)") }
  }

  package func send(_ order: SenderOrder) {
    for order in order.portions { connection.send(LinkLine.encode(order)) }
  }

  /// Receives what a sender that has gone has left behind.
  func receiveRest() {
    connection.read(atMost: .max)
    deliver()
  }

  /// Stops listening; neither `onNews` nor `onEnd` is called afterwards.
  package func stop() {
    (onNews, onEnd) = ({ _ in }, {})
    connection.close()
  }

  private func handle(_ line: [UInt8]) -> Bool {
    guard let one = LinkLine.decode(SenderNews.self, line) else { return false }
    if news.isEmpty {
      // News that arrives together is handled together.
      onMain { [weak self] in self?.deliver() }
    }
    news.append(one)
    return true
  }

  private func deliver() {
    guard !news.isEmpty else { return }
    let all = news
    news = []
    onNews(all)
  }
}
