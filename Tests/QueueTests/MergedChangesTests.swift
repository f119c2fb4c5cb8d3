import Testing
import UploadModel

@testable import Queue

@Suite struct MergedChangesTests {
  /// Once an attempt has failed, only the step before it tells how much of the file the server had.
  @Test func stepsAreMergedAndEndsOfAttemptsAreNot() {
    var changes = MergedChanges()
    let busy = Failure(.refused, status: 503, attempts: 1)
    func retrying(_ next: Int) -> ItemState {
      .retrying(busy, next: next, of: 3, at: Instant(seconds: 1))
    }
    let (a, b) = (ItemID(1), ItemID(2))
    changes.put(a, .preparing(attempt: 1))
    changes.put(b, .preparing(attempt: 1))
    changes.put(a, .sending(attempt: 1, sent: 1, total: 2))
    changes.put(a, retrying(2))
    changes.put(a, .waiting)
    changes.put(a, .preparing(attempt: 2))
    changes.put(a, retrying(3))
    changes.put(a, .preparing(attempt: 3))
    changes.put(a, .done(Receipt(status: 201)))
    let taken = changes.drain()
    #expect(taken.map(\.0) == [a, b, a, a, a])
    #expect(
      taken.map(\.1) == [
        .sending(attempt: 1, sent: 1, total: 2), .preparing(attempt: 1), retrying(2), retrying(3),
        .done(Receipt(status: 201)),
      ])
    #expect(changes.drain().isEmpty)
    changes.put(a, .waiting)
    #expect(changes.drain().count == 1)
  }
}
