import Scheduling
import UploadModel

/// The columns of the queue in a list of a given width. In narrow lists, some are empty.
struct Columns {
  let name, target, type, size, bar, percent, state: Range<Int>
  /// Whether all media types are whole; otherwise, all have their short forms.
  let typesAreWhole: Bool

  /// Cursor, mark and sign come before the name, in every list.
  static let cursor = 0
  static let mark = 1
  static let sign = 2
  static let name = 4

  /// The width of media types in their short forms.
  static let shortType = 10
  /// The width that names keep, whatever else is shown.
  private static let shortName = 14

  /// From this width on, the columns depend on how long the names and types are.
  private static let wide = 84

  /// With `hasTargets`, the files go to several targets, and each row names its own; `targetWidth` is how many columns
  /// their longest name takes.
  init(
    in columns: Range<Int>, hasTargets: Bool = false, targetWidth: Int? = nil,
    for longest: ItemList.Longest = .init()
  ) {
    // Room is given out by importance: if something does not fit, neither does what comes after it. Names pay for it
    // down to their shortest.
    var room = columns.count - Self.name - Self.shortName - (4 + 1) - (15 + 1)
    func fits(_ count: Int) -> Bool {
      room -= count
      return room >= 0
    }
    let hasType = fits(1 + Self.shortType)
    // A wider state, and a blank before the border.
    let isWide = fits(3 + 1)
    let hasBar = fits(8 + 2)
    let hasSize = fits(6 + 1)
    let hasTarget = hasTargets && fits(6 + 1)
    let isWider = !hasTargets && fits(3)
    let wanted = hasTarget ? targetWidth.map { max(0, $0 - 6) } : nil

    let isRoomy = columns.count >= Self.wide
    var share = Share(
      max(0, room), targets: wanted, for: isRoomy && longest.name > 0 ? longest : nil)
    if let wanted {
      // Short names leave room: for the whole target if it fits and for the reason, otherwise half of it for each.
      let spare = longest.name > 0 ? max(0, Self.shortName - max(6, longest.name)) : 0
      let missing = wanted - share.target
      let given = missing <= spare ? missing : spare / 2
      share.target += given
      share.state += spare - given
      // A little of the bar, if no more is missing.
      let lent = isRoomy || !hasBar || missing - given > 2 ? 0 : missing - given
      share.target += lent
      share.bar -= lent
    }
    var rest = ColumnsFromRight(end: columns.upperBound - (isWide ? 1 : 0))
    state = rest.take((isWider ? 21 : isWide ? 18 : 15) + share.state)
    percent = rest.take(4)
    bar = rest.take(8 + share.bar, gap: 2, if: hasBar)
    size = rest.take(6, if: hasSize)
    type = rest.take(Self.shortType + share.type, if: hasType)
    typesAreWhole = longest.type <= type.count
    target = rest.take(6 + share.target, if: hasTarget)
    name = columns.lowerBound + Self.name..<max(columns.lowerBound + Self.name, rest.end)
  }

  /// How the columns share what is left once all have their least widths. Names take what the others leave.
  private struct Share {
    var state, bar, type, target: Int

    /// With the lengths of all names and types, no more goes to them than they need.
    init(_ extra: Int, targets wanted: Int?, for longest: ItemList.Longest?) {
      target = wanted.map { min($0, extra / 2, 18) } ?? min(10, extra / 8)
      bar = min(24, extra / 8)
      guard let longest else {
        (state, type) = (min(42, extra / 3), 0)
        return
      }
      let named = max(0, longest.name - Columns.shortName)
      let left = max(0, extra - target - bar - named)
      // One type that is too long would leave the others with more room than their short forms need.
      let whole = max(0, longest.type - Columns.shortType)
      type = whole <= max(extra / 6, left / 2) ? whole : 0
      let room = max(0, extra - type - target - bar)
      // Names come first; in a very wide list, reasons get as much.
      let names = min(named, room <= 20 ? room : 10 + room / 2)
      state = min(80, room - names)
    }
  }

  /// The columns of the progress and the state, for words in place of both.
  var words: Range<Int> {
    let start = bar.isEmpty ? percent.lowerBound + (type.isEmpty ? 0 : 1) : bar.lowerBound
    return start..<state.upperBound
  }
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
