/// A list that must be requested: the server's files, the history.
package enum Listing<Row: Sendable & Hashable>: Sendable, Hashable {
  /// Not answered yet.
  case asked
  /// The answer, in the order in which to show it.
  case rows([Row])
  /// Why there is no answer, for people.
  case failed(String)

  /// The rows; empty if they are not known.
  package var rows: [Row] { if case .rows(let rows) = self { rows } else { [] } }

  /// The message in place of the rows; nil if there are rows.
  func words(asked: String, none: String) -> [String]? {
    switch self {
    case .asked: [asked]
    case .failed(let why): [why]
    case .rows(let rows): rows.isEmpty ? [none] : nil
    }
  }
}

/// A summary of a list, whatever the list shows.
struct ListSummary {
  let window: ListState
  /// How many rows pass the filter.
  let count: Int
  var filter = ""
  /// What the filter looks for in names.
  var matcher = Matcher("")
  var marked = 0
  var isMarkingRange = false
  /// The name of the row that the cursor is on.
  var name: String?

  var cursor: Int { window.cursor }
  var scroll: Int { window.scroll }
}
