import Foundation
import Testing

@testable import Scheduling
@testable import UploadModel

@Suite("The waits that servers ask for")
struct ServerWaitsTests {
  private let here: Origin
  private let there: Origin

  init() throws {
    here = try #require(URL(string: "https://a.example").flatMap { Origin($0) })
    there = try #require(URL(string: "https://b.example").flatMap { Origin($0) })
  }

  private func busy(_ seconds: Double?) -> Failure {
    var failure = Failure(.rejected("busy"))
    failure.retryAfter = seconds
    return failure
  }

  private func at(_ seconds: Double) -> Instant { Instant(seconds: seconds) }

  @Test("one holds back what goes to its server until it is over")
  func one() {
    var waits = ServerWaits()
    let isNews = waits.record(here, until: at(10), busy(10))
    #expect(isNews)
    #expect(waits.until(here, at: at(9)) == at(10))
    #expect(waits.until(here, at: at(10)) == nil)
    #expect(waits.until(there, at: at(9)) == nil && waits.until(nil, at: at(9)) == nil)
  }

  @Test("a later one takes the place of an earlier one, and not the other way round")
  func later() {
    var waits = ServerWaits()
    let isNews = [10.0, 10, 8, 12].map { waits.record(here, until: at($0), busy(10)) }
    #expect(isNews == [true, false, false, true])
    #expect(waits.until(here, at: at(11)) == at(12))
  }

  @Test("a failure that says no time asks for no wait")
  func none() {
    var waits = ServerWaits()
    let isNews = waits.record(here, until: at(10), busy(nil))
    #expect(!isNews && waits.isEmpty)
  }

  @Test("what is over is forgotten, and what a person ends is given back once")
  func ends() {
    var waits = ServerWaits()
    _ = waits.record(here, until: at(10), busy(10))
    _ = waits.record(there, until: at(20), busy(20))
    waits.prune(at: at(10))
    let removed = [waits.remove(here), waits.remove(there), waits.remove(there)]
    #expect(removed == [nil, busy(20), nil])
    #expect(waits.isEmpty)
    _ = waits.record(here, until: at(10), busy(10))
    let ended = waits.removeAll()
    #expect(ended.map(\.0) == [here] && ended.map(\.1) == [busy(10)])
    #expect(waits.isEmpty)
  }

  @Test("one is too long by what the server asked for, not by what is left of it")
  func tooLong() {
    var waits = ServerWaits()
    _ = waits.record(here, until: at(100), busy(100))
    #expect(waits.failure(for: here, longerThan: 60, at: at(99)) == busy(100))
    #expect(waits.failure(for: here, longerThan: 100, at: at(1)) == nil)
    #expect(waits.failure(for: here, longerThan: 60, at: at(100)) == nil)
    #expect(waits.failure(for: there, longerThan: 60, at: at(1)) == nil)
  }
}
