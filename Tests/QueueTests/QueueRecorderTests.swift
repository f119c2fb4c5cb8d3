import Foundation
import Scheduling
import Synchronization
import TestSupport
import Testing
import UploadModel
import UploadStore

@testable import Queue

/// What is written to the queue, while another process keeps the disk from it.
@MainActor
@Suite(.timeLimit(.minutes(2)))
final class QueueRecorderTests {
  private let folder: ScratchDirectory
  private let store: UploadStore
  private let recorder: QueueRecorder
  private let ids: [ItemID]
  /// What was written, in order.
  private let written = Mutex<[String]>([])
  private let other: Database

  init() throws {
    folder = try ScratchDirectory()
    let path = folder.path("queue.sqlite")
    try QueueSession.queue("a", "b", "c", "d", in: folder)
    store = try UploadStore(path: path)
    ids = try store.items().map(\.id)
    other = try Database(path: path, patience: 10_000)
    recorder = QueueRecorder(
      store: store, option: "", environment: ["XDG_RUNTIME_DIR": folder.path]
    ) { _, _ in ("left", true) }
  }

  private func waitUntilWritten(_ count: Int) async throws {
    try await wait(for: "\(count) turns") { written.withLock { $0.count } >= count ? true : nil }
  }

  private func write(_ name: String, _ turn: QueueTurn) {
    recorder.write(turn) { [self] begun in
      written.withLock { $0.append("\(name) \(begun?.count ?? -1)") }
    }
  }

  private func revision() throws -> Int64 { try store.changes(since: 0).revision }

  @Test("Once writes are known to be quick, files are claimed ahead")
  func claimsAhead() async throws {
    // In memory, so that writes are quick however busy the disk is.
    let place = "/dev/shm/hoist-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: place) }
    let store = try UploadStore(path: "\(place)/queue.sqlite")
    let recorder = QueueRecorder(
      store: store, option: "", environment: ["XDG_RUNTIME_DIR": folder.path]
    ) { _, _ in ("left", true) }
    #expect(recorder.claimsAhead(ofRequestsTaking: 0.001) == 0)
    try await wait(for: "files to be claimed ahead") { () async throws -> Bool? in
      await withCheckedContinuation { done in
        recorder.write(QueueTurn(released: [ids[0]])) { _ in done.resume() }
      }
      return recorder.claimsAhead(ofRequestsTaking: 0.001) > 0 ? true : nil
    }
    #expect(recorder.settle() == nil)
  }

  @Test("What comes while the disk is busy is written in order, in one transaction")
  func gathered() async throws {
    let before = try revision()
    // Nothing is claimed ahead before it is known how long a write takes.
    #expect(recorder.claimsAhead(ofRequestsTaking: 0.001) == 0)
    try other.execute("BEGIN IMMEDIATE")
    write("first", QueueTurn(claims: [ids[0]]))
    write("second", QueueTurn(changes: [(ids[0], .done(Receipt(status: 201)))], claims: [ids[1]]))
    write("third", QueueTurn(released: [ids[1]], claims: [ids[2]]))
    write("fourth", QueueTurn(changes: [(ids[2], .paused), (ids[1], .paused)]))
    // How far a file has come is told at once, but not before what is still to be written about it.
    let progress = ItemState.sending(attempt: 1, sent: 1, total: 7)
    write("progress", QueueTurn(changes: [(ids[3], progress)]))
    write("late progress", QueueTurn(changes: [(ids[1], progress)]))
    write("nothing", QueueTurn())
    #expect(written.withLock { $0 } == ["progress 0"])
    #expect(try store.items().allSatisfy { $0.state == .waiting })
    try other.execute("COMMIT")
    try await waitUntilWritten(7)
    let names = written.withLock { $0.map { String($0.prefix { $0 != " " }) } }
    #expect(names == ["progress", "first", "second", "third", "fourth", "late", "nothing"])
    #expect(try revision() <= before + 2)
    #expect(try store.items().map(\.state.kind) == [.sent, .paused, .paused, .waiting])
    #expect(try store.history().map(\.outcome) == [.done, .paused])
    #expect(recorder.settle() == nil)
  }

  @Test("How far a file has come is not written, but known at its attempt's end")
  func progress() async throws {
    write("begin", QueueTurn(claims: [ids[0]]))
    try await waitUntilWritten(1)
    for sent: Int64 in [2, 5] {
      write("sent", QueueTurn(changes: [(ids[0], .sending(attempt: 1, sent: sent, total: 7))]))
    }
    recorder.leave()
    write("end", QueueTurn(changes: [(ids[0], .failed(Failure(.cancelled, attempts: 1)))]))
    try await waitUntilWritten(4)
    let entry = try #require(try store.history().first)
    #expect(entry.outcome == .stopped && entry.bytes == 5)
    #expect(recorder.settle() == nil)
  }
}
