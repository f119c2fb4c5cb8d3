import Scheduling
import UploadModel

/// The orders by which the queue can be sorted.
enum SortOrder: String, CaseIterable, Sendable {
  case name, smallest, largest, type, target, failed, reverse

  private typealias Row = (
    words: String, others: [String], precedes: ((UploadItem, UploadItem) -> Bool)?
  )

  /// Its name in the menu; other words for it, such as the heading of the column that sorts in this order; and which of
  /// two items comes first, nil if the order only turns the list round.
  private var row: Row {
    switch self {
    case .name: ("by name", [], { NaturalOrder.precedes($0.fileName, $1.fileName) })
    case .smallest: ("by size, smallest first", [], { $0.size < $1.size })
    case .largest: ("by size, largest first", ["size", "big"], { $0.size > $1.size })
    case .type: ("by type", [], { $0.mediaType < $1.mediaType })
    case .target: ("by target", [], { $0.target < $1.target })
    case .failed: ("by state, failed first", ["state"], { $0.state.isFailed && !$1.state.isFailed })
    case .reverse: ("in reverse order", ["reversed"], nil)
    }
  }

  var words: String { row.words }
  var others: [String] { row.others }

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
  func sorted(_ rows: [ItemList.Row]) -> [ItemID] {
    let items = rows.map(\.item)
    guard let precedes = row.precedes else { return items.reversed().map(\.id) }
    return items.sorted(by: precedes).map(\.id)
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
