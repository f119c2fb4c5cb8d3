import ScalarText
import UploadModel

/// The items of the queue in order, with totals that are kept up to date rather than computed, so that neither a
/// change of state nor a frame takes longer when the queue is long.
///
/// A process has one list of a queue, held by whatever shows the queue, since a copy would double its memory.
package struct ItemList: Sendable {
  /// An item, and what became of it in this session.
  package struct Row: Sendable {
    package fileprivate(set) var item: UploadItem
    /// How many of its bytes are acknowledged by the other side. When an attempt ends, this is kept until the next one
    /// begins.
    package private(set) var reached: Int64 = 0
    /// Nil for an item to which nothing has happened yet: most have not begun.
    private var story: Boxed<Story>?

    private struct Story: Sendable {
      var attempts: [Attempt] = []
      var said: String?
    }

    package init(item: UploadItem) {
      self.item = item
      reached = item.state.bytesAcknowledged(of: item.sentSize) ?? item.keptBytes
      recordFailure()
    }

    /// How its attempts ended, the latest last: those of this session and, once they have been read, earlier ones.
    package fileprivate(set) var attempts: [Attempt] {
      get { story?.value.attempts ?? [] }
      set { change { $0.attempts = newValue } }
    }

    /// The server's message when it refused the item, in a sentence.
    package var said: String? { story?.value.said }

    /// How it was to be sent when it failed, if it was edited since.
    package var failedAs: ItemRecord? {
      item.failedAs.flatMap { $0 != item.record ? $0 : nil }
    }

    private mutating func change(_ body: (inout Story) -> Void) {
      // Take it out, so that it is changed in place.
      var story = story.take() ?? Boxed(Story())
      body(&story.value)
      self.story = story
    }

    /// Keeps how an attempt ended. Only the last few are kept.
    fileprivate mutating func record(_ attempt: Attempt) {
      change { story in
        story.attempts.append(attempt)
        if story.attempts.count > ItemList.mostAttempts { story.attempts.removeFirst() }
      }
    }

    /// Notes what was said about the item's failure, if it has failed.
    private mutating func recordFailure() {
      let said = item.state.failure?.said
      if said != nil || story != nil {
        change { $0.said = said }
      }
    }

    /// Whether there have been attempts that this session has not seen from beginning to end.
    package var lacksAttempts: Bool {
      let known =
        switch item.state {
        case .done(let receipt): receipt.attempts
        case .failed(let failure), .retrying(let failure, _, _, _): failure.attempts
        default: (item.state.attempt ?? 1) - 1
        }
      return attempts.count < known || attempts.first.map { $0.beginning == nil } == true
    }

    /// Replaces the item by its current version.
    package mutating func set(_ item: UploadItem) {
      let old = self.item
      self.item = item
      reach()
      if item.state != old.state {
        recordFailure()
      } else if item.state.failure != nil {
        let edited = item.record != old.record ? old.record : nil
        self.item.failedAs = item.failedAs ?? old.failedAs ?? edited
      }
    }

    fileprivate mutating func set(_ state: ItemState) {
      let old = item.state
      item.state = state
      if state != old { item.failedAs = nil }
      // Only what is read from the queue's file says when a file arrived.
      if case .done(var receipt) = state, receipt.arrived == nil, case .done(let known) = old {
        receipt.arrived = known.arrived
        item.state = .done(receipt)
      }
      reach()
      recordFailure()
    }

    fileprivate mutating func set(_ point: ResumePoint?) {
      item.resumePoint = point
      reach()
    }

    /// How many of the bytes acknowledged so far need not be sent again.
    package var counted: Int64 {
      item.state.isFinished || item.state.isActive || item.canGoOn ? reached : 0
    }

    private mutating func reach() {
      switch item.state {
      // The next attempt starts after the bytes that were kept.
      case .preparing, .waiting: reached = item.keptBytes
      // Once an attempt has ended without success, the state no longer tells.
      default: reached = item.state.bytesAcknowledged(of: item.sentSize) ?? reached
      }
    }
  }

  /// How many attempts at an item are kept.
  package static let mostAttempts = 20

  /// How an attempt ended.
  package struct Attempt: Hashable, Sendable {
    package fileprivate(set) var number: Int
    /// The number that it had when it ended. After a pause, and in another process, attempts are counted from one again.
    private let counted: Int
    /// When it began; nil if that was before this session.
    package fileprivate(set) var beginning: Instant?
    /// When it ended.
    package let at: Instant
    /// How many of the file's bytes had been handed over by then.
    package fileprivate(set) var reached: Int64 = 0
    package let words: String
    package let isGood: Bool

    /// An attempt as the history has it.
    package init(
      number: Int, from beginning: Instant?, to end: Instant, reached: Int64 = 0, words: String,
      isGood: Bool
    ) {
      (self.number, counted, self.beginning, at) = (number, number, beginning, end)
      (self.reached, self.words, self.isGood) = (reached, words, isGood)
    }

    /// Whether this may be the same attempt as another one, whose times were taken elsewhere. Where it took less time
    /// than the news of it, they do not overlap.
    fileprivate func mayBe(_ other: Attempt) -> Bool {
      let overlaps = (other.beginning ?? other.at + -2) < at && (beginning ?? at + -2) < other.at
      return overlaps || counted == other.counted && abs(at - other.at) < Self.latest
    }

    /// Whether this is the same attempt as `one` rather than `other`. News can be later than the time between two
    /// attempts, so the numbers say more than the times.
    fileprivate func isRather(_ one: Attempt, than other: Attempt) -> Bool {
      guard (one.counted == counted) == (other.counted == counted) else {
        return one.counted == counted
      }
      return abs(one.at - at) < abs(other.at - at)
    }

    /// By how much news can be late, in seconds.
    private static let latest = 10.0
  }

  package private(set) var rows: [Row] = []
  /// Changes with the items and their order.
  package private(set) var version = 0
  /// Changes when an item's state becomes one of another kind.
  package private(set) var kindsVersion = 0
  package private(set) var totals = Totals()
  private var positions = ItemTable<Int32>()
  /// How many items go to each target.
  private var targets: [String: Int] = [:]
  /// The targets of all items that the list has had, also of those that have left it.
  private var targetsHad: Set<String> = []
  /// How many items are being sent to each target.
  private var active: [String: Int] = [:]
  /// How many items of each target are still to be sent, without those that are paused.
  private var busy: [String: Int] = [:]
  /// How many of those wait, for their turn or for another attempt.
  private var idle: [String: Int] = [:]

  /// The longest texts of the items, in bytes of UTF-8. When items go, they become shorter only if none that is left
  /// comes near, so that columns do not change their places all the time.
  package private(set) var longest = Longest()
  /// How many items have texts of each length, so that the others need not be looked at when one goes.
  private var lengths = Lengths()

  private struct Lengths: Sendable {
    private var names: [Int: Int] = [:]
    private var types: [Int: Int] = [:]

    mutating func count(_ length: Longest, by step: Int) {
      Self.count(length.name, in: &names, by: step)
      Self.count(length.type, in: &types, by: step)
    }

    private static func count(_ length: Int, in counts: inout [Int: Int], by step: Int) {
      let count = counts[length, default: 0] + step
      counts[length] = count > 0 ? count : nil
    }

    var longest: Longest { Longest(name: names.keys.max() ?? 0, type: types.keys.max() ?? 0) }
  }

  package struct Longest: Hashable, Sendable {
    package var name = 0
    /// A media type with its mark.
    package var type = 0

    package init() {}

    fileprivate init(name: Int, type: Int) { (self.name, self.type) = (name, type) }

    /// The lengths of one item's texts.
    fileprivate init(of item: UploadItem) {
      name = item.fileName.utf8.count
      type = item.mediaType.utf8.count + item.typeMark.utf8.count
    }

    /// Lets go of what none of the items that are left needs for the most part.
    fileprivate mutating func shrink(to needed: Longest) {
      if needed.name * 4 <= name * 3 { name = needed.name }
      if needed.type * 4 <= type * 3 { type = needed.type }
    }

    fileprivate mutating func include(_ other: Longest) {
      (name, type) = (max(name, other.name), max(type, other.type))
    }
  }

  /// When the attempts that are under way began.
  private var beginnings: [ItemID: Instant] = [:]

  /// How many unfinished items send the same file to the same target.
  private var errands = ErrandCounts()
  /// The items that were removed, and what had become of them by then.
  package private(set) var removed: [ItemID: Removed] = [:]
  /// How many of them had been sent to each target.
  package private(set) var removedAsSent: [String: Int] = [:]

  /// What had become of an item that was removed.
  package enum Removed: Sendable {
    case sent, doubtful, there, skipped, unsent

    fileprivate var isSent: Bool { self == .sent || self == .there }

    fileprivate init(_ state: ItemState) {
      guard case .done(let receipt) = state else {
        self = .unsent
        return
      }
      self =
        receipt.skipped != nil
        ? .skipped
        : receipt.isDoubtful ? .doubtful : receipt.wasThere && !receipt.isConfirmed ? .there : .sent
    }
  }

  /// The items that were doubtful when the queue was read.
  private var doubtfulBefore: Set<ItemID> = []

  package init() {}

  package var items: some Collection<UploadItem> { rows.lazy.map(\.item) }

  package var order: [ItemID] { rows.map(\.item.id) }

  package func item(_ id: ItemID) -> UploadItem? { row(id)?.item }

  /// The waiting items, in the order in which they are sent.
  package var waiting: [ItemID] {
    rows.lazy.filter { $0.item.state == .waiting }.map(\.item.id)
  }

  /// The first item, from this one on, that is waiting; `nil` if no such item is waiting.
  package func firstWaiting(from id: ItemID?) -> ItemID? {
    guard let id, let position = position(of: id) else { return nil }
    return rows[position...].first { $0.item.state == .waiting }?.item.id
  }

  /// The failed items that have these records, and the records that no failed item has.
  package func failed(as records: [ItemRecord]) -> (items: [ItemID], others: [ItemRecord]) {
    let failed = Dictionary(
      items.filter { $0.state.failure != nil }.map { ($0.record, $0.id) },
      uniquingKeysWith: { $1 })
    return (records.compactMap { failed[$0] }, records.filter { failed[$0] == nil })
  }

  /// Notes that what is doubtful now became so in earlier sessions.
  mutating func noteDoubtfulBefore() {
    doubtfulBefore = Set(items.lazy.filter { $0.state.receipt?.isDoubtful == true }.map(\.id))
  }

  /// Whether an item became doubtful in an earlier session, and nothing has happened to it since.
  package func isFromBefore(_ item: UploadItem) -> Bool {
    doubtfulBefore.contains(item.id) && item.state.receipt?.isDoubtful == true
  }

  /// The totals of this session: without the files that became doubtful in earlier ones.
  package var sessionTotals: Totals {
    var totals = totals
    for id in doubtfulBefore {
      if let item = item(id), isFromBefore(item) { totals.subtract(item) }
    }
    return totals
  }

  /// What has become of all items that this session has had in the list, also of those that have left it.
  package var sessionCounts: SendingCounts {
    var counts = SendingCounts(sessionTotals)
    for (id, removed) in removed where removed != .doubtful || !doubtfulBefore.contains(id) {
      counts.add(removed)
    }
    return counts
  }

  package var targetNames: [String] { Array(targets.keys) }

  package var hasSeveralTargets: Bool { targets.count > 1 }

  /// Whether there have been several targets, even if all items now have the same one.
  package var hasHadSeveralTargets: Bool { targetsHad.count > 1 }

  package func active(on target: String) -> Int { active[target] ?? 0 }
  /// Whether items of a target are still to be sent, and not paused.
  package func isBusy(_ target: String) -> Bool { busy[target, default: 0] > 0 }

  /// How many items of a target wait, for their turn or for another attempt.
  package func idle(for target: String) -> Int { idle[target] ?? 0 }

  /// The targets that items are being sent to.
  package var activeTargets: [String] { active.filter { $0.value > 0 }.map(\.key) }

  /// When the attempt at an item that is under way began; nil without one, or if it began before this session.
  package func beginning(of id: ItemID) -> Instant? { beginnings[id] }

  /// How many unfinished items send this item's file to its target.
  package func copies(of item: UploadItem) -> Int {
    copies(of: item.location.bytes, for: item.target)
  }

  /// How many unfinished items send the file at this path to a target.
  package func copies(of path: [UInt8], for target: String) -> Int {
    errands.count(of: path, for: target)
  }

  /// Which copy of its file each item is, from 1 in the order of the queue, if several unfinished items send that file to
  /// the same target.
  package var copyNumbers: [ItemID: Int] {
    struct Errand: Hashable {
      let path: [UInt8]
      let target: String
    }
    var (numbers, counts) = ([ItemID: Int](), [Errand: Int]())
    for item in items where !item.state.isFinished && copies(of: item) > 1 {
      let errand = Errand(path: item.location.bytes, target: item.target)
      counts[errand, default: 0] += 1
      numbers[item.id] = counts[errand]
    }
    return numbers
  }

  /// Changes when `copyNumbers` may have changed, for which all items are looked at; most changes of state leave it.
  package var copiesVersion: CopiesVersion { CopiesVersion(rows: version, copies: errands.version) }

  package struct CopiesVersion: Equatable, Sendable {
    var rows: Int
    var copies: Int
  }

  private mutating func countErrand(_ item: UploadItem, by step: Int) {
    errands.count(item.location.bytes, for: item.target, by: step)
  }

  private mutating func count(_ row: Row) {
    let item = row.item
    let length = Longest(of: item)
    longest.include(length)
    lengths.count(length, by: 1)
    if removed.removeValue(forKey: item.id)?.isSent == true {
      removedAsSent[item.target, default: 0] -= 1
    }
    totals.add(item, reached: row.counted)
    if targets[item.target] == nil { targetsHad.insert(item.target) }
    targets[item.target, default: 0] += 1
    if item.state.takesLane { active[item.target, default: 0] += 1 }
    if item.state.isBusy { busy[item.target, default: 0] += 1 }
    if item.state.isIdle { idle[item.target, default: 0] += 1 }
    if !item.state.isFinished { countErrand(item, by: 1) }
  }

  private mutating func discount(_ row: Row) {
    let item = row.item
    lengths.count(Longest(of: item), by: -1)
    totals.subtract(item, reached: row.counted)
    targets[item.target] = targets[item.target].flatMap { $0 > 1 ? $0 - 1 : nil }
    if item.state.takesLane { active[item.target, default: 0] -= 1 }
    if item.state.isBusy { busy[item.target, default: 0] -= 1 }
    if item.state.isIdle { idle[item.target, default: 0] -= 1 }
    if !item.state.isFinished { countErrand(item, by: -1) }
  }

  package var count: Int { rows.count }

  package func position(of id: ItemID) -> Int? { positions[id].map(Int.init) }

  package func row(_ id: ItemID) -> Row? { position(of: id).map { rows[$0] } }

  /// Appends items. An item that is already there is replaced in place.
  package mutating func append(_ items: [UploadItem]) {
    version += 1
    makeRoom(for: items.count)
    for item in items {
      if let position = position(of: item.id) {
        discount(rows[position])
        rows[position].set(item)
        count(rows[position])
      } else {
        setPosition(of: item.id, to: rows.count)
        rows.append(Row(item: item))
        count(rows[rows.count - 1])
      }
    }
  }

  /// Makes room for more rows. By itself, an array would take twice the room that it needs.
  private mutating func makeRoom(for more: Int) {
    let needed = rows.count + more
    if needed > rows.capacity { rows.reserveCapacity(needed + rows.count / 4) }
  }

  private mutating func setPosition(of id: ItemID, to position: Int) {
    positions[id] = Int32(clamping: position)
  }

  /// Records how an attempt ended. A retry by hand continues the numbering.
  private mutating func record(_ attempt: Attempt, at position: Int) {
    var attempt = attempt
    attempt.beginning = beginnings[rows[position].item.id]
    attempt.reached = rows[position].reached
    attempt.number = max(attempt.number, (rows[position].attempts.last?.number ?? 0) + 1)
    rows[position].record(attempt)
  }

  /// Adds what the history says of an item's attempts, in their order, to what this session has seen.
  package mutating func add(_ recorded: [Attempt], to id: ItemID) {
    guard let position = position(of: id), !recorded.isEmpty else { return }
    // The latest may not be in the history yet.
    var unseen = recorded[...]
    let own = rows[position].attempts.filter { own in
      let same = unseen.indices.filter { own.mayBe(unseen[$0]) }
        .min { own.isRather(unseen[$0], than: unseen[$1]) }
      guard let same else { return true }
      unseen = unseen[(same + 1)...]
      return false
    }
    rows[position].attempts = (recorded + own).sorted { $0.at < $1.at }.suffix(Self.mostAttempts)
      .reduce(into: []) { all, attempt in
        var attempt = attempt
        attempt.number = max(attempt.number, (all.last?.number ?? 0) + 1)
        all.append(attempt)
      }
  }

  /// Records where an item can resume. Returns the changed item.
  package mutating func setResumePoint(_ id: ItemID, _ point: ResumePoint?) -> UploadItem? {
    guard let position = position(of: id) else { return nil }
    totals.subtract(rows[position].item, reached: rows[position].counted)
    rows[position].set(point)
    totals.add(rows[position].item, reached: rows[position].counted)
    return rows[position].item
  }

  /// Records an item's new state. Returns the item as it was, or `nil` if there is no such item. If the state is no news,
  /// it is not known when the item came to be in it.
  package mutating func change(
    _ id: ItemID, to state: ItemState, at instant: Instant, isNews: Bool = true
  ) -> UploadItem? {
    guard let position = position(of: id) else { return nil }
    let known = rows[position].item
    let old = known.state
    totals.subtract(rows[position].item, reached: rows[position].counted)
    if old.isBusy != state.isBusy { busy[known.target, default: 0] += state.isBusy ? 1 : -1 }
    if old.isIdle != state.isIdle { idle[known.target, default: 0] += state.isIdle ? 1 : -1 }
    if old.takesLane != state.takesLane {
      active[rows[position].item.target, default: 0] += state.takesLane ? 1 : -1
    }
    if old.isFinished != state.isFinished {
      countErrand(rows[position].item, by: state.isFinished ? -1 : 1)
    }
    if old.kind != state.kind { kindsVersion += 1 }
    rows[position].set(state)
    if state != .waiting || old == .paused { rows[position].item.wasInterrupted = false }
    totals.add(rows[position].item, reached: rows[position].counted)
    if isNews {
      if let attempt = Attempt(known, became: state, at: instant) { record(attempt, at: position) }
      if state.isPreparing, !old.isPreparing { beginnings[id] = instant }
    }
    if !state.isActive { beginnings[id] = nil }
    return known
  }

  package mutating func remove(_ ids: Set<ItemID>) {
    version += 1
    let first = ids.compactMap(position(of:)).min() ?? rows.count
    for id in ids {
      guard let position = positions.removeValue(forKey: id) else { continue }
      let row = rows[Int(position)]
      discount(row)
      let end = Removed(row.item.state)
      removed[id] = end
      if end.isSent { removedAsSent[row.item.target, default: 0] += 1 }
      beginnings[id] = nil
    }
    rows.removeAll { ids.contains($0.item.id) }
    longest.shrink(to: lengths.longest)
    renumber(from: first)
  }

  /// The places of those items in `ids` that are in the queue, in its order. Each place is given by the next item that
  /// is not in `ids`, so that the items can be put back one after the other.
  package func places(of ids: Set<ItemID>) -> [QueuePlace] {
    let positions = ids.compactMap(position(of:)).sorted()
    var next = (index: rows.count, id: ItemID?.none)
    return positions.reversed().map { position in
      if position + 1 < next.index { next.id = rows[position + 1].item.id }
      next.index = position
      return QueuePlace(id: rows[position].item.id, before: next.id)
    }.reversed()
  }

  /// Puts back items that are not in the queue, each at its place: before another item, or at the end.
  package mutating func restore(_ items: [QueuePosition]) {
    let rows = items.map { (row: Row(item: $0.item), before: $0.before) }
    for (row, _) in rows { count(row) }
    insert(rows)
  }

  /// Moves items, each to its place: before another item, or to the end.
  package mutating func move(_ places: [QueuePlace]) {
    let moved = places.compactMap { place in row(place.id).map { ($0, place.before) } }
    if moved.count == 1 { return move(moved[0].0.item.id, before: moved[0].1) }
    let ids = Set(moved.map(\.0.item.id))
    rows.removeAll { ids.contains($0.item.id) }
    for id in ids { positions[id] = nil }
    insert(moved)
  }

  /// Inserts rows. Rows for the same place keep their order.
  private mutating func insert(_ coming: [(row: Row, before: ItemID?)]) {
    version += 1
    let groups = Dictionary(grouping: coming) { place in
      place.before.flatMap { positions[$0] == nil ? nil : $0 }
    }
    var all: [Row] = []
    all.reserveCapacity(rows.count + coming.count)
    for row in rows {
      if let group = groups[row.item.id] { all += group.map(\.row) }
      all.append(row)
    }
    rows = all + (groups[nil] ?? []).map(\.row)
    renumber(from: 0)
  }

  /// Moves one item. Rows that are not between its old and its new place stay as they are.
  private mutating func move(_ id: ItemID, before other: ItemID?) {
    guard id != other, let position = position(of: id) else { return }
    version += 1
    let place = other.flatMap(position(of:)) ?? rows.count
    let target = place > position ? place - 1 : place
    let step = position < target ? 1 : -1
    for index in stride(from: position, to: target, by: step) { rows.swapAt(index, index + step) }
    renumber(from: min(position, target), through: max(position, target))
  }

  /// Puts these items in this order, within the places that they occupy.
  package mutating func arrange(_ order: [ItemID]) {
    version += 1
    let named = order.compactMap(position(of:))
    let places = Set(named).sorted()
    guard places.count == named.count else { return }
    let moved = named.map { rows[$0] }
    for (place, row) in zip(places, moved) {
      rows[place] = row
      setPosition(of: row.item.id, to: place)
    }
  }

  private mutating func renumber(from first: Int, through last: Int = .max) {
    guard first < rows.count else { return }
    for index in first...min(last, rows.count - 1) {
      setPosition(of: rows[index].item.id, to: index)
    }
  }
}

extension ItemState {
  /// Whether the item is still to be sent, without the user's doing.
  fileprivate var isBusy: Bool { !isFinished && self != .paused }
}

extension ItemList.Attempt {
  /// The end of an attempt, if this change is one.
  fileprivate init?(_ item: UploadItem, became new: ItemState, at instant: Instant) {
    switch new {
    case .done(let receipt):
      self.init(
        number: receipt.attempts, from: nil, to: instant, words: receipt.words,
        isGood: !receipt.isDoubtful)
    case .failed(let failure) where failure.attempts > 0:
      self.init(
        number: failure.attempts, from: nil, to: instant, words: failure.headline, isGood: false)
    case .retrying(let failure, let next, _, _):
      self.init(number: next - 1, from: nil, to: instant, words: failure.headline, isGood: false)
    default: return nil
    }
    // What was judged anew has only been sent once.
    if item.state == new || item.state.isDone || item.state.isJudgedAnew(as: new) { return nil }
  }
}

extension ItemState {
  /// Whether the item waits, for its turn or for another attempt.
  fileprivate var isIdle: Bool { isBusy && !isActive }
}
