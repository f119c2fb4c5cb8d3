import Dispatch
import Foundation
import Synchronization
import UploadModel
import UploadStore

/// Writes to the durable queue for a session that sends it: what the engine is about to do, and the results,
/// before anyone else learns of them.
///
/// If the disk is full or gone, results are kept in a `ResultJournal` elsewhere, and the write is retried
/// every second. The next sender finds the journal, however this process ends.
final class QueueRecorder: Sendable {
  let store: UploadStore
  private let journal: ResultJournal
  private let content = Mutex(Content())
  /// Held during writes, so that they happen in the order of the events.
  private let writing = Mutex(())
  private let retries = DispatchQueue(label: "hoist.unwritten", qos: .utility)

  /// Moves and deletes files that were sent.
  private let disposal: FileDisposal
  private let disposals = DispatchQueue(label: "hoist.after", qos: .utility)

  private struct Content {
    var lock: SenderLock?
    var isLeaving = false
    /// Changes that could not be written yet, in order.
    var unwritten: [(ItemID, ItemState)] = []
    var isRetryDue = false
    /// The file that keeps those changes meanwhile.
    var place: String?
    var onTrouble: (@Sendable (StoreError) -> Void)?
    var onKept: (@Sendable (String) -> Void)?
  }

  /// - Parameter lock: the right to send, if this process already has it.
  init(
    store: UploadStore, lock: SenderLock? = nil,
    environment: [String: String]
  ) {
    self.store = store
    content.withLock { $0.lock = lock }
    disposal = FileDisposal(environment: environment)
    journal = ResultJournal(queue: store.path, environment: environment)
  }

  /// Sets what to call when the queue cannot be written.
  func onTrouble(_ body: @escaping @Sendable (StoreError) -> Void) {
    content.withLock { $0.onTrouble = body }
  }

  /// Sets what to call, with a sentence to show, when a file that was sent could not be moved or deleted.
  func onKept(_ body: @escaping @Sendable (String) -> Void) {
    content.withLock { $0.onKept = body }
  }

  /// Moves or deletes the files that are due. The queue records which files are due, so nothing is forgotten if this
  /// process ends.
  private func disposeSoon() {
    disposals.async { [weak self] in
      guard let self else { return }
      do {
        for (item, due) in try store.dueDisposals() {
          let outcome = disposal.perform(due, at: item.location, item.identity)
          try store.settleDisposal(of: item.id, outcome.words)
          if outcome.isKept {
            content.withLock { $0.onKept }?("\(SafeText.line(item.fileName)): \(outcome.words)")
          }
        }
      } catch {
        if let error = error as? StoreError { complain(error) }
      }
    }
  }

  /// Waits until the files that are due have been moved or deleted.
  func finishDisposals() { disposals.sync {} }

  /// Acquires the right to send; false if another process has it.
  func becomeSender() throws(StoreError) -> Bool {
    if content.withLock({ $0.lock != nil }) { return true }
    guard let lock = try SenderLock(queue: store.path) else { return false }
    content.withLock { $0.lock = lock }
    return true
  }

  /// The right to send, as a descriptor that another process inherits; nil if this process does not have it.
  func handOver() -> Int32? { content.withLock { $0.lock }?.handOver() }

  /// Waits, on this thread, for the right to send.
  func waitToSend() throws(StoreError) {
    let lock = try SenderLock(queue: store.path, waiting: true)
    content.withLock { $0.lock = lock }
  }

  /// Recovers the queue after the last sender. Results in that sender's journal are written first.
  func recover(
    isRepeatable: (String) -> Bool
  ) throws(StoreError) -> UploadStore.Recovery {
    let kept = journal.results()
    if !kept.isEmpty {
      try store.record(kept)
      journal.remove()
    }
    defer { disposeSoon() }
    return try store.recover(isRepeatable: isRepeatable)
  }

  var isLeaving: Bool { content.withLock { $0.isLeaving } }

  /// Makes uploads that are interrupted from now on stay in the queue.
  func leave() { content.withLock { $0.isLeaving = true } }

  /// Records the start of uploads and returns those that may begin: an `UploadEngine.Admission`.
  func admit(_ ids: [ItemID]) -> Set<ItemID>? {
    guard write([]) else { return nil }
    do {
      return try store.begin(ids)
    } catch {
      complain(error)
      return nil
    }
  }

  /// Records where an upload can resume: `UploadEngine.Keeping`. If that cannot be written, the upload continues,
  /// but starts over after a crash.
  func keep(_ point: ResumePoint?, of id: ItemID) {
    do { try store.keep(point, of: id) } catch { complain(error) }
  }

  /// Records what is known of a run: `UploadEngine.RunKeeping`.
  func keepRun(_ point: RunPoint?, of target: String) -> Bool {
    do {
      try store.keepRun(point, of: target)
      return true
    } catch {
      complain(error)
      return false
    }
  }

  /// Whether a file for a target has failed before it could be sent: `UploadEngine.hasUnsent`.
  func hasUnsent(_ target: String) -> Bool {
    do { return try store.hasUnsent(target) } catch {
      complain(error)
      return true
    }
  }

  /// Records how a run ended.
  func record(_ news: RunNews, of target: String) {
    if news.kind == .opened { return }
    do {
      try store.recordRunEnd(news.event, news.words(isLasting: true), of: target)
    } catch { complain(error) }
  }

  /// Records the new states of items. Returns false if that could not be written yet.
  @discardableResult
  func write(_ changes: [(ItemID, ItemState)]) -> Bool {
    do {
      try record(changes)
      return true
    } catch {
      complain(error)
      return false
    }
  }

  /// Results that are not in the queue at the end of the session.
  struct UnsavedResults {
    /// The items whose results the queue does not know.
    var items: Set<ItemID>
    /// The file that keeps them for the next process that sends; nil if they could not be kept.
    var place: String?
    var reason: StoreError
  }

  /// Writes the remaining changes, in a last attempt. Returns the results that could not be written; nil if all were.
  func settle() -> UnsavedResults? {
    do {
      try record([])
      return nil
    } catch {
      return content.withLock {
        UnsavedResults(items: Set($0.unwritten.map(\.0)), place: $0.place, reason: error)
      }
    }
  }

  private func record(_ changes: [(ItemID, ItemState)]) throws(StoreError) {
    let result = writing.withLock { _ in
      let (left, isLeaving) = content.withLock { ($0.unwritten, $0.isLeaving) }
      let all = left + changes
      do throws(StoreError) {
        try store.record(all, leaving: isLeaving)
        content.withLock { $0.unwritten = [] }
        if !left.isEmpty { journal.remove() }
        // Do this even if these uploads make nothing due themselves: a file may have been waiting for one of them to
        // end.
        if all.contains(where: { $0.1.isFinished }) { disposeSoon() }
        return Result<Void, StoreError>.success(())
      } catch {
        // Leave out progress, which means nothing once the session is over.
        let unwritten = all.filter { if case .sending = $0.1 { false } else { true } }
        let place = (try? store.kept(unwritten)).flatMap(journal.keep)
        content.withLock {
          $0.unwritten = unwritten
          $0.place = place
        }
        return .failure(error)
      }
    }
    if case .failure = result { tryAgainSoon() }
    try result.get()
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
      try? record([])
    }
  }

  private func complain(_ error: StoreError) { content.withLock { $0.onTrouble }?(error) }
}
