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
  private static let prefix = 4

  /// - Parameter hasTargets: whether the files go to several targets, so that each row names its own.
  init(width: Int, hasTargets: Bool = false) {
    // Where a file goes matters more than its type, and no column takes the room of the names.
    let hasType = !hasTargets || width >= 140
    let extra = max(0, width - (hasTargets && hasType ? 104 : 80))
    let isWide = width >= 76
    let stateWidth = isWide ? 22 + min(42, extra / 2) : width >= 56 ? 18 : 15
    let typeWidth = 11 + min(13, extra / 8)
    let barWidth = 8 + min(24, extra / 5)

    var end = width
    func takeLast(_ count: Int, gap: Int = 1) -> Range<Int> {
      defer { end -= count + gap }
      return end - count..<end
    }
    state = takeLast(stateWidth)
    percent = takeLast(4)
    bar = isWide ? takeLast(barWidth, gap: 2) : nil
    size = width >= 56 ? takeLast(7) : nil
    type = isWide && hasType ? takeLast(typeWidth) : nil
    target = isWide && hasTargets ? takeLast(min(16, 11 + extra / 10)) : nil
    name = Self.prefix..<max(Self.prefix, end)
  }
}
