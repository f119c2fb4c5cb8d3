/// Picks the files that a request is for out of the attempts, which come with the latest first. The latest attempt at a
/// file decides, and the earlier ones go with it.
package struct HistorySearch: Sendable {
  private let limit: Int
  private let filter: RowFilter?
  /// Whether the files met so far are wanted.
  private var files: [String: Bool] = [:]
  private var count = 0
  /// Whether there are more files than were asked for.
  package private(set) var isFull = false

  package init(_ request: HistoryRequest) {
    limit = request.limit
    filter = request.filter.isEmpty ? nil : RowFilter(request.filter)
  }

  /// Whether the attempt is to be listed.
  package mutating func takes(_ row: HistoryRow) -> Bool {
    if let isWanted = files[row.file] { return isWanted }
    let isWanted = filter?.shows(row) ?? true
    if isWanted, count == limit { isFull = true }
    guard !isFull else { return false }
    if isWanted { count += 1 }
    files[row.file] = isWanted
    return isWanted
  }
}
