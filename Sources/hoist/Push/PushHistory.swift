import Dispatch
import FileDiscovery
import Foundation
import MultipartForm
import Synchronization
import UploadModel
import UploadStore

/// Records in the history what a push has sent, and looks up what was sent before. It writes in the
/// background and in batches, because a push has no queue that has to survive a crash.
final class PushHistory: Sendable {
  private let intake: QueueIntake
  private let target: String
  /// The folder that relative paths start from.
  private let folder = FileManager.default.currentDirectoryPath
  private let queue = DispatchQueue(label: "hoist.history", qos: .utility)
  private let content = Mutex(Content())

  private struct Content {
    var began: [ItemID: Date] = [:]
    var ended: [(item: UploadItem, began: Date)] = []
    var isScheduled = false
    var trouble: StoreError?
  }

  init(intake: QueueIntake, target: Target) {
    self.intake = intake
    self.target = target.name
  }

  /// What keeps which protocol the server speaks.
  var memory: any ResumeMemory { intake.store }

  /// Why something could not be kept.
  var trouble: StoreError? { content.withLock { $0.trouble } }

  /// The items to send, and those that are left out because they were sent before.
  /// - Parameter stop: once it is cancelled, no contents are read for that.
  func look(at items: [UploadItem], until stop: CancellationToken) -> QueueIntake.Added {
    let named = items.map { item in
      var item = item
      item.target = target
      return item
    }
    do {
      // The history stores absolute paths; the reporter shows paths as they were typed.
      let names = Dictionary(uniqueKeysWithValues: named.map { ($0.id, $0.location) })
      var added = try intake.look(
        at: named.map { at($0.location.absolute(in: folder), $0) }, until: stop)
      added.items = added.items.map { at(names[$0.id], $0) }
      added.skipped = added.skipped.map { at(names[$0.id], $0) }
      return added
    } catch {
      content.withLock { $0.trouble = error }
      return QueueIntake.Added(items: named)
    }
  }

  private func at(_ location: FileLocation?, _ item: UploadItem) -> UploadItem {
    var item = item
    item.location = location ?? item.location
    return item
  }

  /// Notes the state of an item.
  func record(_ item: UploadItem) {
    let isNew = content.withLock { content -> Bool in
      if case .preparing(1) = item.state { content.began[item.id] = Date() }
      guard item.state.isFinished else { return false }
      var item = item
      // The file of spooled standard input is gone with this process, so its path means nothing.
      item.location =
        item.path == SpooledInput.argument ? item.path : item.location.absolute(in: folder)
      content.ended.append((item, content.began.removeValue(forKey: item.id) ?? Date()))
      defer { content.isScheduled = true }
      return !content.isScheduled
    }
    if isNew { queue.asyncAfter(deadline: .now() + 0.2) { [self] in write() } }
  }

  /// Writes what is left.
  func close() { queue.sync { write() } }

  private func write() {
    let ended = content.withLock { content in
      defer { content.ended = [] }
      content.isScheduled = false
      return content.ended
    }
    guard !ended.isEmpty else { return }
    do {
      try intake.store.log(ended)
    } catch {
      content.withLock { $0.trouble = error }
    }
  }
}
