import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadModel
import UploadStore

@testable import Queue

/// What a person changes in one window outlives what another one does at the same moment without knowing of it.
@MainActor
@Suite("Files that are edited in another window")
struct EditedElsewhereTests {
  let folder: ScratchDirectory

  init() throws { folder = try ScratchDirectory() }

  private nonisolated static let accepted = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"

  /// Something that a person can change of a file.
  enum Field: CaseIterable {
    case type, name, field, target, path, ifThere

    func change(_ item: inout UploadItem) {
      switch self {
      case .type: (item.mediaType, item.typeSource) = ("image/png", UploadItem.chosenByHand)
      case .name: (item.fileName, item.nameIsChosen) = ("other.txt", true)
      case .field: item.field = "photo"
      case .target: item.target = "desk"
      case .path: item.move(to: "/files/moved.txt")
      case .ifThere: item.record.ifThere = .skip
      }
    }

    /// Changes the queue's only file, as another window does.
    func isChanged(in store: UploadStore) throws {
      var item = try #require(try store.items().first)
      change(&item)
      #expect(try store.edit([item]).isEmpty)
    }
  }

  /// The queue's file as another process has it.
  private func other() throws -> UploadStore {
    try UploadStore(path: folder.path("queue.sqlite"))
  }

  /// A session that looks on and has no link to the sender.
  private func aside(
    look: @escaping @Sendable (UploadItem) -> UploadItem = { $0.with(.waiting) }
  ) async throws -> (session: QueueSession, lock: SenderLock) {
    let path = folder.path("queue.sqlite")
    let lock = try #require(try SenderLock(queue: path, waiting: false))
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let session = try QueueSession(in: folder, to: url, look: look)
    session.queue.open()
    // From then on, it reads the queue only once that changes.
    try await wait(for: "the queue to be read") { session.queue.isReading ? nil : true }
    return (session, lock)
  }

  @Test("A file that is edited as its turn comes is sent as it was edited")
  func asItsTurnCame() async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", "b", in: folder)
    let other = try other()
    try other.setStopped(true)
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    try await session.wait(until: .waiting, .waiting)
    try await wait(for: "the queue to be read") { session.queue.isReading ? nil : true }
    // Nothing is read meanwhile, since this does not leave the main actor.
    try Field.type.isChanged(in: other)
    session.queue.setStopped(false)
    let deadline = ContinuousClock.now + .seconds(20)
    while try other.items().last?.state.isDone != true, .now < deadline { usleep(1000) }
    try await session.wait(until: .sent, .sent)
    let types = session.holder.items.items.map(\.mediaType)
    #expect(types == ["image/png", "text/plain"])
    #expect(try other.items().map(\.mediaType) == types)
    #expect(try other.history().map(\.mediaType).sorted() == types)
    #expect(server.requests.count == 2)
    await session.close()
  }

  @Test(
    "What is edited while its file is looked at stays as it was edited", arguments: Field.allCases)
  func duringALook(_ field: Field) async throws {
    try QueueSession.queue("a", in: folder)
    let other = try other()
    let looks = Mutex(0)
    let (session, lock) = try await aside { item in
      let isFirst = looks.withLock { looks in
        looks += 1
        return looks == 1
      }
      if isFirst { #expect(throws: Never.self) { try field.isChanged(in: other) } }
      return item.with(.waiting)
    }
    let before = try #require(session.holder.items.items.first)
    var edited = before
    field.change(&edited)
    #expect(edited.record != before.record)
    session.queue.retry([before.id])
    try await wait(for: "a look at the file as it was edited") {
      looks.withLock { $0 == 2 } ? true : nil
    }
    try await wait(for: "the edit", otherwise: { "\(session.holder.items.items.map(\.record))" }) {
      session.holder.items.items.first?.record == edited.record ? true : nil
    }
    #expect(try other.items().map(\.record) == [edited.record])
    await session.close()
    withExtendedLifetime(lock) {}
  }

  @Test("What is removed while its file is looked at stays removed")
  func removedDuringALook() async throws {
    try QueueSession.queue("a", in: folder)
    let other = try other()
    let (session, lock) = try await aside { item in
      #expect(throws: Never.self) { try other.remove([item.id]) }
      return item.with(.waiting)
    }
    session.queue.retry([try #require(session.holder.items.order.first)])
    try await session.wait()
    #expect(try other.items().isEmpty)
    await session.close()
    withExtendedLifetime(lock) {}
  }

  @Test("A file that another window sends again is not confirmed as sent at the same moment")
  func confirmedLate() async throws {
    let server = try HostileServer.answering(Self.accepted)
    defer { server.stop() }
    try QueueSession.queue("a", in: folder)
    let other = try other()
    let known = try other.items()
    _ = try other.begin(known.map(\.id))
    let unknown = ItemState.failed(Failure(.outcomeUnknown("closed"), attempts: 1))
    try other.record(known.map { ($0.id, unknown) })
    let session = try QueueSession(in: folder, to: server.url())
    session.queue.open()
    try await wait(for: "the queue to be read") { session.queue.isReading ? nil : true }
    #expect(session.kinds == [.unknown])
    // Nothing is read meanwhile, since this does not leave the main actor.
    try other.update(known, from: known)
    session.queue.confirm(known.map(\.id))
    try await wait(for: "the file to be sent", otherwise: { "\(session.kinds)" }) {
      server.requests.count == 1 ? true : nil
    }
    try await session.wait(until: .sent)
    #expect(session.holder.items.items.first?.state.receipt?.isConfirmed == false)
    await session.close()
  }

  @Test("What is paused keeps what was edited before that", arguments: Field.allCases)
  func paused(_ field: Field) async throws {
    try QueueSession.queue("a", in: folder)
    let (session, lock) = try await aside()
    var item = try #require(session.holder.items.items.first)
    // Nothing is read meanwhile, since this does not leave the main actor.
    let other = try other()
    try field.isChanged(in: other)
    session.queue.pause([item.id])
    field.change(&item)
    #expect(try other.items().map(\.record) == [item.record])
    #expect(session.holder.items.items.map(\.record) == [item.record])
    #expect(session.kinds == [.paused])
    await session.close()
    withExtendedLifetime(lock) {}
  }
}
