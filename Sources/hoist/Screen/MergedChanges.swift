import UploadModel

/// The engine's changes between two deliveries. Of several changes of an item only the last is kept, except
/// for those that end an attempt: the details and the log are made of these.
struct MergedChanges {
  /// Whether anything is left out.
  private let isMerging: Bool
  private var changes: [(ItemID, ItemState)] = []
  /// Where the last change of an item stands, unless it ended an attempt.
  private var replaceable: [ItemID: Int] = [:]

  init(isMerging: Bool = true) { self.isMerging = isMerging }

  mutating func put(_ id: ItemID, _ state: ItemState) {
    let index = replaceable[id] ?? changes.count
    if index == changes.count {
      changes.append((id, state))
    } else {
      changes[index].1 = state
    }
    guard isMerging else { return }
    replaceable[id] = state.endsAttempt ? nil : index
  }

  /// What has come, in order, and begins anew.
  mutating func drain() -> [(ItemID, ItemState)] {
    defer {
      changes.removeAll(keepingCapacity: true)
      replaceable.removeAll(keepingCapacity: true)
    }
    return changes
  }
}

extension ItemState {
  /// Whether an attempt is over with this.
  fileprivate var endsAttempt: Bool {
    switch self {
    case .done, .failed, .retrying: true
    case .waiting, .preparing, .sending, .awaitingReply, .paused: false
    }
  }
}
