/// The edits that can be undone, and those that can be redone.
struct EditHistory: Sendable {
  /// How many edits are kept: more than anyone will undo.
  static let limit = 100

  private var done: [QueueEdit] = []
  private var undone: [QueueEdit] = []

  var canUndo: Bool { !done.isEmpty }

  /// Records a new edit. Edits that were undone can then no longer be redone.
  mutating func record(_ edit: QueueEdit) {
    done.append(edit)
    if done.count > Self.limit { done.removeFirst() }
    undone = []
  }

  /// Returns the last edit, which now counts as undone.
  mutating func undo() -> QueueEdit? {
    guard let edit = done.popLast() else { return nil }
    undone.append(edit)
    return edit
  }

  /// Returns the edit that was undone last, which now counts as done.
  mutating func redo() -> QueueEdit? {
    guard let edit = undone.popLast() else { return nil }
    done.append(edit)
    return edit
  }
}
