import UploadModel

/// The changes to a queue since a revision.
package struct QueueChanges: Sendable {
  /// The revision to pass next time.
  package var revision: Int64
  /// Items that are new or have changed, in the order of the queue.
  package var items: [UploadItem] = []
  package var removed: [ItemID] = []
  /// All items in their order, if it has changed.
  package var order: [ItemID]?
  /// Whether the user has stopped the queue; nil if no other process has written.
  package var isStopped: Bool?
}
