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

  func groups(of queue: Queue) -> [FailureGroup<ItemID>] {
    let version = Version(rows: queue.version, kinds: queue.kindsVersion)
    return groups.value(for: version) { _ in queue.failureGroups }
  }
}

extension Queue {
  /// The failed items, and those that may have arrived, gathered by their reasons.
  var failureGroups: [FailureGroup<ItemID>] {
    FailureGroup.gathered(
      rows.lazy.compactMap { row in
        guard case .failed(let failure) = row.item.state else { return nil }
        let reason = FailureReason(failure, said: row.said, of: row.item.fileName)
        return (reason, row.item.id)
      })
  }
}

extension AppState {
  /// The failed items, and those that may have arrived, gathered by their reasons.
  package var failureGroups: [FailureGroup<ItemID>] { queue.failureGroups }
}
