/// The user's settings for everything that is sent.
package struct SenderSettings: Hashable, Sendable, Codable {
  /// The most that is sent in all, in bytes a second; nil for no limit.
  package var limit: Int64?
  /// Whether further files begin.
  package var isStarted: Bool
  /// How many requests go to a target at once, by its name, if the user has set that.
  package var lanes: [String: Int]
  /// Whether they come from a screen that was left, so that the next screen that sends keeps them.
  package var isHandedOver: Bool

  /// Settings of a session.
  package init(
    limit: Int64? = nil, isStarted: Bool = true, lanes: [String: Int] = [:],
    isHandedOver: Bool = false
  ) {
    self.limit = limit
    self.isStarted = isStarted
    self.lanes = lanes
    self.isHandedOver = isHandedOver
  }
}
