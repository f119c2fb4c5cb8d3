import CCurl
import Foundation
import Testing

@testable import HTTPTransport

/// It waits for what libcurl has named, and says nothing of the rest.
struct SocketPollTests {
  /// Two ends of a connection.
  private static func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private let wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  @Test func onlySocketsWithNewsAreNamed() throws {
    let (quiet, other) = try Self.pair()
    let (loud, sender) = try Self.pair()
    defer { for end in [quiet, other, loud, sender, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(quiet, for: CURL_POLL_IN)
    poll.watch(loud, for: CURL_POLL_IN)
    #expect(poll.wait(full: [], milliseconds: 0) == [])
    #expect(write(sender, "x", 1) == 1)
    #expect(poll.wait(full: [], milliseconds: -1) == [loud])
    // It is still unread.
    #expect(poll.wait(full: [], milliseconds: -1) == [loud])
    poll.watch(quiet, for: CURL_POLL_INOUT)
    #expect(poll.wait(full: [], milliseconds: -1) == [quiet, loud])
    poll.watch(quiet, for: CURL_POLL_OUT)
    poll.watch(loud, for: CURL_POLL_REMOVE)
    #expect(poll.wait(full: [], milliseconds: -1) == [quiet])
    poll.forget(quiet)
    #expect(poll.wait(full: [], milliseconds: 0) == [])
  }

  @Test func whatEndedIsNews() throws {
    let (socket, other) = try Self.pair()
    defer { for end in [socket, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(socket, for: CURL_POLL_IN)
    close(other)
    #expect(poll.wait(full: [], milliseconds: -1) == [socket])
  }

  /// An order ends one wait, and is no news of a socket. Nor is room in a socket that was full.
  @Test func othersEndTheWait() throws {
    let (socket, other) = try Self.pair()
    defer { for end in [socket, other, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(socket, for: CURL_POLL_IN)
    for _ in 0..<3 { eventfd_write(wakeUp, 1) }
    #expect(poll.wait(full: [], milliseconds: -1) == [])
    #expect(poll.wait(full: [], milliseconds: 0) == [])
    #expect(poll.wait(full: [other], milliseconds: -1) == [])
    #expect(write(other, "x", 1) == 1)
    #expect(poll.wait(full: [other], milliseconds: -1) == [socket])
  }
}
