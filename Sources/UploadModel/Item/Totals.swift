/// The totals of a queue: how many files are in which state, and what has become of their bytes.
///
/// This is the only place that decides which bytes count as what. A file counts with all of its bytes, and each
/// byte counts once, so that totals of files and queues can be added.
///
/// Bytes are done once they need nothing more: all bytes of finished files, whatever became of those, and the bytes of
/// other files that the other side has acknowledged. The percentage, the bar and the time left are of the work, which
/// also counts the request that each file takes: otherwise, they would stand still for a thousand small files beside a
/// large one. What is to go is what will still be sent without user action. So the percentage falls only if files are
/// added or removed, if an upload starts over, if one that cannot be resumed is broken off, or if a server has less of
/// one than it had acknowledged.
package struct Totals: Hashable, Sendable {
  /// Files that wait in line.
  package private(set) var waiting = 0
  /// Files that are under way, or about to be.
  package private(set) var active = 0
  /// Active files that the server has in full, and whose outcome is still open.
  package private(set) var awaiting = 0
  /// Files that wait to be tried again.
  package private(set) var retrying = 0
  /// Files that the user holds back.
  package private(set) var paused = 0
  /// Files that the server has taken.
  package private(set) var done = 0
  /// Files that the server has taken although its reply seems to say no. `done` counts them too.
  package private(set) var doubtful = 0
  /// Files that the server had already, without the doubtful ones. `done` counts them too.
  package private(set) var there = 0
  /// Files that were skipped, because their names are taken on the server. `done` counts them too.
  package private(set) var skipped = 0
  /// Files that may have arrived. Only a look at the server can tell whether they did.
  package private(set) var unknown = 0
  /// Files that did not arrive.
  package private(set) var failed = 0
  /// The failed files of which nothing was sent, because of what became of others.
  package private(set) var notTried = 0
  /// The failed files that were not sent because the sending was stopped.
  package private(set) var cancelled = 0

  /// Files that the server has taken.
  package private(set) var arrivedLoad = Workload()
  /// Files that were skipped.
  package private(set) var skippedLoad = Workload()
  /// What the other side has acknowledged and the server has not said to have, of files that are under way.
  package private(set) var movingLoad = Workload()
  /// What the server says it has or, of files that are not under way, need not be sent again, of files whose outcome is
  /// still open.
  package private(set) var keptLoad = Workload()
  /// Files that may have arrived.
  package private(set) var unknownLoad = Workload()
  /// Files that did not arrive.
  package private(set) var failedLoad = Workload()
  /// All files.
  private var load = Workload()

  /// Bytes that will still be sent without user action.
  package private(set) var bytesToGo: Int64 = 0
  /// Those of them in files that are under way. A stopped queue sends only these.
  package private(set) var bytesUnderWay: Int64 = 0
  /// Bytes that have not been acknowledged, in files that the user holds back.
  private(set) var pausedBytes: Int64 = 0
  /// The work that will still be done without user action.
  package private(set) var workLeft: [WorkGroup: WorkGroup.Left] = [:]

  package init() {}

  package init(of items: some Sequence<UploadItem>) {
    for item in items { add(item) }
  }

  /// How many files will still be sent without user action.
  package var busy: Int { waiting + active + retrying }
  /// How many files there are.
  package var all: Int { busy + paused + over }
  /// How many files have finished, whatever became of them.
  package var over: Int { done + unknown + failed }
  /// The bytes of all files.
  package var bytes: Int64 { load.bytes }
  package var arrivedBytes: Int64 { arrivedLoad.bytes }
  package var skippedBytes: Int64 { skippedLoad.bytes }
  package var movingBytes: Int64 { movingLoad.bytes }
  package var keptBytes: Int64 { keptLoad.bytes }
  package var unknownBytes: Int64 { unknownLoad.bytes }
  package var failedBytes: Int64 { failedLoad.bytes }
  /// What needs no further sending.
  private var doneLoad: Workload {
    arrivedLoad + skippedLoad + keptLoad + movingLoad + unknownLoad + failedLoad
  }
  /// How much is done, in bytes, or in files if all that are left to send are empty. Files that the user holds back
  /// count like all others, so that the share stays where it is when a file is paused.
  package var share: (done: Int64, all: Int64) {
    countsBytes ? (doneLoad.bytes, bytes) : (Int64(over + awaiting), Int64(all))
  }
  /// Whether `share` counts bytes.
  package var countsBytes: Bool { (busy > 0 ? doneLoad.bytes &+ bytesToGo : bytes) > 0 }
  /// How much of the work is done, and how much there is in all.
  package var work: (done: Int64, all: Int64) { (doneLoad.work, load.work) }
  /// How much of the work is done, in percent; 100 only once nothing is left to do, not even to wait for replies.
  package var percent: Int {
    let percent = HumanReadable.percent(work.done, of: work.all)
    return busy > 0 ? min(99, percent) : percent
  }
  /// Whether only replies are left to wait for.
  package var awaitsReplies: Bool { awaiting > 0 && awaiting == busy }

  /// Adds a file, `reached` bytes of which have been acknowledged if its state does not tell.
  package mutating func add(_ item: UploadItem, reached: Int64 = 0) { count(item, reached, 1) }
  /// Takes a file out, in the state in which it was added.
  package mutating func subtract(_ item: UploadItem, reached: Int64 = 0) {
    count(item, reached, -1)
  }

  private mutating func count(_ item: UploadItem, _ reached: Int64, _ one: Int) {
    let size = item.sentSize
    let known = item.state.bytesAcknowledged(of: size)
    let whole = Workload(file: size)
    func add(_ load: Workload, to sum: inout Workload) { sum = sum.adding(load, one) }
    add(whole, to: &load)
    switch item.state {
    case .waiting: waiting += one
    case .preparing, .sending, .awaitingReply, .processing: active += one
    case .retrying: retrying += one
    case .paused: paused += one
    case .done(let receipt):
      done += one
      guard receipt.skipped == nil else {
        skipped += one
        add(whole, to: &skippedLoad)
        break
      }
      if receipt.isDoubtful {
        doubtful += one
      } else if receipt.wasThere, !receipt.isConfirmed {
        there += one
      }
      add(whole, to: &arrivedLoad)
    case .failed(let failure) where failure.isOutcomeUnknown:
      unknown += one
      add(whole, to: &unknownLoad)
    case .failed(let failure):
      failed += one
      if failure.isNotTried { notTried += one }
      if failure.cause == .cancelled { cancelled += one }
      add(whole, to: &failedLoad)
    }
    guard !item.state.isFinished else { return }
    let sent =
      item.state.isHandedOver
      ? whole : Workload(first: known ?? min(max(0, reached), size), of: size)
    if item.state.isHandedOver { awaiting += one }
    // Of a file that is not under way, only what need not be sent again has been counted as reached.
    let kept =
      item.state.isActive && !item.state.isPreparing && !item.state.isProcessed
      ? Workload(first: min(item.keptBytes, known ?? 0), of: size) : sent
    add(kept, to: &keptLoad)
    add(sent - kept, to: &movingLoad)
    let rest = whole - sent
    guard item.state != .paused else {
      pausedBytes &+= Int64(one) &* rest.bytes
      return
    }
    bytesToGo &+= Int64(one) &* rest.bytes
    if item.state.isActive { bytesUnderWay &+= Int64(one) &* rest.bytes }
    countLeft(rest, of: item, one)
  }

  private mutating func countLeft(_ rest: Workload, of item: UploadItem, _ one: Int) {
    let group = WorkGroup(item)
    let work = Int64(one) &* group.work(of: rest)
    guard work != 0 else { return }
    var left = workLeft[group, default: WorkGroup.Left()]
    left.all &+= work
    if item.state.isActive { left.underWay &+= work }
    workLeft[group] = left == WorkGroup.Left() ? nil : left
  }
}

extension ItemState {
  /// How many of the file's `size` bytes the other side has acknowledged; `nil` if the state does not tell.
  package func bytesAcknowledged(of size: Int64) -> Int64? {
    switch self {
    case .sending(_, let sent, _): min(max(0, sent), size)
    case .awaitingReply, .processing, .done: size
    case .waiting, .preparing, .retrying, .paused, .failed: nil
    }
  }
}

extension Failure {
  /// Whether only a look at the server can tell what became of the file.
  package var isOutcomeUnknown: Bool { arrival == .unclear }
}
