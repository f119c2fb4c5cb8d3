import Scheduling
import UploadModel

/// The reasons why files of the queue have failed, may have arrived or are doubtful.
struct FailureList: Sendable {
  var list = ListState()
  /// The groups, as long as no item has changed its kind.
  private let groups = Memoized<ItemList.Version, [FailureGroup<ItemID>]>()

  func groups(of queue: ItemList) -> [FailureGroup<ItemID>] {
    groups.value(for: queue.stateVersion) { _ in queue.problemGroups }
  }
}
