/// The totals of a queue: how many files are in which state, and what has become of their bytes.
///
/// This is the only place that decides which bytes count as what. A file counts with all of its bytes, and each
/// byte counts once, so that totals of files and queues can be added.
///
/// Bytes are done once they need nothing more: all bytes of finished files, whatever became of those, and the bytes of
/// other files that the other side has acknowledged. `share` compares the done bytes with all bytes. The bytes to go
/// are those that will still be sent without user action; the remaining time is based on them. So the share falls only
/// if files are added or removed, if an upload starts over, if one that cannot be resumed is broken off, or if a server
/// has less of one than it had acknowledged.
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
  /// Files that the server had already. `done` counts them too.
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

  /// Bytes of files that the server has taken.
  package private(set) var arrivedBytes: Int64 = 0
  /// Bytes of files that were skipped.
  package private(set) var skippedBytes: Int64 = 0
  /// Bytes that the other side has acknowledged and the server has not said to have, in files that are under way.
  package private(set) var movingBytes: Int64 = 0
  /// Bytes that the server says it has or, in files that are not under way, need not be sent again, in files whose
  /// outcome is still open.
  package private(set) var keptBytes: Int64 = 0
  /// Bytes that will still be sent without user action.
  package private(set) var bytesToGo: Int64 = 0
  /// Those of them in files that are under way. A stopped queue sends only these.
  package private(set) var bytesUnderWay: Int64 = 0
  /// Bytes that have not been acknowledged, in files that the user holds back.
  private(set) var pausedBytes: Int64 = 0
  /// Bytes of files that may have arrived.
  package private(set) var unknownBytes: Int64 = 0
  /// Bytes of files that did not arrive.
  package private(set) var failedBytes: Int64 = 0

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
  package var bytes: Int64 { doneBytes &+ bytesToGo &+ pausedBytes }
  /// Bytes that need no further sending.
  private var doneBytes: Int64 {
    arrivedBytes &+ skippedBytes &+ keptBytes &+ movingBytes &+ unknownBytes &+ failedBytes
  }
  /// How much is done, in bytes, or in files if all that are left to send are empty. Files that the user holds back
  /// count like all others, so that the share stays where it is when a file is paused.
  package var share: (done: Int64, all: Int64) {
    countsBytes ? (doneBytes, bytes) : (Int64(over + awaiting), Int64(all))
  }
  /// Whether `share` counts bytes.
  package var countsBytes: Bool { (busy > 0 ? doneBytes &+ bytesToGo : bytes) > 0 }
  /// `share` in percent; 100 only once nothing is left to do, not even to wait for replies.
  package var percent: Int {
    let percent = HumanReadable.percent(share.done, of: share.all)
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
    // The sizes of sparse files can add up to more than fits in 64 bits; sums that wrap around are right again once the
    // files are taken out.
    let size = Int64(one) &* item.sentSize
    let known = item.state.bytesAcknowledged(of: item.sentSize)
    let sent = Int64(one) &* (known ?? min(max(0, reached), item.sentSize))
    switch item.state {
    case .waiting: waiting += one
    case .preparing, .sending, .awaitingReply, .processing: active += one
    case .retrying: retrying += one
    case .paused:
      paused += one
      pausedBytes &+= size &- sent
    case .done(let receipt):
      done += one
      if receipt.isDoubtful { doubtful += one }
      guard receipt.skipped == nil else {
        skipped += one
        skippedBytes &+= size
        break
      }
      if receipt.wasThere { there += one }
      arrivedBytes &+= size
    case .failed(let failure) where failure.isOutcomeUnknown:
      unknown += one
      unknownBytes &+= size
    case .failed(let failure):
      failed += one
      if failure.isNotTried { notTried += one }
      if failure.cause == .cancelled { cancelled += one }
      failedBytes &+= size
    }
    if item.state.isHandedOver { awaiting += one }
    guard !item.state.isFinished else { return }
    // Of a file that is not under way, only what need not be sent again has been counted as reached.
    let kept =
      item.state.isActive && !item.state.isPreparing && !item.state.isProcessed
      ? Int64(one) &* min(item.keptBytes, known ?? 0) : sent
    keptBytes &+= kept
    movingBytes &+= sent &- kept
    if item.state != .paused { bytesToGo &+= size &- sent }
    if item.state.isActive { bytesUnderWay &+= size &- sent }
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
