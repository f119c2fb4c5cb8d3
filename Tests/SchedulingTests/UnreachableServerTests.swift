import Testing

@testable import Scheduling
@testable import UploadModel

@Suite("A server that could not be reached")
struct UnreachableServerTests {
  private let unreachable = Failure(.connectionLost("reset"))
  private let refused = Failure(.connectionLost("refused"))

  private func at(_ seconds: Double) -> Instant { Instant(seconds: seconds) }

  /// A server that has failed at second 0, and the time at which it may be tried.
  private func failed() throws -> (UnreachableServer, Instant) {
    var server = UnreachableServer(unreachable, policy: RetryPolicy(), isPatient: true)
    #expect(!server.isTold && server.permission(at: at(0)) == .go)
    let until = server.recordUnreachable(unreachable, at: at(0), random: 0.5)
    return (server, try #require(until))
  }

  @Test("nothing starts until it may be tried, and then one request")
  func probing() throws {
    var (server, until) = try failed()
    #expect(server.isTold && server.permission(at: at(0)) == .wait(until: until))
    var isTrying = server.recordStarted(on: 1, at: at(0))
    #expect(!isTrying, "a request that began before the failure")
    isTrying = server.recordStarted(on: 2, at: until)
    #expect(isTrying && server.permission(at: until) == .wait(until: nil))
    isTrying = server.recordStarted(on: 3, at: until)
    #expect(!isTrying)
  }

  @Test("if the request says nothing, the next one tries it at once")
  func silence() throws {
    var (server, until) = try failed()
    _ = server.recordStarted(on: 2, at: until)
    server.recordLeft(1)
    #expect(server.permission(at: until) == .wait(until: nil), "another request's lane")
    server.recordLeft(2)
    #expect(server.permission(at: until) == .probe)
  }

  @Test("if it cannot be reached either, the wait begins anew, with the new reason")
  func again() throws {
    var (server, until) = try failed()
    _ = server.recordStarted(on: 2, at: until)
    let next = server.recordUnreachable(refused, at: until, random: 0.5)
    #expect(server.failure == refused && server.openings == 2)
    #expect(server.permission(at: until) == .wait(until: next))
    server.recordLeft(2)
    #expect(server.permission(at: until) == .wait(until: next), "its lane has been forgotten")
  }

  @Test("a person need not wait, and chooses which file tries it")
  func chosen() throws {
    var (server, _) = try failed()
    server.tryNow(at: at(0))
    #expect(server.permission(at: at(0)) == .probe)
    server.choose(ItemID(1)) { _ in true }
    server.choose(ItemID(2)) { _ in true }
    #expect(server.chosen == ItemID(1))
    server.choose(ItemID(3)) { $0 != ItemID(1) }
    #expect(server.chosen == ItemID(3), "the first one waits no longer")
    _ = server.recordStarted(on: 1, at: at(0))
    #expect(server.chosen == nil)
  }
}
