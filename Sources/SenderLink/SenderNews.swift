import UploadModel

/// What the process that sends a queue tells onlookers. They read the queue's own content from its file.
package enum SenderNews: Hashable, Sendable, Codable {
  /// What has become of an item.
  case item(id: ItemID, state: ItemState)
  /// Whether a server can be reached.
  case server(address: String, news: Reachability)
  /// Whether the credentials of a target are refused.
  case refusal(target: String, isRefused: Bool)
  /// The user's settings.
  case settings(SenderSettings)
  /// The listener has received the complete state as of its arrival.
  case complete
}
