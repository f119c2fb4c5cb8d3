import Dispatch
import Synchronization
import UploadModel

/// Examines the files of a folder a few at a time, two side by side if they take long: libmagic walks through its whole
/// database for content that it does not know, and a folder on the network answers late.
struct Examination {
  /// How many files to examine next. One at first, so that sending begins soon.
  private(set) var count = 1
  /// Whether the last files took long.
  private var isSlow = false

  private static let most = 16
  /// How long a file takes to examine if it is worth a second thread.
  private static let long = Duration.microseconds(100)
  /// Each thread that asks libmagic has tables of six megabytes.
  private static let threads = 2

  /// The items, in the same order, as `examined` makes them.
  mutating func examine(
    _ items: [UploadItem], _ examined: @Sendable (UploadItem) -> UploadItem
  ) -> [UploadItem] {
    let threads = isSlow ? min(Self.threads, items.count) : 1
    let start = ContinuousClock.now
    let result = threads > 1 ? Self.examine(items, on: threads, examined) : items.map(examined)
    isSlow = (ContinuousClock.now - start) * threads / items.count >= Self.long
    count = min(2 * count, Self.most)
    return result
  }

  private static func examine(
    _ items: [UploadItem], on threads: Int, _ examined: @Sendable (UploadItem) -> UploadItem
  ) -> [UploadItem] {
    let results = Mutex(items)
    DispatchQueue.concurrentPerform(iterations: threads) { first in
      for index in stride(from: first, to: items.count, by: threads) {
        let item = examined(items[index])
        results.withLock { $0[index] = item }
      }
    }
    return results.withLock { $0 }
  }
}
