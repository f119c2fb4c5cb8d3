import UploadModel

/// The orders in which the queue can be put.
enum SortOrder: String, CaseIterable, Sendable {
  case name, smallest, largest, type, target, failed, reverse

  /// What the menu calls it.
  var words: String {
    switch self {
    case .name: "by name"
    case .smallest: "smallest first"
    case .largest: "largest first"
    case .type: "by type"
    case .target: "by target"
    case .failed: "failed first"
    case .reverse: "the other way round"
    }
  }

  /// The rows in this order; equal ones stay as they are.
  func sorted(_ rows: [Queue.Row]) -> [ItemID] {
    let items = rows.map(\.item)
    let order: [UploadItem]
    switch self {
    case .name: order = items.stablySorted { $0.fileName < $1.fileName }
    case .smallest: order = items.stablySorted { $0.size < $1.size }
    case .largest: order = items.stablySorted { $0.size > $1.size }
    case .type: order = items.stablySorted { $0.mediaType < $1.mediaType }
    case .target: order = items.stablySorted { $0.target < $1.target }
    case .failed: order = items.stablySorted { $0.state.hasFailed && !$1.state.hasFailed }
    case .reverse: order = items.reversed()
    }
    return order.map(\.id)
  }
}

extension ItemState {
  fileprivate var hasFailed: Bool {
    if case .failed = self { true } else { false }
  }
}

extension Array {
  fileprivate func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { a, b in
      isBefore(a.element, b.element) || (!isBefore(b.element, a.element) && a.offset < b.offset)
    }.map(\.element)
  }
}
