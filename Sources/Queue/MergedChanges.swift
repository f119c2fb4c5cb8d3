import UploadModel

/// The engine's changes between two deliveries. Only the last change of each item is kept, except for those that
/// end an attempt, which the details and the log need.
package struct MergedChanges {
  private var changes: [(ItemID, ItemState)] = []
  /// The position of an item's last change, unless it ended an attempt; nil if every change is kept.
  private var replaceable: [ItemID: Int]?

  package init(isMerging: Bool = true) { replaceable = isMerging ? [:] : nil }

  package var count: Int { changes.count }

  package mutating func put(_ id: ItemID, _ state: ItemState) {
    let index = replaceable?[id] ?? changes.count
    if index == changes.count { changes.append((id, state)) } else { changes[index].1 = state }
    // The end of an attempt is never merged with what follows.
    replaceable?[id] = state.isFinished || state.isRetrying ? nil : index
  }

  /// Removes and returns the changes so far, in order.
  package mutating func drain() -> [(ItemID, ItemState)] {
    defer {
      changes.removeAll(keepingCapacity: true)
      replaceable?.removeAll(keepingCapacity: true)
    }
    return changes
  }
}
