import Dispatch
import Testing
import UploadModel

@testable import Queue

@Suite struct ChangeBufferTests {
  /// When each of `count` batches of one change arrives, the next one put as soon as the one before has come.
  private func arrivals(
    _ count: Int, everyMilliseconds: UInt64, microsecondsEach: UInt64?
  ) async -> [DispatchTime] {
    let (batches, continuation) = AsyncStream.makeStream(of: DispatchTime.self)
    let buffer = ChangeBuffer(
      everyMilliseconds: everyMilliseconds, microsecondsEach: microsecondsEach, isMerging: false
    ) { _ in continuation.yield(.now()) }
    var arrivals: [DispatchTime] = []
    buffer.put([(ItemID(1), .waiting)])
    for await time in batches {
      arrivals.append(time)
      if arrivals.count == count { break }
      buffer.put([(ItemID(1), .waiting)])
    }
    return arrivals
  }

  @Test("A few changes do not wait as long as many may", .timeLimit(.minutes(10)))
  func few() async {
    let times = await arrivals(20, everyMilliseconds: 3_600_000, microsecondsEach: 1)
    #expect(times.count == 20)
  }

  @Test(arguments: [nil, 1_000_000] as [UInt64?])
  func noPauseIsLongerThanTheLongest(_ each: UInt64?) async throws {
    let times = await arrivals(3, everyMilliseconds: 300, microsecondsEach: each)
    for (before, after) in zip(times, times.dropFirst()) {
      // The pause begins a moment before the batch is handed on.
      #expect(after.uptimeNanoseconds - before.uptimeNanoseconds > 20_000_000)
    }
  }

  @Test("What somebody waits for does not wait for the pause", .timeLimit(.minutes(10)))
  func atOnce() async throws {
    let (batches, continuation) = AsyncStream.makeStream(of: [ItemID].self)
    let buffer = ChangeBuffer(
      everyMilliseconds: 3_600_000, microsecondsEach: nil, isMerging: false
    ) { changes in continuation.yield(changes.map(\.0)) }
    var arrivals = batches.makeAsyncIterator()
    buffer.put([(ItemID(1), .waiting)])
    #expect(await arrivals.next() == [ItemID(1)])
    buffer.put([(ItemID(2), .waiting)])
    buffer.put([(ItemID(3), .paused)], atOnce: true)
    #expect(await arrivals.next() == [ItemID(2), ItemID(3)])
  }

  @Test("Many changes do not wait for more", .timeLimit(.minutes(10)))
  func many() async throws {
    let (batches, continuation) = AsyncStream.makeStream(of: Int.self)
    let buffer = ChangeBuffer(
      everyMilliseconds: 3_600_000, microsecondsEach: nil, many: 10, isMerging: true
    ) { changes in continuation.yield(changes.count) }
    var arrivals = batches.makeAsyncIterator()
    buffer.put([(ItemID(1), .waiting)])
    #expect(await arrivals.next() == 1)
    for number in 1...Int64(10) { buffer.put([(ItemID(number), .paused)]) }
    #expect(await arrivals.next() == 10)
  }
}
