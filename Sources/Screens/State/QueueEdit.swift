import UploadModel

/// Where an item stands: before another one; `nil` for the end.
struct Place: Hashable, Sendable {
  var id: ItemID
  var before: ItemID?
}

/// A change that a person made to the queue and can take back.
enum QueueEdit: Sendable {
  /// Items were taken out of these places.
  case removal([Placement])
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
    case .removal(let places): "removal of \(Wording.count(places.count, "file"))"
    case .moves: "move"
    case .order: "sorting"
    case .fields(let changes): "edit of \(Wording.count(changes.count, "file"))"
    }
  }
}

/// The edits that can be undone, and those that were and can be redone.
struct EditHistory: Sendable {
  /// More than anybody goes back.
  static let limit = 100

  private var done: [QueueEdit] = []
  private var undone: [QueueEdit] = []

  /// Notes a new edit. What had been undone before can not be redone any more.
  mutating func note(_ edit: QueueEdit) {
    done.append(edit)
    if done.count > Self.limit { done.removeFirst() }
    undone = []
  }

  /// The last edit, which from now on counts as undone.
  mutating func undo() -> QueueEdit? {
    guard let edit = done.popLast() else { return nil }
    undone.append(edit)
    return edit
  }

  /// The edit that was undone last, which from now on counts as done.
  mutating func redo() -> QueueEdit? {
    guard let edit = undone.popLast() else { return nil }
    done.append(edit)
    return edit
  }
}

extension UploadItem {
  /// The item as it comes back when its removal is undone: what was under way starts again.
  var asRemoved: UploadItem {
    var item = self
    if state.isActive { item.state = .waiting }
    if case .retrying = state { item.state = .waiting }
    return item
  }

  /// The item with the state of another: an edit is undone without undoing what happened since.
  func with(stateOf other: UploadItem) -> UploadItem {
    var item = self
    item.state = other.state
    return item
  }
}
