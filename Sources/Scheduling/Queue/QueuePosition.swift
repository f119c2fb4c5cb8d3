import UploadModel

/// An item and its place in the queue.
package struct QueuePosition: Sendable, Hashable {
  /// The item as it was.
  package var item: UploadItem
  /// The item that it stands before; `nil` for the end of the queue.
  package var before: ItemID?

  package init(item: UploadItem, before: ItemID?) { (self.item, self.before) = (item, before) }
}

/// The place of an item: before another one, or at the end if `before` is `nil`.
package struct QueuePlace: Hashable, Sendable {
  package var id: ItemID
  package var before: ItemID?

  package init(id: ItemID, before: ItemID?) { (self.id, self.before) = (id, before) }
}
