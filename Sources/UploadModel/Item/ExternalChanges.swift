/// What another process's changes to the queue mean for the process that sends the items.
package struct ExternalChanges: Hashable, Sendable {
  /// New items.
  package private(set) var fresh: [UploadItem] = []
  /// Items to send again after a failure, or to resume after a pause.
  package private(set) var again: [UploadItem] = []
  /// Items to take out of the line.
  package private(set) var paused: [ItemID] = []
  /// Items whose send settings were edited. Each is in its known state, with the edits applied.
  package private(set) var edited: [UploadItem] = []
  /// Items that wait. Those that are known may have been removed or paused for a moment, in which they were to begin.
  package private(set) var waiting: [ItemID] = []
  /// Whether another process may have reacted to something that is on disk and has not been told here yet, such as the
  /// end of an attempt: such changes must be read once more.
  package private(set) var comeTooEarly = false

  /// The differences between `changed` and `known`. The state of uploads under way is taken from `known`.
  package init(of changed: [UploadItem], known: (ItemID) -> UploadItem?) {
    for item in changed {
      guard let known = known(item.id) else {
        fresh.append(item)
        continue
      }
      if item.state == .waiting { waiting.append(item.id) }
      switch (item.state, known.state) {
      case (.waiting, .failed), (.waiting, .paused): again.append(item)
      case (.paused, .waiting), (.paused, .retrying), (.paused, .sending):
        // Whether it was edited as well, after the pause.
        paused.append(item.id)
        takeEdit(of: known, as: item)
      case (_, let state) where state.isActive:
        if !item.state.isActive, !item.state.isDone, item.state != .paused { comeTooEarly = true }
      default: takeEdit(of: known, as: item)
      }
    }
  }

  private mutating func takeEdit(of known: UploadItem, as written: UploadItem) {
    let new = known.sent(as: written)
    if new != known { edited.append(new) }
  }
}

extension UploadItem {
  /// The item with the send settings of `edited`.
  fileprivate func sent(as edited: UploadItem) -> UploadItem {
    var item = self
    item.record = edited.record
    return item
  }
}
