import UploadModel

/// A change that a person made to the queue and can take back.
enum QueueEdit: Sendable {
  /// Items were taken out of these places.
  case removal([QueuePosition])
  /// Items were moved from their places to others.
  case moves(from: [Place], to: [Place])
  /// The whole queue was put in another order.
  case order(before: [ItemID], after: [ItemID])
  /// How items shall be sent was changed.
  case fields([Change])

  /// An item before and after it was edited.
  struct Change: Hashable, Sendable {
    var before: UploadItem
    var after: UploadItem
  }

  /// What was done, for a sentence that begins with "undone:".
  var words: String {
    switch self {
    case .removal(let places): "removal of \(HumanReadable.count(places.count, "file"))"
    case .moves: "move"
    case .order: "sorting"
    case .fields(let changes): "edit of \(HumanReadable.count(changes.count, "file"))"
    }
  }
}

extension UploadItem {
  /// The item as it comes back when its removal is undone: what was under way starts again.
  var asRemoved: UploadItem {
    if case .retrying = state { return with(.waiting) }
    return state.isActive ? with(.waiting) : self
  }
}
