/// The columns of the queue in a list of a given width. In narrow lists, some are empty.
struct Columns {
  let name, target, type, size, bar, percent, state: Range<Int>

  /// Cursor, mark and sign come before the name, in every list.
  static let cursor = 0
  static let mark = 1
  static let sign = 2
  static let name = 4

  /// With `hasTargets`, the files go to several targets, and each row names its own.
  init(in columns: Range<Int>, hasTargets: Bool = false) {
    let width = columns.count
    // The target matters more than the type, and no column takes room from the names.
    let hasType = width >= (hasTargets ? 140 : 118)
    let extra = max(0, width - 80)
    let isWide = width >= 74
    let stateWidth = isWide ? (hasTargets ? 18 : 21) + min(42, extra / 3) : width >= 56 ? 18 : 15
    let barWidth = 8 + min(24, extra / 5)

    // If there is room, a blank column separates the list from the pane beside it.
    var rest = ColumnsFromRight(end: columns.upperBound - (isWide ? 1 : 0))
    state = rest.take(stateWidth)
    percent = rest.take(4)
    bar = rest.take(barWidth, gap: 2, if: isWide)
    size = rest.take(7, if: width >= 56)
    type = rest.take(13 + min(11, extra / 8), if: hasType)
    target = rest.take(min(16, 11 + extra / 10), if: isWide && hasTargets)
    name = columns.lowerBound + Self.name..<max(columns.lowerBound + Self.name, rest.end)
  }

  /// The columns of the progress and the state, for words in place of both.
  var words: Range<Int> { (bar.isEmpty ? percent : bar).lowerBound..<state.upperBound }
}

/// Columns that are handed out from the right.
struct ColumnsFromRight {
  /// The column before which the next ones end.
  private(set) var end: Int

  /// The last `count` columns that are left, with a gap before them; none if they are not wanted.
  mutating func take(_ count: Int, gap: Int = 1, if isWanted: Bool = true) -> Range<Int> {
    guard isWanted, count > 0 else { return end..<end }
    defer { end -= count + gap }
    return end - count..<end
  }
}
