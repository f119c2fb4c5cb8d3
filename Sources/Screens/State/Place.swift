import UploadModel

/// Where an item stands: before another one; `nil` for the end.
struct Place: Hashable, Sendable {
  var id: ItemID
  var before: ItemID?
}
