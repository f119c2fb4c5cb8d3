import Synchronization
import UploadModel
import UploadStore

/// The durable queue on behalf of a session that sends it: writes down what the engine is about to do
/// and what came of it, before anybody else learns of it.
final class QueueKeeper: Sendable {
  let store: UploadStore
  private let content: Mutex<Content>

  private struct Content {
    var lock: SenderLock?
    var isLeaving = false
    /// What could not be written, in order: it is, as soon as there is room again.
    var unwritten: [(ItemID, ItemState)] = []
    var onTrouble: (@Sendable (StoreError) -> Void)?
  }

  init(store: UploadStore) {
    self.store = store
    content = Mutex(Content())
  }

  /// Is told when the queue cannot be written.
  func onTrouble(_ body: @escaping @Sendable (StoreError) -> Void) {
    content.withLock { $0.onTrouble = body }
  }

  /// Takes the right to send; false where another process has it.
  func becomeSender() throws(StoreError) -> Bool {
    guard let lock = try SenderLock(queue: store.path) else { return false }
    content.withLock { $0.lock = lock }
    return true
  }

  /// Waits, on this thread, for the right to send.
  func waitToSend() throws(StoreError) {
    let lock = try SenderLock.wait(queue: store.path)
    content.withLock { $0.lock = lock }
  }

  /// From now on, what is broken off stays in the queue.
  func leave() { content.withLock { $0.isLeaving = true } }

  /// Lets uploads begin: `UploadEngine.Admission`.
  func admit(_ ids: [ItemID]) -> Set<ItemID>? {
    guard write([]) else { return nil }
    do {
      return try store.begin(ids)
    } catch {
      complain(error)
      return nil
    }
  }

  /// Notes what has become of items. Returns false where that could not be written yet.
  @discardableResult
  func write(_ changes: [(ItemID, ItemState)]) -> Bool {
    let (all, isLeaving) = content.withLock { ($0.unwritten + changes, $0.isLeaving) }
    do {
      try store.record(all, leaving: isLeaving)
      content.withLock { $0.unwritten = [] }
      return true
    } catch {
      content.withLock { content in
        content.unwritten = all.filter { if case .sending = $0.1 { false } else { true } }
      }
      complain(error)
      return false
    }
  }

  private func complain(_ error: StoreError) { content.withLock { $0.onTrouble }?(error) }
}
