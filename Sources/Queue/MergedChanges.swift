import UploadModel

/// The engine's changes between two deliveries. Only the last change of each item is kept, except for those that
/// end an attempt, which the details and the log need, and the step before an end without success, which alone tells
/// how many bytes the server had by then.
package struct MergedChanges {
  private var changes: [(ItemID, ItemState)] = []
  /// The position of an item's last change, unless it ended an attempt; nil if every change is kept.
  private var replaceable: [ItemID: Int]?

  package init(isMerging: Bool = true) { replaceable = isMerging ? [:] : nil }

  package var count: Int { changes.count }

  package mutating func put(_ id: ItemID, _ state: ItemState) {
    var index = replaceable?[id] ?? changes.count
    let isEnd = state.isFinished || state.isRetrying
    if isEnd, !state.isDone, index < changes.count, changes[index].1.tellsBytes {
      index = changes.count
    }
    if index == changes.count { changes.append((id, state)) } else { changes[index].1 = state }
    // The end of an attempt is never merged with what follows.
    replaceable?[id] = isEnd ? nil : index
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

extension ItemState {
  /// Whether it tells how many of the file's bytes the server has.
  fileprivate var tellsBytes: Bool {
    switch self {
    case .sending, .awaitingReply: true
    case .waiting, .preparing, .processing, .retrying, .paused, .done, .failed: false
    }
  }
}
