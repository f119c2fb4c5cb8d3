import MultipartForm
import Scheduling
import UploadModel

/// The progress of a push. It keeps whole items only while they are under way or if they failed, so that a long queue
/// or a long watch does not fill the memory. Items are added in the order of their numbers.
struct PushProgress {
  var summary = PushSummary()
  /// How far all items are, in numbers.
  private(set) var progress = SendingProgress()
  private let keepsResults: Bool
  private var open = ItemTable<UploadItem>()
  /// The open items by file, kept only while watching a folder.
  private var openPaths: [FileLocation: ItemID] = [:]
  private let isWatching: Bool
  /// Items under way whose files have been replaced. They count only if they have arrived, or may have.
  private var superseded: Set<ItemID> = []

  /// The most items that wait in the engine. The engine chooses among them, and each takes half a kilobyte there.
  private let mostInLine: Int
  /// How many items wait in the engine.
  private var inLine = 0
  /// The open items that the engine does not have yet, in order.
  private var held: ArraySlice<ItemID> = []
  /// The outcome of all items in the engine's line, if the engine has given up the line.
  private var endOfLine: Failure?

  init(keepsResults: Bool, isWatching: Bool, mostInLine: Int = .max) {
    self.isWatching = isWatching
    self.keepsResults = keepsResults
    self.mostInLine = mostInLine
  }

  /// Whether no more items will come.
  var isComplete: Bool {
    get { progress.isComplete }
    set { progress.isComplete = newValue }
  }

  var isOver: Bool { isComplete && open.isEmpty }

  /// Whether no file waits: every file that has not ended is under way.
  var isLastRound: Bool { isComplete && inLine == 0 && held.isEmpty }

  var openItems: [ItemID] { open.values.map(\.id).sorted() }

  mutating func add(_ item: UploadItem, at now: Instant) {
    open[item.id] = item
    progress.add(item)
    if isWatching { openPaths[item.location] = item.id }
    guard item.state.isFinished else { return held.append(item.id) }
    _ = record(item.state, of: item.id, at: now)
  }

  /// Records where an item can resume; nil if it must start over. Returns the item, or nil if it has ended.
  mutating func setResumePoint(_ point: ResumePoint?, of id: ItemID) -> UploadItem? {
    guard let old = open[id] else { return nil }
    var item = old
    item.resumePoint = point
    open[id] = item
    progress.recordResumePoint(of: item, from: old)
    return item
  }

  /// Ends a batch of calls to `record`.
  mutating func settle(at now: Instant) { progress.settle(at: now) }

  /// The items to give to the engine now: all that are left, or as many as fit into its line.
  mutating func handOver(all: Bool = false) -> [UploadItem] {
    var items: [UploadItem] = []
    while all || inLine < mostInLine, let id = held.popFirst() {
      guard let item = open[id] else { continue }
      items.append(item)
      inLine += 1
    }
    return items
  }

  /// The items that fail without reaching the engine, because it has given up the line in which they would have waited.
  mutating func givenUp() -> [(ItemID, ItemState)] {
    guard let failure = endOfLine.take() else { return [] }
    return handOver(all: true).map { ($0.id, .failed(failure)) }
  }

  /// Updates the count of items in the engine's line.
  private mutating func count(_ id: ItemID, from old: ItemState, to new: ItemState) {
    if let next = held.first, id >= next { return }
    if new == .waiting { inLine += 1 }
    guard old == .waiting else { return }
    inLine -= 1
    if case .failed(let failure) = new, failure.isNotTried { endOfLine = failure }
  }

  /// Records a new state. Returns the item in that state, or nil if the item is no longer of interest.
  mutating func record(_ state: ItemState, of id: ItemID, at now: Instant) -> UploadItem? {
    guard let old = open[id] else { return nil }
    if superseded.contains(id) {
      guard state.isFinished else { return old }
      superseded.remove(id)
      guard state.isDone || state.failure?.mayHaveArrived == true else {
        open[id] = nil
        progress.forget(old)
        return nil
      }
    }
    count(id, from: old.state, to: state)
    var item = old.with(state)
    progress.record(item, from: old, at: now)
    open[id] = state.isFinished ? nil : item
    guard state.isFinished else { return item }
    item.resumePoint = nil
    if isWatching, openPaths[item.location] == id { openPaths[item.location] = nil }
    switch state {
    case .done(var receipt):
      // The reply has been reported. Replies of many files would fill the memory.
      receipt.reply = Reply()
      if keepsResults { summary.results.append(item.with(.done(receipt))) }
    case .failed(let failure):
      summary.failed.append((item, failure))
      if keepsResults { summary.results.append(item) }
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused: break
    }
    return item
  }

  /// What to do about open items whose files have been replaced.
  struct Replaced: Equatable {
    /// Items that are not being sent: remove them from the engine. They are forgotten here.
    var unsent: [ItemID] = []
    /// Items that are being sent: cancel them. Their results will still arrive.
    var sending: [ItemID] = []
  }

  /// Records that files have been replaced. An item that was sent completely is left to finish: the server may keep the
  /// file, in which case the item counts.
  mutating func replaced(by items: [UploadItem]) -> Replaced {
    var replaced = Replaced()
    for item in items {
      guard let id = openPaths.removeValue(forKey: item.location), let old = open[id] else {
        continue
      }
      switch old.state {
      case .preparing, .sending:
        superseded.insert(id)
        replaced.sending.append(id)
      case .awaitingReply, .processing: superseded.insert(id)
      case .waiting, .retrying, .paused, .done, .failed:
        count(id, from: old.state, to: .paused)
        progress.forget(old)
        open[id] = nil
        replaced.unsent.append(id)
      }
    }
    return replaced
  }

  /// Whether an item must not be tried again because its file has been replaced.
  func isGivenUp(_ id: ItemID, in state: ItemState) -> Bool {
    superseded.contains(id) && (state == .waiting || state.isRetrying)
  }

  /// The final summary.
  func end(_ figures: SendingFigures) -> PushSummary {
    var summary = summary
    summary.counts = SendingCounts(progress.totals)
    summary.figures = figures
    summary.failed.sort { $0.item.id < $1.item.id }
    summary.results.sort { $0.id < $1.id }
    return summary
  }
}
