import UploadModel

/// An item and its place in the queue.
package struct QueuePosition: Sendable, Hashable {
  /// The item as it was.
  package var item: UploadItem
  /// The item that it stands before; `nil` for the end of the queue.
  package var before: ItemID?
}
