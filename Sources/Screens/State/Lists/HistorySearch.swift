/// Picks the files that a request is for out of the attempts, which come with the latest first. The latest attempt at a
/// file decides, and the earlier ones go with it.
package struct HistorySearch: Sendable {
  private let limit: Int
  private let filter: RowFilter?
  /// Whether the files met so far are wanted.
  private var files: [String: Bool] = [:]
  private var count = 0
  /// How many files the words of the filter find, if this was asked for.
  package private(set) var counts: [String: Int]?
  /// Whether there are more files than were asked for.
  package private(set) var isFull = false
  /// Whether no further attempt matters.
  package var isDone: Bool { isFull && counts == nil }

  package init(_ request: HistoryRequest) {
    limit = request.limit
    counts = request.countsKinds ? [:] : nil
    filter = request.filter.isEmpty ? nil : RowFilter(request.filter)
  }

  /// Whether the attempt is to be listed.
  package mutating func takes(_ row: HistoryRow) -> Bool {
    if let isWanted = files[row.file] { return isWanted }
    let passes = filter?.shows(row) ?? true
    if passes, count == limit { isFull = true }
    guard !isDone else { return false }
    for (word, kind) in RowKind.offered where row.is(kind) { counts?[word, default: 0] += 1 }
    let isWanted = passes && !isFull
    if isWanted { count += 1 }
    files[row.file] = isWanted
    return isWanted
  }
}
