import Dispatch
import FileDiscovery
import Foundation
import MultipartForm
import Scheduling
import Synchronization
import UploadEngine
import UploadModel
import UploadStore

/// Records in the history what a push has sent, and looks up what was sent before. It writes in the background and in
/// batches, because a push has no queue that must survive a crash.
package final class PushHistory: Sendable {
  private let intake: QueueIntake
  private let target: TargetName
  private let time: TimeSource
  /// The folder that relative paths start from.
  private let folder = FileManager.default.currentDirectoryPath
  private let queue = DispatchQueue(label: "hoist.history", qos: .utility)
  private let content = Mutex(Content())
  /// The files that have been sent since the report that names them as failed was written.
  private let sentSince: [UUID: UploadStore.SentFile]

  /// Rows are written as soon as there are this many, or 0.2 s after the first of them.
  private static let portion = 1024

  private struct Content {
    var began: [ItemID: Date] = [:]
    var ended: [(item: UploadItem, began: Date)] = []
    /// How many times rows have been taken to be written.
    var portions = 0
    var trouble: StoreError?
  }

  /// - Parameter report: when the report whose failed files are sent again was written; nil if there is no report.
  package init(intake: QueueIntake, target: TargetName, time: TimeSource, since report: Date?) {
    self.time = time
    self.intake = intake
    self.target = target
    do throws(StoreError) {
      sentSince =
        try report.map { report throws(StoreError) in
          try intake.store.sent(to: target.base, since: report)
        } ?? [:]
    } catch {
      sentSince = [:]
      content.withLock { $0.trouble = error }
    }
  }

  /// The memory for the protocols that servers speak, and for digests of files.
  var memory: any ResumeMemory & DigestMemory { intake.store }

  /// Why something could not be recorded; nil if everything was.
  package var trouble: StoreError? { content.withLock { $0.trouble } }

  /// The items to send, and those to leave out because they were sent before. Once `stop` is cancelled, no file is read
  /// to compare its content.
  func look(at items: [UploadItem], until stop: CancellationToken) -> QueueIntake.Added {
    let since = items.filter { sentSince[$0.uuid]?.identity == $0.identity && $0.identity != nil }
    let left = Set(since.map(\.id))
    let items = left.isEmpty ? items : items.filter { !left.contains($0.id) }
    var added: QueueIntake.Added
    do {
      added = try intake.look(at: items, to: target.base, in: folder, until: stop)
    } catch {
      content.withLock { $0.trouble = error }
      added = QueueIntake.Added(items: items)
    }
    added.skipped += since.map { item in
      var item = item
      item.note = sentSince[item.uuid].map { "sent since then, \($0.ended.local)" }
      return item
    }
    return added
  }

  func record(_ item: UploadItem) {
    let (count, portion) = content.withLock { content -> (Int?, Int) in
      if case .preparing(1) = item.state { content.began[item.id] = time.date() }
      guard item.state.isFinished else { return (nil, 0) }
      content.ended.append((item, content.began.removeValue(forKey: item.id) ?? time.date()))
      return (content.ended.count, content.portions)
    }
    if count == 1 {
      queue.asyncAfter(deadline: .now() + 0.2) { [self] in
        // These rows may have been written since, and the next ones have a timer of their own.
        if content.withLock({ $0.portions == portion }) { write() }
      }
    }
    if count == Self.portion { queue.async { [self] in write() } }
  }

  /// Starts writing the rows collected so far.
  func writeSoon() { queue.async { [self] in write() } }

  /// Why a file that was sent must stay where it is; nil if it may be moved or deleted. Writes the rows collected so
  /// far.
  func obstacle(toDisposalOf item: UploadItem) -> String? {
    if !flush() { return "the history does not show yet that it was sent" }
    if hasYetToSend(item) { return "the queue has yet to send it" }
    return nil
  }

  /// Writes the rows collected so far. Returns whether all of them are in the history.
  private func flush() -> Bool {
    queue.sync { write() }
    return trouble == nil
  }

  /// Whether the queue has yet to send this item's file; true if that cannot be determined.
  private func hasYetToSend(_ item: UploadItem) -> Bool {
    guard let identity = item.identity else { return false }
    return (try? intake.store.hasYetToSend(identity)) ?? true
  }

  /// Records how the target's run ended.
  func record(_ news: RunNews) {
    queue.async { [self] in
      do throws(StoreError) {
        try intake.store.recordRunEnd(news.event, news.words(isLasting: false), of: target.base)
      } catch {
        content.withLock { $0.trouble = error }
      }
    }
  }

  /// Writes the remaining rows.
  func close() {
    queue.sync { write() }
    intake.store.shortenLog()
  }

  private func write() {
    let ended = content.withLock { content in
      defer { (content.ended, content.portions) = ([], content.portions + 1) }
      return content.ended
    }
    guard !ended.isEmpty else { return }
    do {
      try intake.store.log(ended) { item in
        var record = item.record
        record.target = target.text
        // The file of a spooled input disappears with this process, so its own path means nothing.
        record.location =
          item.path == SpooledInput.argument ? item.path : item.path.absolute(in: folder)
        return record
      }
    } catch {
      content.withLock { $0.trouble = error }
    }
  }
}
