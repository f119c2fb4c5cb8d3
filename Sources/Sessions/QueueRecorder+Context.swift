import ProcessContext
import Queue
import UploadStore

extension QueueRecorder {
  /// The recorder of a session's queue. Files that were sent are moved or deleted as their targets say.
  package convenience init(_ store: UploadStore, lock: SenderLock? = nil, in context: Context) {
    let disposal = FileDisposal(environment: context.environment)
    self.init(
      store: store, lock: lock, option: UsualQueue.option(for: store.path, context.environment),
      environment: context.environment
    ) { item, due in
      let outcome = disposal.perform(due, at: item.location, item.identity)
      return (outcome.words, outcome.isKept)
    }
  }
}
