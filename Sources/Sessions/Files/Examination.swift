import Dispatch
import Synchronization
import UploadModel

/// Examines the files of a folder several at a time, and two side by side if that is slow: libmagic walks through its
/// whole database for content that it does not know, and a folder on the network takes a while to answer.
struct Examination {
  /// How many files to examine next. One at first, so that sending begins soon.
  private(set) var count = 1
  /// Whether the last files were slow.
  private var isSlow = false

  /// As many files are examined together as take this long, but at most `most`: none of them is sent before all are
  /// done.
  private static let patience = Duration.milliseconds(10)
  private static let most = 64
  /// If a file takes at least this long to examine, a second thread is worth it.
  private static let long = Duration.microseconds(100)
  /// Each thread that asks libmagic has tables of six megabytes.
  private static let threads = 2

  /// The items as `examined` makes them, in the same order.
  mutating func examine(
    _ items: [UploadItem], _ examined: @Sendable (UploadItem) -> UploadItem
  ) -> [UploadItem] {
    let threads = isSlow ? min(Self.threads, items.count) : 1
    let start = ContinuousClock.now
    let result = threads > 1 ? Self.examine(items, on: threads, examined) : items.map(examined)
    let each = (ContinuousClock.now - start) / items.count
    isSlow = each * threads >= Self.long
    let isPatient = each * 2 * count <= Self.patience
    count = isPatient ? min(2 * count, Self.most) : max(1, min(count, Int(Self.patience / each)))
    return result
  }

  private static func examine(
    _ items: [UploadItem], on threads: Int, _ examined: @Sendable (UploadItem) -> UploadItem
  ) -> [UploadItem] {
    let results = Mutex(items)
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      // A thread that starts later, or gets slower files, takes fewer.
      while case let index = next.add(1, ordering: .relaxed).oldValue, index < items.count {
        let item = examined(items[index])
        results.withLock { $0[index] = item }
      }
    }
    return results.withLock { $0 }
  }
}
