import UploadModel

/// The reasons why files of the queue have failed, the most frequent first.
struct FailureList: Sendable {
  var list = ListState()
  /// The groups, as long as no item has changed its kind.
  private let groups = Memoized<Version, [FailureGroup<ItemID>]>()

  private struct Version: Equatable, Sendable {
    var rows: Int
    var kinds: Int
  }

  func groups(of queue: ItemList) -> [FailureGroup<ItemID>] {
    let version = Version(rows: queue.version, kinds: queue.kindsVersion)
    return groups.value(for: version) { _ in queue.failureGroups }
  }
}
