import Dispatch
import Foundation
import Scheduling
import Synchronization
import UploadEngine
import UploadModel
import UploadStore

/// Writes to the durable queue for a session that sends it: what the engine is about to do, and the results,
/// before anyone else sees them.
///
/// The engine does not wait for the disk. Its turns are written in order on a queue of their own, and what comes while
/// the disk is busy is gathered for the next transaction: the slower the disk, the more turns share one.
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
  /// Where the engine's turns are written.
  private let writer = DispatchQueue(label: "hoist.writer", qos: .userInitiated)
  /// Ends the wait for claimed items to end.
  private let haveEnded = DispatchSemaphore(value: 0)

  private let dispose: Disposing
  private let disposals = DisposalQueue()

  private struct Content {
    var lock: SenderLock?
    var isLeaving = false
    /// The turns that are being written.
    var underWay: [Entry] = []
    /// The turns that come after those.
    var next: [Entry] = []
    /// Whether a block on the writer's queue writes the turns, or is about to.
    var isWriting = false
    /// The items whose claims are on disk and that have not ended.
    var claimed: Set<ItemID> = []
    /// How many those were after the last claims.
    var mostClaimed = 0
    /// How long the disk takes to write.
    var pace = DiskPace()
    /// How long requests take, in seconds, as the engine last said.
    var requestSeconds = 0.0
    /// How many claimed items may be left for the writer to go on; nil if it does not wait for any to end.
    var enough: Int?
    /// What could not be written yet, in order. Nothing is claimed in it.
    var unwritten: [QueueTurn] = []
    var isRetryDue = false
    /// The file that keeps those changes meanwhile.
    var place: String?
    /// Whether something may still have to be done with the files of items that were sent. Most targets leave them as
    /// they are, and a look for such items after each write would take longer than some writes.
    var hasDisposals = true
    var onNews: (@Sendable (QueueNews) -> Void)?

    mutating func noteEnds(in turn: QueueTurn) {
      guard !claimed.isEmpty else { return }
      claimed.subtract(turn.released)
      for (id, state) in turn.changes where state.isWrittenDown && !state.isActive {
        claimed.remove(id)
      }
    }

    /// Whether turns that are still to be written are about items of this one, which must not overtake them. A turn
    /// without items waits for all of them.
    func isBusy(with turn: QueueTurn) -> Bool {
      guard isWriting else { return false }
      let ids = turn.changes.map(\.0)
      return ids.isEmpty
        || (underWay + next).contains { entry in
          entry.turn.claims.contains(where: ids.contains)
            || entry.turn.changes.contains { ids.contains($0.0) }
        }
    }
  }

  /// A turn, and what to call once it is written.
  private struct Entry {
    let turn: QueueTurn
    let then: @Sendable (Set<ItemID>?) -> Void
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
    disposals.add { [weak self] in
      guard let self else { return }
      content.withLock { $0.hasDisposals = false }
      defer {
        // Some may have to wait for other items that need the same files.
        let areLeft = (try? store.hasDisposals()) ?? true
        if areLeft { content.withLock { $0.hasDisposals = true } }
      }
      trying {
        for (item, due) in try store.dueDisposals() {
          let outcome = dispose(item, due)
          try store.settleDisposal(of: item.id, outcome.words)
          if outcome.isKept {
            report(.message("\(SafeText.line(item.fileName)): \(outcome.words)"))
          }
        }
      }
    }
  }

  /// Waits until the files that are due have been moved or deleted.
  package func finishDisposals() { disposals.finish() }

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
  /// Files that were sent leave the queue, unless `keepingSent`.
  package func recover(
    keepingSent: Bool = false, isRepeatable: (String) -> Bool
  ) throws(StoreError) -> UploadStore.Recovery {
    let kept = journal.results()
    if !kept.isEmpty {
      try store.record(kept)
      journal.remove()
    }
    defer { disposeSoon() }
    return try store.recover(keepingSent: keepingSent, isRepeatable: isRepeatable)
  }

  /// Looks whether other processes have written, once the disk is free, and calls back from anywhere: see
  /// `UploadStore.look`.
  package func look(then: @escaping @Sendable (Result<UploadStore.Look?, StoreError>) -> Void) {
    writer.async { [store] in then(Result { () throws(StoreError) in try store.look() }) }
  }

  package var isLeaving: Bool { content.withLock { $0.isLeaving } }

  /// Makes uploads that are interrupted from now on stay in the queue.
  package func leave() { content.withLock { $0.isLeaving = true } }

  /// Writes a turn of the engine, after those before it, and then calls `then` with the claimed uploads that may begin;
  /// with nil if nothing could be written yet. What is written together shares one transaction:
  /// `EngineHooks.admission`.
  ///
  /// A turn that has nothing to write, and whose items have nothing to wait for, is done at once.
  package func write(_ turn: QueueTurn, then: @escaping @Sendable (Set<ItemID>?) -> Void) {
    let entry = Entry(turn: turn, then: then)
    let (isDone, needsBlock) = content.withLock { content in
      if turn.isOnlyProgress, !content.isBusy(with: turn) { return (true, false) }
      content.next.append(entry)
      content.noteEnds(in: turn)
      if let enough = content.enough, content.claimed.count <= enough {
        content.enough = nil
        haveEnded.signal()
      }
      defer { content.isWriting = true }
      return (false, !content.isWriting)
    }
    if isDone {
      store.noteProgress(in: turn)
      return then([])
    }
    guard needsBlock else { return }
    writer.async {
      self.gather()
      self.writeTurns()
    }
  }

  /// Writes the turns that have come, and those that come meanwhile. Call it on the writer's queue.
  private func writeTurns() {
    while let entries = takeNext() {
      let begun = trying { try record(entries.map(\.turn)) }
      content.withLock { content in
        if let begun, !begun.isEmpty {
          content.claimed.formUnion(begun)
          content.mostClaimed = content.claimed.count
        }
        if let seconds = store.takeSecondsToDisk() { content.pace.record(seconds) }
      }
      for entry in entries { entry.then(begun) }
      content.withLock { $0.underWay = [] }
      gather()
    }
  }

  /// Waits a moment for the ends of small files that were claimed: they would otherwise be written one by one.
  private func gather() {
    let patience = content.withLock { content in
      let claimed = content.claimed.count
      guard !content.next.isEmpty, claimed > 0 else { return 0.0 }
      let (seconds, left) = content.pace.patience(
        withRequestsTaking: content.requestSeconds, claimed: content.mostClaimed)
      content.enough = seconds > 0 && claimed > left ? left : nil
      return content.enough == nil ? 0 : seconds
    }
    guard patience > 0 else { return }
    _ = haveEnded.wait(timeout: .now() + patience)
    content.withLock { $0.enough = nil }
  }

  package func claimsAhead(ofRequestsTaking seconds: Double) -> Int {
    content.withLock { content in
      content.requestSeconds = seconds
      return content.pace.ahead(ofRequestsTaking: seconds)
    }
  }

  private func takeNext() -> [Entry]? {
    content.withLock { content in
      content.isWriting = !content.next.isEmpty
      guard content.isWriting else { return nil }
      swap(&content.underWay, &content.next)
      return content.underWay
    }
  }

  /// Has it recorded where an upload can resume, with the next turn: `EngineHooks.keeping`. If that cannot be written,
  /// the upload continues, but starts over after a crash.
  package func keep(_ point: ResumePoint?, of id: ItemID) {
    write(QueueTurn(points: [(id, point)])) { _ in }
  }

  /// The addresses that the queue has sent files to, as far as they matter to those that it still has.
  package var addresses: SentAddresses { trying { try store.sentAddresses() } ?? SentAddresses() }

  package var memory: (any ResumeMemory & DigestMemory)? { store }

  package var waits: [ServerWait] { trying { try store.waits() } ?? [] }

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

  /// Results that are not in the queue at the end of the session.
  package struct UnsavedResults {
    /// The items whose results the queue does not know.
    package var items: Set<ItemID>
    /// The file that keeps them for the next process that sends; nil if they could not be kept.
    package var place: String?
    package var reason: StoreError
  }

  /// Writes what remains, in a last attempt. Returns the results that could not be written; nil if all were.
  package func settle() -> UnsavedResults? {
    writer.sync { () -> UnsavedResults? in
      writeTurns()
      do throws(StoreError) {
        try record([])
        return nil
      } catch {
        return content.withLock { content in
          let changes = content.unwritten.flatMap(\.changes)
          return UnsavedResults(
            items: Set(changes.map(\.0)), place: content.place, reason: error)
        }
      }
    }
  }

  /// Writes turns, after what could not be written before. Call it on the writer's queue.
  @discardableResult
  private func record(_ turns: [QueueTurn]) throws(StoreError) -> Set<ItemID> {
    let (left, isLeaving) = content.withLock { ($0.unwritten, $0.isLeaving) }
    let all = left + turns
    do throws(StoreError) {
      let begun = try store.record(all, leaving: isLeaving)
      if !left.isEmpty {
        content.withLock { $0.unwritten = [] }
        journal.remove()
      }
      // Do this even if these uploads make nothing due themselves: a file may have been waiting for one of them to
      // end.
      let ends = all.flatMap { $0.changes.lazy.map(\.1).filter(\.isFinished) }
      let isNew = ends.contains { $0.receipt?.disposal != nil }
      let isDue = content.withLock { content in
        if isNew { content.hasDisposals = true }
        return content.hasDisposals && !ends.isEmpty
      }
      if isDue { disposeSoon() }
      return begun
    } catch {
      // Leave out progress, which means nothing once the session is over.
      let unwritten = all.filter { !$0.isOnlyProgress }.map { turn in
        var kept = QueueTurn(
          released: turn.released, points: turn.points,
          changes: turn.changes.filter(\.1.isWrittenDown))
        kept.waits = turn.waits
        return kept
      }
      let place = (try? store.kept(unwritten.flatMap(\.changes))).flatMap(journal.keep)
      content.withLock {
        $0.unwritten = unwritten
        $0.place = place
      }
      tryAgainSoon()
      throw error
    }
  }

  private func tryAgainSoon() {
    let isNew = content.withLock { content in
      defer { content.isRetryDue = true }
      return !content.isRetryDue && !content.unwritten.isEmpty
    }
    guard isNew else { return }
    writer.asyncAfter(deadline: .now() + 1) { [weak self] in
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
      report(.held("\(error.brief); s or hoist queue start\(option) resumes"))
    } catch {}
    return nil
  }

  private func report(_ news: QueueNews) { content.withLock { $0.onNews }?(news) }
}
