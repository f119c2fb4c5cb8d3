import Dispatch
import Foundation
import Synchronization
import UploadEngine
import UploadModel
import UploadStore

/// Writes to the durable queue for a session that sends it: what the engine is about to do, and the results,
/// before anyone else learns of them.
///
/// If the disk is full or gone, results are kept in a `ResultJournal` elsewhere, and the write is retried
/// every second. The next sender finds the journal, however this process ends.
package final class QueueRecorder: QueueStore {
  package let isLasting = true
  package let store: UploadStore
  /// The option that commands need to act on this queue, with a space before it; empty for the usual queue.
  package let option: String
  private let journal: ResultJournal
  private let content = Mutex(Content())
  /// Held during writes, so that they happen in the order of the events.
  private let writing = Mutex(())
  private let retries = DispatchQueue(label: "hoist.unwritten", qos: .utility)

  private let dispose: Disposing
  private let disposals = DispatchQueue(label: "hoist.after", qos: .utility)

  private struct Content {
    var lock: SenderLock?
    var isLeaving = false
    /// Changes that could not be written yet, in order.
    var unwritten: [(ItemID, ItemState)] = []
    var isRetryDue = false
    /// The file that keeps those changes meanwhile.
    var place: String?
    var onNews: (@Sendable (QueueNews) -> Void)?
  }

  /// Moves or deletes the file of an item that was sent. Says what became of it, and whether it is still in its place.
  package typealias Disposing =
    @Sendable (UploadItem, Disposal) -> (words: String, isKept: Bool)

  /// - Parameter lock: the right to send, if this process already has it.
  package init(
    store: UploadStore, lock: SenderLock? = nil, option: String, environment: [String: String],
    dispose: @escaping Disposing
  ) {
    self.store = store
    self.option = option
    self.dispose = dispose
    content.withLock { $0.lock = lock }
    journal = ResultJournal(queue: store.path, environment: environment)
  }

  /// Sets what to call when the queue cannot be written, and when a file that was sent could not be moved or deleted.
  package func onNews(_ body: @escaping @Sendable (QueueNews) -> Void) {
    content.withLock { $0.onNews = body }
  }

  /// Moves or deletes the files that are due. The queue records which files are due, so nothing is forgotten if this
  /// process ends.
  private func disposeSoon() {
    disposals.async { [weak self] in
      guard let self else { return }
      trying {
        for (item, due) in try store.dueDisposals() {
          let outcome = dispose(item, due)
          try store.settleDisposal(of: item.id, outcome.words)
          if outcome.isKept { tell(.message("\(SafeText.line(item.fileName)): \(outcome.words)")) }
        }
      }
    }
  }

  /// Waits until the files that are due have been moved or deleted.
  package func finishDisposals() { disposals.sync {} }

  /// Acquires the right to send; false if another process has it, unless `waiting` blocks this thread until it is free.
  package func becomeSender(waiting: Bool = false) throws(StoreError) -> Bool {
    if content.withLock({ $0.lock != nil }) { return true }
    guard let lock = try SenderLock(queue: store.path, waiting: waiting) else { return false }
    content.withLock { $0.lock = lock }
    return true
  }

  /// The right to send, as a descriptor that another process inherits; nil if this process does not have it.
  package func handOver() -> Int32? { content.withLock { $0.lock }?.handOver() }

  /// Recovers the queue after the last sender. Results in that sender's journal are written first.
  package func recover(isRepeatable: (String) -> Bool) throws(StoreError) -> UploadStore.Recovery {
    let kept = journal.results()
    if !kept.isEmpty {
      try store.record(kept)
      journal.remove()
    }
    defer { disposeSoon() }
    return try store.recover(isRepeatable: isRepeatable)
  }

  package var isLeaving: Bool { content.withLock { $0.isLeaving } }

  /// Makes uploads that are interrupted from now on stay in the queue.
  package func leave() { content.withLock { $0.isLeaving = true } }

  /// Records the new states of items and then the start of uploads, in one transaction. Returns the uploads that may
  /// begin; nil if nothing could be written: `EngineHooks.admission`.
  package func admit(_ ids: [ItemID], after changes: [(ItemID, ItemState)]) -> Set<ItemID>? {
    trying { try record(changes, starting: ids) }
  }

  /// Records where an upload can resume: `EngineHooks.keeping`. If that cannot be written, the upload continues,
  /// but starts over after a crash.
  package func keep(_ point: ResumePoint?, of id: ItemID) {
    trying { try store.keep(point, of: id) }
  }

  /// The addresses that the queue has sent files to, as far as they matter to those that it still has.
  package var addresses: SentAddresses { trying { try store.sentAddresses() } ?? SentAddresses() }

  package var memory: (any ResumeMemory & DigestMemory)? { store }

  package func keep(_ address: SentAddresses.Entry) { store.keep(address) }

  /// Records what is known of a run: `EngineHooks.keepingRun`.
  package func keepRun(_ point: RunPoint?, of target: String) -> Bool {
    trying { try store.keepRun(point, of: target) } != nil
  }

  /// Whether a file for a target has failed before it could be sent: `EngineHooks.hasUnsent`.
  package func hasUnsent(_ target: String) -> Bool {
    trying { try store.hasUnsent(target) } ?? true
  }

  /// Records how a run ended.
  package func record(_ news: RunNews, of target: String) {
    if news.kind == .opened { return }
    trying { try store.recordRunEnd(news.event, news.words(isLasting: true), of: target) }
  }

  /// Records the new states of items. Returns false if that could not be written yet.
  @discardableResult
  package func write(_ changes: [(ItemID, ItemState)]) -> Bool {
    trying { try record(changes) } != nil
  }

  /// Results that are not in the queue at the end of the session.
  package struct UnsavedResults {
    /// The items whose results the queue does not know.
    package var items: Set<ItemID>
    /// The file that keeps them for the next process that sends; nil if they could not be kept.
    package var place: String?
    package var reason: StoreError
  }

  /// Writes the remaining changes, in a last attempt. Returns the results that could not be written; nil if all were.
  package func settle() -> UnsavedResults? {
    do {
      try record([])
      return nil
    } catch {
      return content.withLock {
        UnsavedResults(items: Set($0.unwritten.map(\.0)), place: $0.place, reason: error)
      }
    }
  }

  @discardableResult
  private func record(
    _ changes: [(ItemID, ItemState)], starting ids: [ItemID] = []
  ) throws(StoreError) -> Set<ItemID> {
    try writing.withLock { _ throws(StoreError) in
      let (left, isLeaving) = content.withLock { ($0.unwritten, $0.isLeaving) }
      let all = left + changes
      do throws(StoreError) {
        let begun = try store.record(all, starting: ids, leaving: isLeaving)
        content.withLock { $0.unwritten = [] }
        if !left.isEmpty { journal.remove() }
        // Do this even if these uploads make nothing due themselves: a file may have been waiting for one of them to
        // end.
        if all.contains(where: { $0.1.isFinished }) { disposeSoon() }
        return begun
      } catch {
        // Leave out progress, which means nothing once the session is over.
        let unwritten = all.filter { if case .sending = $0.1 { false } else { true } }
        let place = (try? store.kept(unwritten)).flatMap(journal.keep)
        content.withLock {
          $0.unwritten = unwritten
          $0.place = place
        }
        tryAgainSoon()
        throw error
      }
    }
  }

  private func tryAgainSoon() {
    let isNew = content.withLock { content in
      defer { content.isRetryDue = true }
      return !content.isRetryDue && !content.unwritten.isEmpty
    }
    guard isNew else { return }
    retries.asyncAfter(deadline: .now() + 1) { [weak self] in
      guard let self else { return }
      content.withLock { $0.isRetryDue = false }
      // Ignore the error, since the trouble has been reported already.
      _ = try? record([])
    }
  }

  /// The result of `body`, or nil if it fails. If the queue could not be read or written, that is reported.
  @discardableResult
  private func trying<Value>(_ body: () throws -> Value) -> Value? {
    do { return try body() } catch let error as StoreError {
      tell(.held("\(error.brief); s or hoist queue start\(option) resumes"))
    } catch {}
    return nil
  }

  private func tell(_ news: QueueNews) { content.withLock { $0.onNews }?(news) }
}
