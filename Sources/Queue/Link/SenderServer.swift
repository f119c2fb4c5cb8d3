import Dispatch
import Foundation

/// Sends all listeners at a queue's socket what its sender does, and receives their orders. Only the holder of
/// the queue's lock may create one. Runs on the main queue.
@MainActor
package final class SenderServer {
  /// The most simultaneous listeners. Further listeners are turned away.
  private static let mostListeners = 32
  /// The time limit for a listener's greeting, in seconds.
  private static let patience = 10.0

  /// Sends something to the listener that has given an order, and to no other.
  package typealias Answer = @MainActor @Sendable ([SenderNews]) -> Void

  /// Called with each valid order.
  package var onOrder: (SenderOrder, @escaping Answer) -> Void = { _, _ in }
  /// What a new listener is told besides the status, which does not contain it.
  package var measured: () -> [SenderNews] = { [] }
  /// Called with the number of listeners that would send the queue if this process ended, when it changes.
  package var onSuccessors: (Int) -> Void = { _ in }

  private let place: SocketPlace
  private let source: any DispatchSourceRead
  private let descriptor: Int32
  private var status = SenderStatus()
  private var listeners: [ObjectIdentifier: LinkConnection] = [:]
  private var successors = 0

  /// Listens at `place`, replacing any existing socket.
  package init(at place: SocketPlace) throws(LinkError) {
    self.place = place
    try place.prepare()
    let address = try place.address()
    let file = try LocalSocket.make()
    descriptor = file
    // A sender that was killed leaves its socket behind.
    unlink(place.path)
    guard LocalSocket.call(bind, file, address) == 0, chmod(place.path, 0o600) == 0,
      listen(file, 16) == 0
    else {
      let reason = errno
      close(file)
      throw LinkError("the socket \(place.path) cannot be created", errno: reason)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: file, queue: .main)
    source.setCancelHandler { close(file) }
    source.handleOnMain { [weak self] in self?.accept() }
    source.activate()
  }

  /// The connections whose other end has greeted.
  var listening: [LinkConnection] { listeners.values.filter { $0.peer != nil } }

  /// Sends news to all listeners. Listeners that connect later get the resulting state.
  package func send(_ news: [SenderNews]) {
    for news in news { status.record(news) }
    let listening = listening
    guard !listening.isEmpty else { return }
    let lines = news.flatMap(LinkLine.encode)
    for listener in listening { listener.send(lines) }
  }

  /// Stops listening and closes every connection.
  package func stop() {
    onSuccessors = { _ in }
    source.cancel()
    // The socket at this path is still ours: no successor can have started yet.
    unlink(place.path)
    for listener in listeners.values { listener.close() }
    listeners = [:]
  }

  private func countSuccessors() {
    let count = listeners.values.count { $0.hasSuccessor }
    guard count != successors else { return }
    successors = count
    onSuccessors(count)
  }

  private func accept() {
    while true {
      let peer = Foundation.accept(descriptor, nil, nil)
      guard peer >= 0 else { return }
      LocalSocket.prepare(peer)
      guard LocalSocket.isOwn(peer), listeners.count < Self.mostListeners else {
        close(peer)
        continue
      }
      welcome(LinkConnection(peer))
    }
  }

  private func welcome(_ connection: LinkConnection) {
    let id = ObjectIdentifier(connection)
    listeners[id] = connection
    connection.onEnd = { [weak self] in
      self?.listeners[id] = nil
      self?.countSuccessors()
    }
    connection.onGreeting = { [weak self, weak connection] in
      guard let self else { return }
      let news = status.news + measured() + [.complete]
      connection?.send(news.flatMap(LinkLine.encode), isOwed: true)
      countSuccessors()
    }
    connection.onLine = { [weak self, weak connection] line in
      guard let order = LinkLine.decode(SenderOrder.self, line), order.isValid else { return false }
      self?.onOrder(order) { connection?.send($0.flatMap(LinkLine.encode)) }
      return true
    }
    connection.begin()
    onMain(after: Self.patience) { [weak connection] in
      if let connection, connection.peer == nil { connection.close() }
    }
  }
}
