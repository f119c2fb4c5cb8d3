import UploadModel

/// Whether the cursor and the view go along with what is being sent.
///
/// They do so from the beginning until the user moves the cursor or does something about a row, and again when the user
/// asks for it, has done nothing for a while, or all was finished before more files are added.
struct Following: Sendable {
  var isOn = false
  /// Whether they do so without being asked to.
  fileprivate var isUsual = false
  /// When the place of what is being sent was last looked at.
  fileprivate var latest: Instant?
  /// When the cursor last went along in a view that stayed.
  fileprivate var moved: Instant?
  /// The time of the first tick since the user last did something; nil if there has been none.
  fileprivate var rest: Instant?

  /// For how many seconds the view stays where it is, so that names can be read, as long as something in it is being
  /// sent.
  static let stay = 1.0
  /// For how many seconds the cursor stays on a file that has been sent while the view stays.
  static let pause = 0.3
  /// After how many seconds without a key the cursor goes along again.
  static let patience = 30.0
}

extension AppState {
  /// The cursor goes along with what is being sent, from the beginning.
  package mutating func followUnasked() { (following.isOn, following.isUsual) = (true, true) }

  /// The cursor goes along with what is being sent from now on.
  mutating func startFollowing() {
    (following.isOn, following.latest) = (true, now)
  }

  /// The cursor goes along with files that are added after all others were finished.
  mutating func followAgain() { if following.isUsual { following.isOn = true } }

  /// Leaves the cursor where the user puts it.
  mutating func stopFollowing() { following.isOn = false }

  /// Notes that the user has done something.
  mutating func endRest() { following.rest = nil }

  /// Notes that time has passed. Someone who reads about a problem, has marked rows or has a dialog open is not
  /// disturbed.
  mutating func goOnFollowing() {
    let rest = following.rest ?? now
    following.rest = rest
    if following.isUsual, !following.isOn, now - rest >= Following.patience {
      following.isOn = dialog == nil && marks.isEmpty && selected?.isProblem != true
    }
    if following.isOn { follow() }
  }

  /// Keeps the cursor on an item that is being sent, and most of those that are being sent in view.
  mutating func follow() {
    guard marks.isEmpty, queue.totals.active > 0 else { return }
    let height = layout.rows.count
    let seen = list.window.visible(of: rowCount, height: height)
    // Many fast files end within a second: once nothing in view is being sent, the view goes on at once.
    if let latest = following.latest, now - latest < Following.stay,
      let next = seen.first(where: { $0 >= list.cursor && isBeingSent($0) })
        ?? seen.first(where: { isBeingSent($0) })
    {
      return move(to: next, in: seen.lowerBound)
    }
    let sent = (0..<rowCount).filter(isBeingSent)
    following.latest = now
    guard !sent.isEmpty else { return }
    // One row before them is shown as well, which has usually been sent.
    let best = Self.densest(sent, within: max(1, height - 1))
    var first = seen.lowerBound
    if sent.count(where: seen.contains) * 2 <= best.count { first = max(0, best.first - 1) }
    let there = sent.filter { (first..<first + max(1, height)).contains($0) }
    let isOnOne = there.contains(list.cursor)
    guard first != seen.lowerBound || !isOnOne else { return }
    // The next one after the cursor, so that it usually moves on and not back.
    let next = there.first { $0 >= list.cursor } ?? there.first ?? list.cursor
    list.show(from: first, cursor: isOnOne ? list.cursor : next, in: queue, height: height)
  }

  /// Moves the cursor to the next file that is being sent, in a view that stays, unless it is on one or has just moved.
  private mutating func move(to row: Int, in first: Int) {
    if let moved = following.moved, now - moved < Following.pause { return }
    guard !isBeingSent(list.cursor) else { return }
    following.moved = now
    list.show(from: first, cursor: row, in: queue, height: layout.rows.count)
  }

  private func isBeingSent(_ row: Int) -> Bool {
    list.position(of: row, in: queue).map { queue.rows[$0].item.state.isActive } == true
  }

  /// The first of those rows that a window of `height` rows can show at once, if it shows as many as possible. The last
  /// such window has those that have begun last, and so will be sent longest.
  private static func densest(_ rows: [Int], within height: Int) -> (first: Int, count: Int) {
    var (best, end) = ((first: 0, count: 0), 0)
    for (index, row) in rows.enumerated() {
      while end < rows.count, rows[end] < row + height { end += 1 }
      if end - index >= best.count { best = (row, end - index) }
    }
    return best
  }
}

extension UploadItem {
  /// Whether a person should look at it.
  var isProblem: Bool { RowKind.problems.contains { state.is($0) } }
}
