import CCurl
import Foundation

/// Waits with poll(2) for events on the sockets that libcurl has named, and for signals from other threads.
///
/// libcurl's own wait function does not report which sockets have events, so all of them would have to be checked
/// afterwards.
struct SocketPoll {
  /// The first entry is the descriptor for other threads.
  private var watched: [pollfd]
  /// For sockets that may rest: the position up to which data had been written when libcurl was last told that it can
  /// write.
  private var written: [Int32: Int64] = [:]
  /// For resting sockets: when the rest ends, in seconds of ``Clock``. Until then, libcurl is not told that it can
  /// write.
  private var rests: [Int32: Double] = [:]

  /// How long a socket rests, in seconds.
  static let rest = 0.01

  /// - Parameter wakeUp: a descriptor from eventfd(2), which other threads write to.
  init(wakeUp: Int32) { watched = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)] }

  /// Watches a socket for the events that libcurl wants from now on, as one of its `CURL_POLL` constants.
  ///
  /// If the socket may rest, and libcurl has written nothing since it was last told that it can write, it is not told
  /// again for a moment, unless something arrives. With HTTP/2, libcurl asks to write even while the server does not
  /// let it send anything.
  mutating func watch(_ socket: Int32, for wanted: Int32, mayRest: Bool = false) {
    let events = Int16(
      (wanted & CURL_POLL_IN != 0 ? POLLIN : 0) | (wanted & CURL_POLL_OUT != 0 ? POLLOUT : 0))
    guard wanted != CURL_POLL_REMOVE, events != 0 else { return forget(socket) }
    rests[socket] = nil
    written[socket] = mayRest ? written[socket] ?? -1 : nil
    if let index = index(of: socket) {
      watched[index].events = events
    } else {
      watched.append(pollfd(fd: socket, events: events, revents: 0))
    }
  }

  mutating func forget(_ socket: Int32) {
    (written[socket], rests[socket]) = (nil, nil)
    if let index = index(of: socket) { watched.remove(at: index) }
  }

  /// Waits for at most `milliseconds`, or without limit if they are negative. Returns the sockets that libcurl must be
  /// told about.
  mutating func wait(milliseconds: Int32, now: Double = Clock.now) -> [Int32] {
    for (socket, end) in rests where end <= now { endRest(of: socket) }
    var longest = milliseconds
    if let end = rests.values.min() {
      let rest = Int32(((end - now) * 1000).rounded(.up))
      longest = milliseconds < 0 ? rest : min(milliseconds, rest)
    }
    guard poll(&watched, nfds_t(watched.count), longest) > 0 else { return [] }
    if watched[0].revents != 0 {
      var orders: UInt64 = 0
      _ = read(watched[0].fd, &orders, MemoryLayout.size(ofValue: orders))
    }
    let news = watched.dropFirst().filter { $0.revents != 0 }
    for socket in news {
      guard let before = written[socket.fd] else { continue }
      guard socket.revents == Int16(POLLOUT) else {
        endRest(of: socket.fd)
        continue
      }
      guard let end = SocketTable.end(of: socket.fd) else { continue }
      written[socket.fd] = end
      if end == before { beginRest(of: socket.fd, until: now + Self.rest) }
    }
    return news.map(\.fd)
  }

  private mutating func beginRest(of socket: Int32, until end: Double) {
    guard let index = index(of: socket) else { return }
    rests[socket] = end
    watched[index].events &= ~Int16(POLLOUT)
  }

  private mutating func endRest(of socket: Int32) {
    guard rests.removeValue(forKey: socket) != nil, let index = index(of: socket) else { return }
    watched[index].events |= Int16(POLLOUT)
  }

  private func index(of socket: Int32) -> Int? {
    watched.dropFirst().firstIndex { $0.fd == socket }
  }
}
