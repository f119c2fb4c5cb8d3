import UploadModel

/// The orders by which the queue can be sorted.
enum SortOrder: String, CaseIterable, Sendable {
  case name, smallest, largest, type, target, failed, reverse

  /// Its name in the menu.
  var words: String {
    switch self {
    case .name: "by name"
    case .smallest: "smallest first"
    case .largest: "largest first"
    case .type: "by type"
    case .target: "by target"
    case .failed: "failed first"
    case .reverse: "in reverse order"
    }
  }

  /// Other words for it, such as the heading of the column that sorts in this order.
  var others: [String] {
    switch self {
    case .largest: ["size", "big"]
    case .failed: ["state"]
    case .reverse: ["reversed"]
    case .name, .smallest, .type, .target: []
    }
  }

  /// The order that this word names; nil if there is no such order.
  init?(word: String) {
    let word = word.lowercased()
    let found = Self.allCases.first { order in
      let words = [order.rawValue, order.words] + order.others
      return words.contains(word) || words.contains { "by \($0)" == word || "\($0) first" == word }
    }
    guard let found else { return nil }
    self = found
  }

  /// The rows in this order; equal ones keep their order, since `sorted` is stable.
  func sorted(_ rows: [Queue.Row]) -> [ItemID] {
    let items = rows.map(\.item)
    let order: [UploadItem]
    switch self {
    case .name: order = items.sorted { $0.fileName < $1.fileName }
    case .smallest: order = items.sorted { $0.size < $1.size }
    case .largest: order = items.sorted { $0.size > $1.size }
    case .type: order = items.sorted { $0.mediaType < $1.mediaType }
    case .target: order = items.sorted { $0.target < $1.target }
    case .failed: order = items.sorted { $0.state.hasFailed && !$1.state.hasFailed }
    case .reverse: order = items.reversed()
    }
    return order.map(\.id)
  }
}

extension AppState {
  /// How the queue was sorted.
  struct Sorted: Hashable, Sendable {
    var order: SortOrder
    var isReversed = false
    /// The version of the queue after the sort.
    var version: Int
  }

  /// How the queue is sorted; nil if it is not sorted, or has changed since.
  var sortedNow: Sorted? { sorted.flatMap { $0.version == queue.version ? $0 : nil } }
}

extension ItemState {
  fileprivate var hasFailed: Bool {
    if case .failed = self { true } else { false }
  }
}
