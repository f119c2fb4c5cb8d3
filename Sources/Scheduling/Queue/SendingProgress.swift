import UploadModel

/// How far files are that nobody keeps a list of: how many have become what, and how fast those under way move. Only
/// files that have begun and not ended are kept; all others just count. `ItemList` keeps the files of a queue.
package struct SendingProgress: Sendable {
  package private(set) var totals = Totals()
  package private(set) var speeds = Speeds()
  /// Whether no more files will come.
  package var isComplete = false
  /// The files that have begun and not ended, as they are counted in the totals.
  private var begun: [ItemID: ItemList.Row] = [:]

  package init() {}

  /// The files that are being sent.
  package var active: [UploadItem] { begun.values.map(\.item).filter(\.state.isActive) }

  package mutating func add(_ item: UploadItem) {
    let row = ItemList.Row(item: item)
    totals.add(item, reached: row.counted)
  }

  /// Counts a file that is in another state than before.
  package mutating func record(_ item: UploadItem, from old: UploadItem, at now: Instant) {
    var row = begun[item.id] ?? ItemList.Row(item: old)
    totals.subtract(row.item, reached: row.counted)
    row.set(item)
    totals.add(item, reached: row.counted)
    begun[item.id] = item.state.isFinished || item.state == .waiting ? nil : row
    speeds.record(item, from: old.state, to: item.state, at: now)
  }

  /// Counts a file that can resume elsewhere than before.
  package mutating func recordResumePoint(of item: UploadItem, from old: UploadItem) {
    let known = begun[item.id]
    var row = known ?? ItemList.Row(item: old)
    totals.subtract(row.item, reached: row.counted)
    row.set(item)
    totals.add(item, reached: row.counted)
    if known != nil { begun[item.id] = row }
  }

  /// Ends a batch of records: the speed of all files is updated once for all of them.
  package mutating func settle(at now: Instant) {
    speeds.settle(isBusy: totals.busy > 0 || !isComplete, at: now)
  }

  /// Counts a file no longer.
  package mutating func forget(_ item: UploadItem) {
    let row = begun.removeValue(forKey: item.id) ?? ItemList.Row(item: item)
    totals.subtract(row.item, reached: row.counted)
    speeds.forget([item.id])
  }
}
