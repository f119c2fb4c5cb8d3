/// The edits that can be undone, and those that can be redone.
struct EditHistory: Sendable {
  /// How many edits are kept, more than anybody will undo.
  static let limit = 100

  private var done: [QueueEdit] = []
  private var undone: [QueueEdit] = []

  /// Whether there is anything to undo.
  var canUndo: Bool { !done.isEmpty }

  /// Notes a new edit. Edits that were undone can then not be redone.
  mutating func record(_ edit: QueueEdit) {
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
