import UploadModel

/// What the process that sends a queue tells those that look on. What is in the queue itself they read there.
public enum SenderNews: Hashable, Sendable, Codable {
  /// What has become of an item.
  case item(id: ItemID, state: ItemState)
  /// Whether a server can be reached.
  case server(address: String, news: Reachability)
  /// Whether the credentials of a target are refused.
  case refusal(target: String, isRefused: Bool)
  /// What the person has set.
  case settings(SenderSettings)
  /// Everything that was the case when the listener came has been told.
  case complete
}
