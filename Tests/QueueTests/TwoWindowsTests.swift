import Foundation
import Scheduling
import TestSupport
import Testing
import UploadModel
import UploadStore

@testable import Queue

/// Two windows of one queue are two views of the same: whatever is done in either, what they say of the whole is equal
/// once nothing moves, and equal to the queue's file.
@MainActor
@Suite("Two windows of one queue")
struct TwoWindowsTests {
  /// What a window says of the whole.
  private struct Sight: Hashable, CustomStringConvertible {
    var totals: Totals
    var states: [String]
    var figures: SendingFigures
    var settings: SenderSettings
    var runs: [String: RunNews]
    var isStopped: Bool

    @MainActor
    init(_ window: QueueSession) {
      let items = window.holder.items
      totals = items.totals
      states = items.items.map(Self.words)
      let queue = window.queue
      (figures, settings) = (queue.figures, queue.settings)
      (runs, isStopped) = (queue.runTroubles, queue.isStopped)
    }

    static func words(_ item: UploadItem) -> String {
      "\(item.id) \(item.state.kind) \(item.mediaType)"
    }

    var description: String {
      "\(totals)\n\(states)\n\(figures) \(settings) \(runs) stopped: \(isStopped)\n"
    }
  }

  @MainActor
  private final class Story {
    let folder: ScratchDirectory
    let server: HostileServer
    var dice: SplitMix64
    var windows: [QueueSession] = []
    private var removed: [(item: UploadItem, before: ItemID?)] = []
    private var files = 0
    private(set) var steps: [String] = []

    init(seed: UInt64) throws {
      folder = try ScratchDirectory()
      dice = SplitMix64(seed: seed)
      // Most files arrive; some are refused, some may have arrived.
      server = try HostileServer { connection, number in
        while connection.discardRequest() {
          let status =
            switch number % 7 {
            case 3: "413 Content Too Large"
            case 5: "500 Internal Server Error"
            default: "201 Created"
            }
          connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
          return
        }
      }
    }

    func open() async throws {
      var options = SharedQueue.Options()
      options.stays = true
      let window = try QueueSession(in: folder, to: server.url(), options: options)
      window.queue.open()
      windows.append(window)
      try await wait(for: "the queue to be read") { window.queue.isReading ? nil : true }
    }

    /// Does something in one of the windows.
    func step() async throws {
      let window = windows[Int.random(in: 0..<windows.count, using: &dice)]
      let items = Array(window.holder.items.items)
      let item = items.randomElement(using: &dice)
      let queue = window.queue
      let kind = Int.random(in: 0..<14, using: &dice)
      steps.append("\(kind) in \(window === windows[0] ? 1 : 2) \(item.map { "\($0.id)" } ?? "")")
      switch kind {
      case 0, 1, 2:
        files += 1
        let bytes = Int.random(in: 0...300_000, using: &dice)
        try QueueSession.queue("file-\(files)", in: folder, bytes: bytes)
      case 3: if let item, !item.state.isFinished { queue.pause([item.id]) }
      case 4: if let item, !item.state.isActive { queue.retry([item.id]) }
      case 5:
        guard let item, !item.state.isActive else { break }
        removed.append((item, nil))
        window.holder.receive([.removed([item.id])])
        queue.remove([item.id], begun: [])
      case 6:
        guard let last = removed.popLast(), window.holder.items.item(last.item.id) == nil else {
          break
        }
        queue.restore([QueuePosition(item: last.item, before: nil)])
      case 7:
        guard var item, item.state == .waiting || item.state == .paused else { break }
        item.mediaType = ["text/csv", "image/png"].randomElement(using: &dice) ?? ""
        window.holder.receive([.added([item])])
        queue.edit([item])
      case 8:
        queue.setLimit(
          ([nil, 200_000, 1_000_000] as [Int64?]).randomElement(using: &dice) ?? nil)
      case 9: queue.setStopped(Bool.random(using: &dice))
      case 10:
        let count = Int.random(in: 1...4, using: &dice)
        queue.control(.lanes(.fixed(count), target: "nas"))
      case 11:
        guard let item, let other = items.randomElement(using: &dice), item.id != other.id else {
          break
        }
        var order = items.map(\.id).filter { $0 != item.id }
        order.insert(item.id, at: order.firstIndex(of: other.id) ?? 0)
        window.holder.receive([.reordered(order)])
        queue.move(item.id, before: other.id)
      case 12:
        let done = items.filter(\.state.isDone).map(\.id)
        window.holder.receive([.removed(done)])
        queue.remove(done, begun: [])
      default:
        // A window closes, perhaps the one that sends, and another one opens.
        let index = Int.random(in: 0..<windows.count, using: &dice)
        let old = windows.remove(at: index)
        await old.close()
        try await open()
      }
    }

    /// Whether a window sends, and what it was told last.
    private static func latest(_ window: QueueSession) -> String {
      "sends: \(window.queue.isSender)\n"
        + window.holder.news.suffix(12).map { "\(String(describing: $0).prefix(400))" }
        .joined(separator: "\n")
    }

    /// Waits until nothing moves and both say the same.
    func rest() async throws {
      try await wait(
        for: "two windows to agree after \(steps.count) steps, the last ones \(steps.suffix(40))",
        otherwise: { windows.map { "\(Sight($0))\(Self.latest($0))" }.joined(separator: "\n") }
      ) { () throws -> Bool? in
        let sights = windows.map { Sight($0) }
        guard let first = sights.first, first.totals.active + first.totals.retrying == 0,
          first.isStopped || first.totals.waiting == 0,
          first.settings.isStarted != first.isStopped
        else { return nil }
        let file = try windows[0].store.items().map(Sight.words)
        return sights.allSatisfy { $0 == first } && file == first.states ? true : nil
      }
    }
  }

  /// An order is on its way to the sender while its own person says the opposite: the queue's file has the last word.
  @Test("agree on whether the queue is stopped, whichever window says it last")
  func stopped() async throws {
    let story = try Story(seed: 1)
    defer { story.server.stop() }
    try await story.open()
    try await story.open()
    let (sender, other) = (story.windows[0].queue, story.windows[1].queue)
    sender.setStopped(true)
    try await wait(for: "the other window to know it") { other.isStopped ? true : nil }
    other.setStopped(false)
    sender.setStopped(true)
    // By then the sender has taken all orders that were given before.
    other.control(.lanes(.fixed(3), target: "nas"))
    try await wait(for: "the lanes") {
      [sender, other].allSatisfy { $0.settings.lanes["nas"] == .fixed(3) } ? true : nil
    }
    try await story.rest()
    #expect(try story.windows[0].store.isStopped())
    #expect(sender.isStopped && !sender.settings.isStarted)
    #expect(other.isStopped && !other.settings.isStarted)
    // What is said twice is no later word either.
    other.setStopped(true)
    sender.setStopped(false)
    other.control(.lanes(.fixed(2), target: "nas"))
    try await wait(for: "the lanes") {
      [sender, other].allSatisfy { $0.settings.lanes["nas"] == .fixed(2) } ? true : nil
    }
    try await story.rest()
    #expect(!sender.isStopped && sender.settings.isStarted && other.settings.isStarted)
    // The other one stops and resumes it, and the sender learns that from the file.
    for isStopped in [true, false] {
      other.setStopped(isStopped)
      try await wait(for: "the sender to know it") {
        sender.settings.isStarted == isStopped ? nil : true
      }
    }
    for window in story.windows { await window.close() }
  }

  @Test(
    "say the same of the whole at every rest", .timeLimit(.minutes(20)),
    arguments: MonkeySession.seeds(usual: [1, 2, 3, 4]))
  func agree(seed: UInt64) async throws {
    let story = try Story(seed: seed)
    defer { story.server.stop() }
    try await story.open()
    try await story.open()
    var session = MonkeySession(seed: seed, rounds: 6)
    while session.goesOn() {
      for _ in 0..<8 { try await story.step() }
      try await story.rest()
    }
    for window in story.windows { await window.close() }
  }
}
