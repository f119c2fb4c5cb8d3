import UploadModel

/// The user's settings for everything that a sender sends.
package struct SenderSettings: Hashable, Sendable, Codable {
  /// The maximum total rate in bytes per second; nil means no limit.
  package var limit: Int64?
  /// Whether further files may start.
  package var isStarted: Bool
  /// The number of concurrent requests for each target, by name, where the user has set it.
  package var lanes: [String: Concurrency]
  /// Whether the settings come from a screen that the user left, so that the next screen that sends keeps them.
  package var isHandedOver: Bool

  package init(
    limit: Int64? = nil, isStarted: Bool = true, lanes: [String: Concurrency] = [:],
    isHandedOver: Bool = false
  ) {
    (self.limit, self.isStarted) = (limit, isStarted)
    (self.lanes, self.isHandedOver) = (lanes, isHandedOver)
  }
}
