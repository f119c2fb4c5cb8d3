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

  /// The same by TCP: of others the kernel does not say how much was written.
  private static func tcpPair() throws -> (Int32, Int32) {
    let stream = Int32(SOCK_STREAM.rawValue)
    let (listener, socket) = (Glibc.socket(AF_INET, stream, 0), Glibc.socket(AF_INET, stream, 0))
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 1) == 0
          && getsockname(listener, $0, &size) == 0 && connect(socket, $0, size) == 0
      }
    }
    let other = accept(listener, nil, nil)
    try #require(isConnected && other >= 0)
    return (socket, other)
  }

  private let wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  @Test func onlySocketsWithNewsAreNamed() throws {
    let (quiet, other) = try Self.pair()
    let (loud, sender) = try Self.pair()
    defer { for end in [quiet, other, loud, sender, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(quiet, for: CURL_POLL_IN)
    poll.watch(loud, for: CURL_POLL_IN)
    #expect(poll.wait(milliseconds: 0) == [])
    #expect(write(sender, "x", 1) == 1)
    #expect(poll.wait(milliseconds: -1) == [loud])
    // It is still unread.
    #expect(poll.wait(milliseconds: -1) == [loud])
    poll.watch(quiet, for: CURL_POLL_INOUT)
    #expect(poll.wait(milliseconds: -1) == [quiet, loud])
    poll.watch(quiet, for: CURL_POLL_OUT)
    poll.watch(loud, for: CURL_POLL_REMOVE)
    #expect(poll.wait(milliseconds: -1) == [quiet])
    poll.forget(quiet)
    #expect(poll.wait(milliseconds: 0) == [])
  }

  @Test func whatEndedIsNews() throws {
    let (socket, other) = try Self.pair()
    defer { for end in [socket, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(socket, for: CURL_POLL_IN)
    close(other)
    #expect(poll.wait(milliseconds: -1) == [socket])
  }

  /// An order ends one wait, and is no news of a socket.
  @Test func othersEndTheWait() throws {
    let (socket, other) = try Self.pair()
    defer { for end in [socket, other, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(socket, for: CURL_POLL_IN)
    for _ in 0..<3 { eventfd_write(wakeUp, 1) }
    #expect(poll.wait(milliseconds: -1) == [])
    #expect(poll.wait(milliseconds: 0) == [])
    #expect(write(other, "x", 1) == 1)
    #expect(poll.wait(milliseconds: -1) == [socket])
  }

  /// With HTTP/2, libcurl asks for room even while the server lets it send nothing.
  @Test func roomOfWhichNothingIsMadeIsToldOnceInAWhile() throws {
    let (socket, other) = try Self.tcpPair()
    defer { for end in [socket, other, wakeUp] { close(end) } }
    var poll = SocketPoll(wakeUp: wakeUp)
    poll.watch(socket, for: CURL_POLL_INOUT, mayRest: true)
    // Something was written between the two.
    #expect(poll.wait(milliseconds: 0, now: 100) == [socket])
    #expect(write(socket, "x", 1) == 1)
    #expect(poll.wait(milliseconds: 0, now: 100) == [socket])
    // Nothing was written since.
    #expect(poll.wait(milliseconds: 0, now: 100) == [socket])
    #expect(poll.wait(milliseconds: -1, now: 100.001) == [])
    #expect(poll.wait(milliseconds: 0, now: 100 + SocketPoll.rest) == [socket])
    #expect(poll.wait(milliseconds: 0, now: 100 + SocketPoll.rest) == [])
    // What arrives may be the leave to send more.
    #expect(write(other, "x", 1) == 1)
    #expect(poll.wait(milliseconds: -1, now: 100 + SocketPoll.rest) == [socket])
    var byte: UInt8 = 0
    #expect(read(socket, &byte, 1) == 1)
    #expect(poll.wait(milliseconds: 0, now: 100 + SocketPoll.rest) == [socket])
    // Others are reported each time.
    poll.watch(socket, for: CURL_POLL_INOUT)
    for _ in 0..<3 { #expect(poll.wait(milliseconds: 0, now: 200) == [socket]) }
  }
}
