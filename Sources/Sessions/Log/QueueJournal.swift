import Queue
import Scheduling
import UploadModel

/// Logs what a session does with its queue. What another process sends is in that one's log.
@MainActor
final class QueueJournal: QueueObserver {
  private let journal: Journal
  private let holder: any QueueHolder
  private var isAside = false

  init(_ journal: Journal, of holder: any QueueHolder) {
    (self.journal, self.holder) = (journal, holder)
  }

  func receive(_ news: [QueueNews]) {
    for news in news {
      switch news {
      case .aside(let isAside): self.isAside = isAside
      case .changed(let changes, _) where !isAside:
        for (id, state) in changes {
          if let item = holder.items.item(id) { journal.record(item.with(state)) }
        }
      case .run(let target, let news): journal.record(news, of: target)
      default: break
      }
    }
  }
}
