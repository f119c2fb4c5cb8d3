import Scheduling
import UploadModel

/// A change that the user made to the queue and can undo.
struct QueueEdit: Sendable {
  enum Step: Sendable {
    case restore([QueuePosition])
    case remove([ItemID])
    case move([QueuePlace])
    /// The whole queue gets this order.
    case arrange([ItemID])
    /// Items get the name, type, field and target that these items have, but keep their own states.
    case replace([UploadItem])
    /// These items, which may have arrived, count as sent.
    case confirm([UploadItem])
    /// These items may have arrived, as these failures of theirs say.
    case unconfirm([UploadItem])
  }

  let undo: Step
  /// The step that makes the change, for the first time or again.
  let redo: Step
  /// The change in words, for a message that starts with "undone:".
  let words: String
}

extension UploadItem {
  /// The item as it is restored when its removal is undone: an upload under way starts again.
  var asRemoved: UploadItem { state.isActive || state.isRetrying ? with(.waiting) : self }
}
