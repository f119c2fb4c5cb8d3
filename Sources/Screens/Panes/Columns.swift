/// The columns of the queue in a list of a given width. Narrow lists have fewer.
struct Columns {
  let name: Range<Int>
  private(set) var target: Range<Int>?
  private(set) var type: Range<Int>?
  private(set) var size: Range<Int>?
  private(set) var bar: Range<Int>?
  let percent: Range<Int>
  let state: Range<Int>

  /// Cursor, mark and sign come before the name, in every list.
  static let cursor = 0
  static let mark = 1
  static let sign = 2
  static let name = 4

  /// - Parameter hasTargets: whether the files go to several targets, so that each row names its own.
  init(in columns: Range<Int>, hasTargets: Bool = false) {
    let width = columns.count
    // The target matters more than the type, and no column takes room from the names.
    let hasType = width >= (hasTargets ? 140 : 118)
    let extra = max(0, width - 80)
    let isWide = width >= 74
    let stateWidth = isWide ? (hasTargets ? 18 : 21) + min(42, extra / 3) : width >= 56 ? 18 : 15
    let barWidth = 8 + min(24, extra / 5)

    // If there is room, a blank column separates the list from the pane beside it.
    var end = columns.upperBound - (isWide ? 1 : 0)
    func takeLast(_ count: Int, gap: Int = 1) -> Range<Int> {
      defer { end -= count + gap }
      return end - count..<end
    }
    state = takeLast(stateWidth)
    percent = takeLast(4)
    bar = isWide ? takeLast(barWidth, gap: 2) : nil
    size = width >= 56 ? takeLast(7) : nil
    type = hasType ? takeLast(13 + min(11, extra / 8)) : nil
    target = isWide && hasTargets ? takeLast(min(16, 11 + extra / 10)) : nil
    name = columns.lowerBound + Self.name..<max(columns.lowerBound + Self.name, end)
  }

  /// The columns of the progress and the state, for words in place of both.
  var words: Range<Int> { (bar ?? percent).lowerBound..<state.upperBound }
}
