import CCurl
import Foundation

/// Waits for news of the sockets that libcurl has named, and for other threads (poll(2)).
///
/// libcurl's own wait does not say which sockets have news, so that it has to ask all of them afterwards.
struct SocketPoll {
  /// The other threads' one comes first.
  private var watched: [pollfd]

  /// - Parameter wakeUp: a descriptor from eventfd(2).
  init(wakeUp: Int32) { watched = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)] }

  /// Waits for what libcurl wants to know of a socket from now on: one of its `CURL_POLL` numbers.
  mutating func watch(_ socket: Int32, for wanted: Int32) {
    let events = Int16(
      (wanted & CURL_POLL_IN != 0 ? POLLIN : 0) | (wanted & CURL_POLL_OUT != 0 ? POLLOUT : 0))
    guard wanted != CURL_POLL_REMOVE, events != 0 else { return forget(socket) }
    if let index = index(of: socket) {
      watched[index].events = events
    } else {
      watched.append(pollfd(fd: socket, events: events, revents: 0))
    }
  }

  mutating func forget(_ socket: Int32) {
    if let index = index(of: socket) { watched.remove(at: index) }
  }

  /// Waits, for `milliseconds` at most, or without end where they are negative.
  ///
  /// - Parameter full: sockets that have to have room first. They are not libcurl's news.
  /// - Returns: the sockets of which libcurl has to be told.
  mutating func wait(full: [Int32], milliseconds: Int32) -> [Int32] {
    let count = watched.count
    watched += full.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    defer { watched.removeLast(full.count) }
    guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return [] }
    if watched[0].revents != 0 {
      var orders: UInt64 = 0
      _ = read(watched[0].fd, &orders, MemoryLayout.size(ofValue: orders))
    }
    return watched[1..<count].compactMap { $0.revents == 0 ? nil : $0.fd }
  }

  private func index(of socket: Int32) -> Int? {
    watched.dropFirst().firstIndex { $0.fd == socket }
  }
}
