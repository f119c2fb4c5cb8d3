import UploadModel

/// The place of an item: before another one, or at the end if `nil`.
struct Place: Hashable, Sendable {
  var id: ItemID
  var before: ItemID?
}
