import Foundation
import MultipartForm
import Testing

@testable import Scheduling
@testable import UploadModel

/// A push and a queue count the same, although only the queue has a list.
@Suite("The progress of files without a list of them")
struct SendingProgressTests {
  private static let size: Int64 = 1000
  private static let busy = Failure(.refused, status: 503, attempts: 1)

  private static func item(_ id: Int64) -> UploadItem {
    UploadItem(
      id: ItemID(id), target: "t", location: FileLocation("/f\(id)"), size: size, state: .waiting)
  }

  private static func point(_ offset: Int64) -> ResumePoint? {
    URL(string: "http://h/1").map {
      ResumePoint(
        url: $0, target: "t", identity: FileIdentity(device: 1, inode: 1, size: size, modified: 7),
        offset: offset, start: offset)
    }
  }

  private static func later(_ seconds: Double) -> ItemState {
    .retrying(busy, next: 2, of: 5, at: Instant(seconds: seconds))
  }

  /// The states of a file, each a second after the one before.
  private static let courses: [[ItemState]] = [
    [
      .preparing(attempt: 1), .sending(attempt: 1, sent: 400, total: size),
      .sending(attempt: 1, sent: size, total: size),
      .awaitingReply(attempt: 1, since: Instant(seconds: 4)), .done(Receipt(status: 201)),
    ],
    [
      .preparing(attempt: 1), .sending(attempt: 1, sent: 700, total: size), later(9),
      .preparing(attempt: 2), .sending(attempt: 2, sent: 100, total: size),
      .failed(Failure(.refused, status: 413, attempts: 2)),
    ],
    [.sending(attempt: 1, sent: 600, total: size), .paused, .waiting, .preparing(attempt: 2)],
    [.failed(Failure(.cancelled))], [.failed(Failure(.notTried("the server is away")))],
    [
      .sending(attempt: 1, sent: size, total: size),
      .failed(Failure(.outcomeUnknown("nobody knows"))),
    ],
  ]

  @Test("Counts, bytes and speeds are those of a list, at every step", arguments: [nil, 300])
  func same(resumingAt offset: Int64?) {
    var (progress, list, speeds) = (SendingProgress(), ItemList(), Speeds())
    var items = Self.courses.indices.map { Self.item(Int64($0)) }
    items.forEach { progress.add($0) }
    list.append(items)
    for step in 0..<6 {
      let now = Instant(seconds: Double(step))
      for (index, states) in Self.courses.enumerated() where step < states.count {
        let old = items[index]
        items[index].state = states[step]
        progress.record(items[index], from: old, at: now)
        _ = list.change(old.id, to: states[step], at: now)
        speeds.record(items[index], from: old.state, to: states[step], at: now)
        guard step == 1, let offset, !states[step].isFinished else { continue }
        let before = items[index]
        items[index].resumePoint = Self.point(offset)
        progress.recordResumePoint(of: items[index], from: before)
        _ = list.setResumePoint(old.id, Self.point(offset))
      }
      progress.settle(at: now)
      speeds.settle(isBusy: true, at: now)
      #expect(progress.totals == list.totals, "step \(step)")
      #expect(progress.speeds.totalSpeed(at: now) == speeds.totalSpeed(at: now))
      #expect(Set(progress.active.map(\.id)) == Set(items.filter(\.state.isActive).map(\.id)))
    }
    #expect(progress.totals.over == 5 && progress.totals.active == 1)
  }

  @Test("A file that is forgotten counts no longer, whatever it was")
  func forgotten() {
    for states in Self.courses {
      var progress = SendingProgress()
      var item = Self.item(1)
      progress.add(item)
      for state in states {
        let old = item
        item.state = state
        progress.record(item, from: old, at: Instant(seconds: 1))
      }
      progress.forget(item)
      #expect(progress.totals == Totals() && progress.active.isEmpty)
    }
  }
}
