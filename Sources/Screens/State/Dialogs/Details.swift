import UploadModel

/// Everything about an item.
struct Details: Sendable {
  var id: ItemID
  var scroll = 0
  /// The request as it is sent, once `AppEvent.request` has come.
  var request: [String] = []
  /// The reply and the request, laid out.
  var texts = Memoized<ItemDetails.TextSource, ItemDetails.Texts>()
}
