import UploadModel

/// An item and its place in the queue.
public struct QueuePosition: Sendable, Hashable {
  /// The item as it was.
  public var item: UploadItem
  /// The item that it stands before; `nil` for the end of the queue.
  public var before: ItemID?
}
